// What any AQL queue does, written against stack/ only: the same tests run on the simulated
// node, on the real libraries over it, and on hardware.
//
// To put a backend under test, compile the .cpp files of this folder into the test program and
// write
//   INSTANTIATE_TEST_SUITE_P(Sim, AqlConformance, testing::Values(AqlSubject{"sim", make}));
// with `make` returning a fresh BackendUnderTest. A test whose capability the backend does not
// claim is skipped; one whose capability is claimed has to pass.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "stack/backend.hpp"
#include "stack/formats/aql.hpp"
#include "stack/runtime.hpp"

namespace rocdrill::conformance {

/// A backend as far as these tests need one. For a Backend and one of its processes:
///   capabilities() -> backend.capabilities(), open_runtime() -> backend.open_runtime(process).
class BackendUnderTest {
 public:
  virtual ~BackendUnderTest() = default;
  virtual Capabilities capabilities() const = 0;
  /// hsa_init, once for each test. The runtime is destroyed before this object.
  virtual HsaResult<std::unique_ptr<Runtime>> open_runtime() = 0;
  /// Threads, pollers or hardware queue slots that the process's queues hold at the moment;
  /// nullopt where that cannot be seen.
  virtual std::optional<std::size_t> queue_resources() { return std::nullopt; }
};

struct AqlSubject {
  std::string name;
  std::function<std::unique_ptr<BackendUnderTest>()> make;
};

inline void PrintTo(const AqlSubject& subject, std::ostream* out) { *out << subject.name; }

class AqlConformance : public testing::TestWithParam<AqlSubject> {
 protected:
  static constexpr std::uint32_t ring_size = 64;  // the smallest that hsa_queue_create accepts
  /// For what has to happen, and for what must not: real time on hardware.
  static constexpr std::uint64_t soon_ns = 2'000'000'000;
  static constexpr std::uint64_t settle_ns = 20'000'000;

  void SetUp() override;
  void TearDown() override;
  /// False (and the test is skipped) if the backend does not claim it.
  bool claims(Capability capability);

  std::unique_ptr<Queue> make_queue() { return make_queue(gpu_); }
  /// On a CPU agent (always listed first) it is a soft queue: the application's own agent.
  std::unique_ptr<Queue> make_queue(std::size_t agent);
  std::unique_ptr<Signal> make_signal(std::int64_t value);
  /// Expects the signal to reach `value`, or to stay at it.
  void expect_reaches(Signal& signal, std::int64_t value);
  void expect_stays(Signal& signal, std::int64_t value);
  /// Expects the queue to fail with this status, at `packet`, with everything untouched, once.
  void expect_queue_error(const aql::Packet& packet, HsaStatus status);

  std::unique_ptr<BackendUnderTest> subject_;
  std::unique_ptr<Runtime> runtime_;
  std::size_t gpu_ = 0;
  std::vector<HsaStatus> errors_;  // of all queues of make_queue()
};

/// Copies the packet into its slot as a producer does, header last; does not ring.
void write_packet(Queue& queue, std::uint64_t index, const aql::Packet& packet);

/// Skips the test if the backend does not claim the capability.
#define AQL_NEEDS(capability)                                                  \
  if (!claims(capability)) {                                                   \
    GTEST_SKIP() << GetParam().name << " does not claim " << name(capability); \
  }                                                                            \
  static_assert(true)

}  // namespace rocdrill::conformance
