#include "stack/compat.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>

namespace rocdrill::compat {
namespace {

// -- documents --

constexpr std::string_view tested_pairs_source =
    "ROCm 5.6.1 and 5.7.0: user/kernel-space compatibility matrix";
constexpr std::string_view matrix_source =
    "ROCm/rocm-install-on-linux docs/reference/user-kernel-space-compat-matrix.rst@0802f804";
constexpr std::string_view versions_source = "ROCm/amdgpu-docs docs/release/versions.rst";
constexpr std::string_view driver_30_30_source = "ROCm/amdgpu-docs pull 97";
constexpr std::string_view driver_31_40_source =
    "ROCm/amdgpu-docs docs/compatibility/compatibility-matrix.rst@09addca3";
constexpr std::string_view instinct_source =
    "ROCm/legacy-rocm-build docs/compatibility/include/system-instinct.rst@8eb3b622";
constexpr std::string_view previous_instinct_source =
    "ROCm docs/compatibility/include/system-instinct.rst@94355205";
constexpr std::string_view historical_source =
    "ROCm/ROCm docs/compatibility/compatibility-matrix-historical-6.0.csv@2f67fe62";

// -- tables of pairs --

struct Row {
  std::string_view driver;
  std::string_view rocm;  ///< space-separated
};

/// Exact releases that were tested together; a driver's own release is implied.
constexpr std::array tested_pairs{
    Row{"5.0.2", "5.1.0 5.2.0"}, Row{"5.1.0", "5.0.2"},       Row{"5.1.3", "5.2.0 5.3.0"},
    Row{"5.2.0", "5.0.2 5.1.3"}, Row{"5.2.3", "5.3.0 5.4.0"}, Row{"5.3.0", "5.1.3 5.2.3"},
    Row{"5.3.3", "5.4.0 5.5.0"}, Row{"5.4.0", "5.2.3 5.3.3"}, Row{"5.4.3", "5.5.0 5.6.0"},
    Row{"5.4.4", "5.5.0"},       Row{"5.5.0", "5.3.3 5.4.3"}, Row{"5.5.1", "5.6.0 5.7.0"},
    Row{"5.6.0", "5.4.3 5.5.1"}, Row{"5.6.1", "5.7.0"},       Row{"5.7.0", "5.5.0 5.6.1"}};

/// The newest matrix by lines. Complete for its columns, ROCm 5.1 to 7.0.
constexpr std::array matrix{
    Row{"5.3", "5.1 5.2 5.3 5.4 5.5"},     Row{"5.4", "5.2 5.3 5.4 5.5 5.6"},
    Row{"5.5", "5.3 5.4 5.5 5.6 5.7"},     Row{"5.6", "5.4 5.5 5.6 5.7 6.0"},
    Row{"5.7", "5.5 5.6 5.7 6.0 6.1"},     Row{"6.0", "5.6 5.7 6.0 6.1 6.2"},
    Row{"6.1", "5.7 6.0 6.1 6.2 6.3 6.4"}, Row{"6.2", "6.0 6.1 6.2 6.3 6.4 7.0"},
    Row{"6.3", "6.1 6.2 6.3 6.4 7.0"},     Row{"6.4", "6.1 6.2 6.3 6.4 7.0"},
    Row{"30.10", "6.2 6.3 6.4 7.0"}};
constexpr std::string_view matrix_columns = "5.1 5.2 5.3 5.4 5.5 5.6 5.7 6.0 6.1 6.2 6.3 6.4 7.0";

/// Drivers after the matrix. Nothing is known about what a row does not list.
struct LaterRow {
  std::string_view driver;
  std::string_view rocm;
  bool confirmed = false;
  std::string_view note;
  std::string_view source;
};
constexpr std::array later_drivers{
    LaterRow{"30.20", "7.1 7.0 6.4 6.3", false, "released 2025-10-30; the pairing is not confirmed",
             versions_source},
    LaterRow{"30.30", "7.2 7.1 7.0 6.4 6.3", true, "released 2026-01-21", driver_30_30_source},
    LaterRow{"31.40", "7.14", true, "", driver_31_40_source}};

/// Release lines in order, up to the last before the policy changed with 6.4.0.
constexpr std::string_view policy_lines = "5.0 5.1 5.2 5.3 5.4 5.5 5.6 5.7 6.0 6.1 6.2 6.3";
constexpr std::ptrdiff_t policy_distance = 2;

constexpr std::array modules{
    ModuleRelease{{6, 10, 5}, "6.3.x", "dmesg of ROCm 6.3 machines", Fidelity::measured},
    ModuleRelease{{6, 12, 12}, "6.4.x", "seen with ROCm 6.4 and 7.0", Fidelity::measured},
    ModuleRelease{
        {6, 16, 6}, "30.20.x 30.30.x", "which of the two is not known", Fidelity::assumed},
    ModuleRelease{
        {6, 16, 13}, "30.20.x 30.30.x", "which of the two is not known", Fidelity::assumed},
    ModuleRelease{{6, 19, 4},
                  "",
                  "printed in the documents of the ROCm 7.14 generation",
                  Fidelity::documented},
    ModuleRelease{{7, 1, 3}, "", "seen in 2026", Fidelity::measured}};

// -- firmware, distributions, kernels --

constexpr std::string_view newest_revision = "newest documents, all listed drivers";
constexpr std::string_view previous_revision = "previous documents";

constexpr std::array bundles{
    FirmwareBundle{"MI350X MI355X", newest_revision, "01.26.01.03 (or later); 01.26.00.02", true,
                   instinct_source},
    FirmwareBundle{"MI350P", newest_revision, "BKC12.0 (IFWI PRD1000A) or later; IFWI 00189938",
                   true, instinct_source},
    FirmwareBundle{"MI325X", newest_revision, "01.26.01.02 (or later); 01.25.06.08", true,
                   instinct_source},
    FirmwareBundle{"MI300X", newest_revision, "01.26.00.04 (or later); 01.25.06.05", true,
                   instinct_source},
    FirmwareBundle{"MI300A", newest_revision, "BKC 27 (or later); BKC 26.1", true, instinct_source},
    FirmwareBundle{"MI250X MI250 MI210", newest_revision,
                   "Maintenance update (MU) 5 with IFWI 75 (or later)", true, instinct_source},
    FirmwareBundle{"MI100", newest_revision, "VBIOS D3430401-037", true, instinct_source},
    FirmwareBundle{"MI350X MI355X", previous_revision, "01.26.00.02", false,
                   previous_instinct_source},
    FirmwareBundle{"MI325X", previous_revision, "01.25.06.08", false, previous_instinct_source},
    FirmwareBundle{"MI300X", previous_revision, "01.25.06.05", false, previous_instinct_source},
    FirmwareBundle{"MI300A", previous_revision, "BKC 26.1", false, previous_instinct_source},
    FirmwareBundle{"MI350X MI355X", "driver 30.10: minimum for SPX/NPS1 and DPX/NPS2",
                   "01.25.13.04", false,
                   "ROCm/amdgpu-docs docs/documentation/change-logs/30.10.0.md"}};

constexpr std::string_view rocm_7_14 = "7.14/10.0";

constexpr DistroKernel instinct(std::string_view distro, std::string_view gpus,
                                std::string_view kernel) {
  return {distro, gpus, kernel, rocm_7_14, instinct_source};
}
constexpr DistroKernel historical(std::string_view rocm, std::string_view distros) {
  return {distros, "gfx1100 gfx1030 gfx942 gfx90a gfx908", "", rocm, historical_source};
}

constexpr std::array distros{
    instinct("Ubuntu 26.04", "all Instinct", "GA 7.0"),
    instinct("Ubuntu 24.04.4", "all Instinct", "GA 6.8"),
    instinct("Ubuntu 22.04.5", "all but MI350P", "GA 5.15"),
    instinct("RHEL 10.2", "all", "6.12.0-211"),
    instinct("RHEL 10.0", "all but MI350P", "6.12.0-55"),
    instinct("RHEL 9.8", "all", "5.14.0-687"),
    instinct("RHEL 9.6", "all", "5.14.0-570"),
    instinct("RHEL 9.4", "all but MI350P", "5.14.0-427"),
    instinct("RHEL 8.10", "MI355X MI350X MI300X MI300A MI2xx MI100", "4.18.0-553"),
    instinct("Debian 13", "MI355X MI350X MI350P MI325X MI300X", "6.12"),
    instinct("Debian 12", "MI355X MI350X MI325X MI300X MI300A MI250X MI250", "6.1.0"),
    instinct("Oracle Linux 10", "MI355X MI350X MI325X MI300X", "UEK 8.1"),
    instinct("Oracle Linux 9", "MI355X MI350X MI325X MI300X", "UEK 8"),
    instinct("Oracle Linux 8", "MI300X", "UEK 7"),
    instinct("Rocky Linux 9", "MI300X MI300A", "5.14.0-570"),
    instinct("SLES 16.0", "all but MI100", "6.12"),
    instinct("SLES 15.7", "all", "6.4.0-150700.51"),
    historical("6.3.x",
               "Ubuntu 24.04.2, 22.04.5; RHEL 9.5 9.4 8.10; SLES 15 SP6 SP5; OL 8.10; "
               "Debian 12"),
    historical("6.2.x",
               "Ubuntu 24.04(.1), 22.04.5/.4; RHEL 9.4 9.3 8.10 8.9; SLES 15 SP6 SP5; "
               "OL 8.9"),
    historical("6.1.x",
               "Ubuntu 22.04.4/.3, 20.04.6/.5; RHEL 9.4-9.2 8.9 8.8; SLES 15 SP5 SP4; "
               "CentOS 7.9"),
    historical("6.0.x",
               "Ubuntu 22.04.4-.2, 20.04.6/.5; RHEL 9.3 9.2 8.9 8.8; SLES 15 SP5 SP4; "
               "CentOS 7.9")};

constexpr Version line(std::uint16_t major, std::uint16_t minor) { return {major, minor, {}}; }

constexpr std::array in_tree{
    InTreeKernel{"gfx908", line(5, 5)},   InTreeKernel{"gfx1030", line(5, 9)},
    InTreeKernel{"gfx90a", line(5, 13)},  InTreeKernel{"gfx1036", line(5, 19)},
    InTreeKernel{"gfx1100", line(6, 1)},  InTreeKernel{"gfx1101", line(6, 1)},
    InTreeKernel{"gfx942", line(6, 5)},   InTreeKernel{"gfx1151", line(6, 10)},
    InTreeKernel{"gfx1200", line(6, 12)}, InTreeKernel{"gfx1201", line(6, 12)},
    InTreeKernel{"gfx950", line(6, 14)}};

// -- looking things up --

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    if (space != 0) found.push_back(text.substr(0, space));
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return found;
}

std::vector<Version> versions(std::string_view list) {
  std::vector<Version> found;
  for (const std::string_view word : words(list)) {
    if (const auto version = parse_version(word)) found.push_back(*version);
  }
  return found;
}

bool lists(std::string_view list, const Version& exact) {
  const std::vector<Version> all = versions(list);
  return std::ranges::find(all, exact) != all.end();
}
bool lists_line(std::string_view list, const Version& version) {
  return std::ranges::any_of(versions(list),
                             [&](const Version& line) { return line.same_line(version); });
}

template <class Table>
auto row_of(const Table& table, const Version& driver) -> decltype(table.data()) {
  const auto found = std::ranges::find_if(table, [&](const auto& row) {
    const auto version = parse_version(row.driver);
    return version && (version->patch ? *version == driver : version->same_line(driver));
  });
  return found == table.end() ? nullptr : &*found;
}

std::string pair(const Version& driver, const Version& rocm) {
  return "driver " + to_string(driver) + " with ROCm " + to_string(rocm);
}

std::optional<Verdict> from_tested_pairs(const Version& driver, const Version& rocm) {
  const Row* row = row_of(tested_pairs, driver);
  if (row == nullptr || (rocm != driver && !lists(row->rocm, rocm))) return std::nullopt;
  return Verdict{Support::supported, pair(driver, rocm) + " is a tested pair.", tested_pairs_source,
                 Fidelity::documented};
}

std::optional<Verdict> from_matrix(const Version& driver, const Version& rocm) {
  const Row* row = row_of(matrix, driver);
  if (row == nullptr || !lists_line(matrix_columns, rocm)) return std::nullopt;
  const bool listed = lists_line(row->rocm, rocm);
  return Verdict{listed ? Support::supported : Support::unsupported,
                 pair(driver, rocm) + (listed ? " is in" : " is not in") +
                     " the compatibility matrix; that driver goes with ROCm " +
                     std::string(row->rocm) + ".",
                 matrix_source, Fidelity::documented};
}

std::optional<Verdict> from_later_drivers(const Version& driver, const Version& rocm) {
  const LaterRow* row = row_of(later_drivers, driver);
  if (row == nullptr || !lists_line(row->rocm, rocm)) return std::nullopt;
  if (!row->confirmed) {
    return Verdict{Support::unknown, pair(driver, rocm) + ": " + std::string(row->note) + ".",
                   row->source, Fidelity::assumed};
  }
  return Verdict{Support::supported, pair(driver, rocm) + " is listed for that driver.",
                 row->source, Fidelity::documented};
}

std::optional<Verdict> from_policy(const Version& driver, const Version& rocm) {
  const std::vector<Version> lines = versions(policy_lines);
  const auto position = [&](const Version& version) {
    return std::ranges::find_if(lines, [&](const Version& l) { return l.same_line(version); });
  };
  const auto first = position(driver);
  const auto second = position(rocm);
  if (first == lines.end() || second == lines.end()) return std::nullopt;
  const std::ptrdiff_t distance = std::abs(first - second);
  const bool within = distance <= policy_distance;
  return Verdict{within ? Support::supported : Support::unsupported,
                 pair(driver, rocm) + ": " + std::to_string(distance) +
                     " releases apart, and the policy before 6.4.0 allows two.",
                 matrix_source, Fidelity::documented};
}

const ModuleRelease* find_module(const Version& number) {
  const auto found = std::ranges::find(modules, number, &ModuleRelease::number);
  return found == modules.end() ? nullptr : &*found;
}

/// "01.26.00.04" as its numbers; empty for names such as "BKC 27" or "D3430401-037".
std::vector<int> numbers_of(std::string_view bundle) {
  std::vector<int> numbers;
  while (!bundle.empty()) {
    int value = 0;
    const auto [end, error] = std::from_chars(bundle.data(), bundle.data() + bundle.size(), value);
    if (error != std::errc{}) return {};
    numbers.push_back(value);
    bundle.remove_prefix(static_cast<std::size_t>(end - bundle.data()));
    if (bundle.empty()) break;
    if (bundle.front() != '.') return {};
    bundle.remove_prefix(1);
  }
  return numbers;
}

/// False for what does not compare.
bool not_older(std::string_view bundle, std::string_view than) {
  const auto is = numbers_of(bundle);
  const auto other = numbers_of(than);
  return !is.empty() && !other.empty() && is >= other;
}

}  // namespace

