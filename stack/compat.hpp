// Which kernel driver works with which ROCm user space, firmware bundle and distribution, as AMD's
// documents say it. What no document says is `unknown`: nothing is extrapolated.
//
// The driver (KMD) was numbered like ROCm up to 6.4 and has its own line from 30.10 on. The module
// that it builds has a third number (/sys/module/amdgpu/version), which releases_of() maps back.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/fidelity.hpp"

namespace rocdrill::compat {

/// Major, minor, patch. A release line such as "6.3.x" is a version without a patch.
struct Version {
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
  std::optional<std::uint16_t> patch;

  /// Same major and minor: 6.3.1 is of line 6.3.
  constexpr bool same_line(const Version& other) const {
    return major == other.major && minor == other.minor;
  }
  friend constexpr auto operator<=>(const Version&, const Version&) = default;
};

/// "6.3.x", "6.3", "6.3.1"; further parts and suffixes are ignored ("7.1.3.31500000",
/// "6.16.13-2278356.24.04"). nullopt for anything else.
std::optional<Version> parse_version(std::string_view text);
/// "6.3.1", or "6.3.x" for a line.
std::string to_string(const Version& version);

/// Three numbers that look alike and must not be mixed up.
struct DriverVersion {
  Version release;  ///< "6.3.3", "30.10.1"
};
struct ModuleVersion {
  Version number;  ///< "6.10.5", "6.12.12"
};
struct RocmVersion {
  Version release;  ///< "6.3.3", "7.0.2"
};

enum class Support : std::uint8_t { supported, unsupported, unknown };

/// "supported", "unsupported", "unknown".
std::string_view name(Support support);

struct Verdict {
  Support support = Support::unknown;
  std::string reason;       ///< a sentence for people
  std::string_view source;  ///< document, or "" if there is none
  Fidelity fidelity = Fidelity::assumed;
};

/// The pair of driver and user space. In this order:
/// the table of tested pairs (exact versions, up to 5.7); the compatibility table by lines (drivers
/// 5.3 to 30.10, ROCm 5.1 to 7.0); the rows of later drivers; the policy of two releases before
/// and after, where both are older than 6.4.0. Anything else is unknown.
Verdict verdict(const DriverVersion& driver, const RocmVersion& rocm);

/// A module's number that has been seen, and the driver releases that it may belong to (none where
/// nobody has placed it).
struct ModuleRelease {
  Version number;
  std::string_view releases;  ///< space-separated lines: "30.20.x 30.30.x"
  std::string_view note;
  Fidelity fidelity = Fidelity::assumed;
};
std::span<const ModuleRelease> module_releases();
/// Empty for a number that is not in the table; no neighbour is tried.
std::vector<DriverVersion> releases_of(const ModuleVersion& module);

/// As above for every release that the module may belong to. Supported or unsupported if that holds
/// for all of them, else unknown.
Verdict verdict(const ModuleVersion& module, const RocmVersion& rocm);

/// Firmware bundle (PLDM, IFWI, VBIOS) versions that a revision of the documents accepts.
struct FirmwareBundle {
  std::string_view products;  ///< space-separated catalogue keys
  std::string_view context;   ///< which revision, or which feature
  std::string_view versions;  ///< "01.26.00.04 (or later); 01.25.06.05"
  bool newest = false;        ///< the newest revision of the documents
  std::string_view source;
};
std::span<const FirmwareBundle> firmware_bundles();
std::vector<FirmwareBundle> firmware_bundles_of(std::string_view product);

/// A distribution and kernel that a generation of ROCm supports.
struct DistroKernel {
  std::string_view distro;  ///< "Ubuntu 24.04.4"
  std::string_view gpus;    ///< as the document words it
  std::string_view kernel;  ///< "GA 6.8"; empty in the old matrices
  std::string_view rocm;    ///< generation of ROCm
  std::string_view source;
};
std::span<const DistroKernel> distro_kernels();

/// First mainline kernel whose amdgpu knows a target. None of these is verified.
struct InTreeKernel {
  std::string_view gfx;
  Version kernel;
  Fidelity fidelity = Fidelity::assumed;
};
std::span<const InTreeKernel> in_tree_kernels();

/// Whether the documents name this bundle for the product. An older bundle than all that they name
/// is unsupported where "or later" was said of a version that compares with it, else unknown.
Verdict firmware_verdict(std::string_view product, std::string_view bundle);

/// Whether a mainline kernel's own amdgpu knows the target; nothing better than assumed.
Verdict in_tree_verdict(std::string_view gfx, const Version& kernel);

/// What is installed on one node, as far as it is known.
struct Combination {
  std::string product;                  ///< catalogue key; "" : not asked
  std::string gfx;                      ///< "gfx942"
  std::string firmware;                 ///< bundle; "" : not asked
  std::optional<DriverVersion> driver;  ///< by release, or
  std::optional<ModuleVersion> module;  ///< by what it built, or
  std::optional<Version> in_tree;       ///< the kernel, for its own driver
  std::optional<RocmVersion> rocm;
};

/// One verdict for each part of it that can be judged; the combination is as good as the worst:
/// unsupported, then unknown, then supported.
std::vector<Verdict> verdicts(const Combination& combination);
Support worst(std::span<const Verdict> verdicts);

}  // namespace rocdrill::compat
