#include "sim/app.hpp"

namespace rocdrill::sim {

HipResult<void> run_app(Hip& hip, const std::string& file, const std::string& kernel) {
  constexpr std::uint32_t elements = 1024;
  constexpr std::uint32_t block = 256;
  const auto x = hip.allocate(0, elements * sizeof(float));
  if (!x) return std::unexpected(x.error());
  const auto y = hip.allocate(0, elements * sizeof(float));
  if (!y) return std::unexpected(y.error());
  HipLaunch how{.grid = {elements / block, 1, 1}, .block = {block, 1, 1}, .arguments = {}};
  return hip.launch(0, file, kernel, how.with(*y).with(*x).with(2.0f).with(elements));
}

}  // namespace rocdrill::sim