std::optional<Version> parse_version(std::string_view text) {
  std::array<std::optional<std::uint16_t>, 3> parts;
  for (std::size_t i = 0; i < parts.size() && !text.empty(); ++i) {
    std::uint16_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) {
      if (i < 2 || text != "x") return std::nullopt;
      break;
    }
    parts[i] = value;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with('.')) {
      const bool suffix = text.empty() || text.starts_with('-') || text.starts_with('+');
      if (!suffix) return std::nullopt;
      break;
    }
    text.remove_prefix(1);
  }
  if (!parts[0] || !parts[1]) return std::nullopt;
  return Version{*parts[0], *parts[1], parts[2]};
}

std::string to_string(const Version& version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
         (version.patch ? std::to_string(*version.patch) : "x");
}

std::string_view name(Support support) {
  switch (support) {
    case Support::supported:
      return "supported";
    case Support::unsupported:
      return "unsupported";
    case Support::unknown:
      break;
  }
  return "unknown";
}

Verdict verdict(const DriverVersion& driver, const RocmVersion& rocm) {
  for (const auto source : {from_tested_pairs, from_matrix, from_later_drivers, from_policy}) {
    if (auto found = source(driver.release, rocm.release)) return *found;
  }
  return {Support::unknown, pair(driver.release, rocm.release) + ": no document says.", "",
          Fidelity::assumed};
}

