// CREATE_QUEUE finds no free doorbell in the process's page.
#include <fmt/format.h>

#include "sim/faults/surgical.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::int64_t page_holds = 1024;

std::string too_many(const ParameterValue& value) {
  const auto queues = std::get<std::int64_t>(value);
  if (queues >= 0 && queues < page_holds) return {};
  return fmt::format("{} is not in 0...{}: a page holds {}", queues, page_holds - 1, page_holds);
}

class DoorbellsExhausted final : public Fault {
 public:
  const FaultInfo& info() const override {
    static const FaultInfo info{
        .id = "doorbells-exhausted",
        .layer = Layer::kernel,
        .title = "no doorbell is left for another queue",
        .changes = "a process's doorbell page of a GPU holds fewer queues than it should",
        .parameters = {{"queues",
                        std::int64_t{1},
                        "how many a process can have on a GPU, SDMA queues of the runtime included",
                        {},
                        too_many}},
        .sources = {"https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_doorbell.c",
                    "https://github.com/torvalds/linux/blob/v6.8/drivers/gpu/drm/amd/amdkfd/"
                    "kfd_process_queue_manager.c"},
        .surgical = true};
    return info;
  }

  void inject(Node& node, const Parameters& parameters, EventId cause) const override {
    surgical::change(node, [&](kernel::Injections& all) {
      all.doorbells.push_back({static_cast<std::uint32_t>(parameters.integer("queues")), cause});
    });
  }

  bool clear(Node& node) const override {
    return surgical::clear_list(node, &kernel::Injections::doorbells);
  }
};

const FaultRegistration registration{std::make_unique<DoorbellsExhausted>()};

}  // namespace
}  // namespace rocdrill::sim
