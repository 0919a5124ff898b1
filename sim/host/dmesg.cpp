#include "sim/host/dmesg.hpp"

#include <fmt/format.h>

namespace rocdrill::sim {

std::string Dmesg::text() const {
  std::string out;
  for (const Line& line : lines_) {
    fmt::format_to(std::back_inserter(out), "[{:5}.{:06}] {}\n", line.time_ns / 1'000'000'000,
                   line.time_ns / 1'000 % 1'000'000, line.text);
  }
  return out;
}

}  // namespace rocdrill::sim