std::span<const ModuleRelease> module_releases() { return modules; }

std::vector<DriverVersion> releases_of(const ModuleVersion& module) {
  const ModuleRelease* known = find_module(module.number);
  if (known == nullptr) return {};
  std::vector<DriverVersion> found;
  for (const Version& release : versions(known->releases)) found.push_back({release});
  return found;
}

Verdict verdict(const ModuleVersion& module, const RocmVersion& rocm) {
  const std::vector<DriverVersion> releases = releases_of(module);
  const std::string subject = "amdgpu module " + to_string(module.number);
  if (releases.empty()) {
    return {Support::unknown, subject + ": its driver release is not known.", "",
            Fidelity::assumed};
  }
  const Fidelity placed = find_module(module.number)->fidelity;
  Verdict first = verdict(releases.front(), rocm);
  const bool agree = std::ranges::all_of(releases, [&](const DriverVersion& release) {
    return verdict(release, rocm).support == first.support;
  });
  if (!agree) {
    return {Support::unknown, subject + ": its driver release is not known well enough.", "",
            Fidelity::assumed};
  }
  first.reason = subject + ": " + first.reason;
  first.fidelity = weaker(first.fidelity, placed);
  return first;
}

std::span<const FirmwareBundle> firmware_bundles() { return bundles; }

