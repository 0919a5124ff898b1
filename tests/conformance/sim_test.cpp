// The simulated node under the AQL conformance suite, through ROCr, KFD's ioctls and doorbells.
#include "aql_conformance.hpp"
#include "support/nodes.hpp"

namespace rocdrill::conformance {
namespace {

class NodeSubject final : public BackendUnderTest {
 public:
  explicit NodeSubject(std::string_view id) : node_(test::booted(id)) {
    Host& host = node_->host();
    process_ = host.spawn(host.session());
  }
  Capabilities capabilities() const override { return node_->capabilities(); }
  HsaResult<std::unique_ptr<Runtime>> open_runtime() override {
    return node_->open_runtime(*process_);
  }
  std::optional<std::size_t> queue_resources() override {
    return node_->kernel.kfd.doorbells_in_use();
  }

 private:
  std::unique_ptr<sim::Node> node_;
  std::unique_ptr<Process> process_;
};

AqlSubject subject(const char* name, const char* id) {
  return {name, [id] { return std::make_unique<NodeSubject>(id); }};
}

// MI210 has the legacy error path (a KFD without exceptions), MI300X the other.
INSTANTIATE_TEST_SUITE_P(Sim, AqlConformance,
                         testing::Values(subject("mi210", "mi210"), subject("mi300x", "mi300x-8")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace rocdrill::conformance
