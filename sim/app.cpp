#include "sim/app.hpp"

namespace rocdrill::sim {
namespace {

HipResult<void> compute(Hip& hip, const std::string& file, const std::string& kernel) {
  constexpr std::uint32_t elements = 1024;
  constexpr std::uint32_t block = 256;
  hip.register_fat_binary(file);
  if (const auto count = hip.device_count(); !count) return std::unexpected(count.error());
  const auto x = hip.allocate(0, elements * sizeof(float));
  if (!x) return std::unexpected(x.error());
  const auto y = hip.allocate(0, elements * sizeof(float));
  if (!y) return std::unexpected(y.error());
  HipLaunch how{.grid = {elements / block, 1, 1}, .block = {block, 1, 1}, .arguments = {}};
  return hip.launch(0, file, kernel, how.with(*y).with(*x).with(2.0f).with(elements));
}

EventId record(Journal& journal, const std::string& file, const HipFailure& failure) {
  if (failure.waits_for_ever) {
    return journal.record(Layer::framework, Severity::error, "app.hangs", file,
                          {{field::did, "does not end"}, {field::see, std::string_view(file)}},
                          failure.event);
  }
  const std::string shows =
      failure.abort_text.empty() ? rocdrill::name(failure.error) : failure.abort_text;
  return journal.record(
      Layer::framework, failure.unmodelled ? Severity::unmodelled : Severity::error, "app.failed",
      file, {{field::shows, std::string_view(shows)}, {field::see, std::string_view(file)}},
      failure.event);
}

}  // namespace

HipResult<void> run_app(Hip& hip, Journal& journal, const std::string& file,
                        const std::string& kernel) {
  HipResult<void> result = compute(hip, file, kernel);
  if (!result) result.error().event = record(journal, file, result.error());
  return result;
}

}  // namespace rocdrill::sim