std::vector<FirmwareBundle> firmware_bundles_of(std::string_view product) {
  std::vector<FirmwareBundle> found;
  std::ranges::copy_if(bundles, std::back_inserter(found), [&](const FirmwareBundle& bundle) {
    const std::vector<std::string_view> products = words(bundle.products);
    return std::ranges::find(products, product) != products.end();
  });
  return found;
}

Verdict firmware_verdict(std::string_view product, std::string_view bundle) {
  const std::string subject = std::string(product) + " with firmware " + std::string(bundle);
  std::string named;
  std::string_view source;
  bool older_than_a_minimum = false;
  for (const FirmwareBundle& known : firmware_bundles_of(product)) {
    source = source.empty() ? known.source : source;
    for (std::string_view rest = known.versions; !rest.empty();) {
      const std::size_t end = rest.find("; ");
      const std::string_view one = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
      const bool or_later = one.find("or later") != std::string_view::npos;
      const std::string_view version = one.substr(0, one.find(" (or later)"));
      if (version == bundle || (or_later && not_older(bundle, version))) {
        return {Support::supported,
                subject + ": accepted by the " + std::string(known.context) + ".", known.source,
                Fidelity::documented};
      }
      older_than_a_minimum = older_than_a_minimum || (or_later && not_older(version, bundle));
      if (named.find(version) == std::string::npos)
        named += (named.empty() ? "" : ", ") + std::string(one);
    }
  }
  if (named.empty())
    return {Support::unknown, subject + ": no document says.", "", Fidelity::assumed};
  return {older_than_a_minimum ? Support::unsupported : Support::unknown,
          subject + ": the documents name " + named + ".", source, Fidelity::documented};
}

