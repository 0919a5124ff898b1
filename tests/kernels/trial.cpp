#include "kernels/trial.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

#include "sim/silicon/command_processor/queue_error.hpp"

namespace rocdrill::test {

std::vector<std::byte> read_code(const std::string& stem, const Build& build) {
  const std::string path = std::string(ROCDRILL_KERNELS) + "/" + stem + "." + build.target + ".O" +
                           std::to_string(build.level) + ".co";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    if (const char* wanted = std::getenv("ROCDRILL_TEST_SEED"); wanted != nullptr)
      return std::strtoull(wanted, nullptr, 0);
    std::random_device device;
    return static_cast<unsigned long long>(device()) << 32 | device();
  }();
  return seed;
}

namespace {

/// All instructions of the code object that have no handler.
std::string not_modelled(workbench::Workbench& bench) {
  std::set<std::string> names;
  for (const workbench::Workbench::Line& line : bench.disassemble_all())
    if (line.text.legal && !line.text.executed) names.insert(line.text.mnemonic);
  std::string list;
  for (const std::string& name : names) list += " " + name;
  return list;
}

}  // namespace

std::string describe(const isa::Outcome& outcome, workbench::Workbench& bench) {
  std::ostringstream out;
  switch (outcome.end) {
    case isa::End::completed:
      return "completed";
    case isa::End::cancelled:
    case isa::End::hung:
      return "cancelled";
    case isa::End::unmodelled:
      out << "not modelled: " << outcome.text;
      break;
    case isa::End::exception:
      out << cp::name(outcome.exception.code);
      if (outcome.exception.code == cp::KfdException::wave_memory_violation)
        out << " at 0x" << std::hex << outcome.exception.address << std::dec;
      break;
  }
  out << ", in workgroup " << outcome.workgroup[0] << ',' << outcome.workgroup[1] << ','
      << outcome.workgroup[2] << " wave " << outcome.wave << " at image + 0x" << std::hex
      << outcome.va - bench.image_va() << ": " << bench.disassemble_at(outcome.va).text;
  if (outcome.end == isa::End::unmodelled)
    out << "\nwithout a handler in this code object:" << not_modelled(bench);
  return out.str();
}

Trial::Trial(const std::string& stem, const Build& build, std::uint64_t seed)
    : build_(build), random_(seed) {
  auto bench = workbench::Workbench::open(read_code(stem, build), build.target,
                                          {.threads = 0, .level = build.host});
  if (!bench) throw std::runtime_error(stem + ": " + bench.error());
  bench_ = std::move(*bench);
}

workbench::KernelLaunch Trial::prepare(const std::string& name, const twin::Grid& grid) const {
  workbench::KernelLaunch launch;
  launch.kernel = name;
  code_objects::Geometry& geometry = launch.geometry;
  geometry.dimensions = 1;
  for (unsigned n = 0; n < 3; ++n) {
    geometry.grid[n] = grid.size[n];
    geometry.group[n] = static_cast<std::uint16_t>(grid.group[n]);
    if (grid.group[n] > 1 || grid.size[n] > 1) geometry.dimensions = n + 1;
  }
  return launch;
}

void Trial::run(const workbench::KernelLaunch& launch) {
  const auto outcome = bench_->run(launch);
  if (!outcome) throw std::runtime_error(launch.kernel + ": " + outcome.error());
  if (outcome->end != isa::End::completed)
    throw std::runtime_error(launch.kernel + ": " + describe(*outcome, *bench_));
  counters_ = outcome->counters;
}

}  // namespace rocdrill::test