Verdict in_tree_verdict(std::string_view gfx, const Version& kernel) {
  const auto known = std::ranges::find(in_tree, gfx, &InTreeKernel::gfx);
  const std::string subject =
      "the driver of kernel " + to_string(kernel) + " with " + std::string(gfx);
  if (known == in_tree.end())
    return {Support::unknown, subject + ": no document says.", "", Fidelity::assumed};
  const bool knows =
      std::pair(kernel.major, kernel.minor) >= std::pair(known->kernel.major, known->kernel.minor);
  return {knows ? Support::supported : Support::unsupported,
          subject + ": mainline knows it since " + to_string(known->kernel) + ".", "",
          known->fidelity};
}

std::vector<Verdict> verdicts(const Combination& what) {
  std::vector<Verdict> found;
  if (!what.firmware.empty()) found.push_back(firmware_verdict(what.product, what.firmware));
  if (what.in_tree && !what.gfx.empty()) found.push_back(in_tree_verdict(what.gfx, *what.in_tree));
  if (what.rocm && what.driver) found.push_back(verdict(*what.driver, *what.rocm));
  if (what.rocm && what.module) found.push_back(verdict(*what.module, *what.rocm));
  return found;
}

Support worst(std::span<const Verdict> all) {
  const auto any = [&](Support support) {
    return std::ranges::any_of(all, [&](const Verdict& is) { return is.support == support; });
  };
  if (any(Support::unsupported)) return Support::unsupported;
  return all.empty() || any(Support::unknown) ? Support::unknown : Support::supported;
}

std::span<const DistroKernel> distro_kernels() { return distros; }
std::span<const InTreeKernel> in_tree_kernels() { return in_tree; }

}  // namespace rocdrill::compat
