// AMDGPU target IDs: "gfx90a:sramecc+:xnack-", alone or as an ISA name
// ("amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"), and which code runs on which agent.
//
// Sources: LLVM AMDGPUUsage "Target ID" and "AMDGPU Generic Processors" (LLVM 20); clang's
// TargetID.cpp; ROCr isa.cpp (Isa::IsCompatible); comgr-metadata.cpp (isCompatibleIsaName).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rocdrill {

/// What the compiler knows of a processor. Fidelity: documented (AMDGPUUsage, EF_AMDGPU_MACH).
struct Processor {
  std::string_view name;     ///< "gfx90a", "gfx11-generic"
  std::uint8_t mach;         ///< EF_AMDGPU_MACH_AMDGCN_*
  bool xnack;                ///< the target has the feature
  bool sramecc;              ///< the target has the feature
  std::string_view generic;  ///< the generic target that covers it; empty if none

  bool is_generic() const { return name.ends_with("-generic"); }
};

std::span<const Processor> processors();
const Processor* find_processor(std::string_view name);       ///< nullptr: unknown
const Processor* find_processor_by_mach(std::uint32_t mach);  ///< nullptr: unknown

struct TargetIdError {
  enum class Kind : std::uint8_t {
    empty,
    triple,  ///< not amdgcn-amd-amdhsa
    unknown_processor,
    malformed_feature,  ///< no name, or no sign
    repeated_feature,
    unsupported_feature,  ///< the processor does not have it
  };
  Kind kind = Kind::empty;
  std::size_t offset = 0;  ///< of the offending part in the text
  std::string message;     ///< clang's "invalid target ID '...'; format is ..."
  std::string detail;      ///< what exactly is wrong: "gfx1100 has no feature 'xnack'"
};

struct TargetId {
  /// The numbers are those of the ELF flags of code object v4 and later. `any`: the text names
  /// no sign, so that the code works in both modes.
  enum class Feature : std::uint8_t { unsupported = 0, any = 1, off = 2, on = 3 };

  std::string processor;
  Feature xnack = Feature::unsupported;
  Feature sramecc = Feature::unsupported;

  bool operator==(const TargetId&) const = default;

  /// "gfx90a:sramecc+:xnack-": features in clang's canonical order, `any` not printed.
  std::string text() const;
  /// The HSA ISA name: "amdgcn-amd-amdhsa--" and text().
  std::string isa_name() const;

  /// Accepts both forms, and "unknown" for the empty environment (LLVM 20 writes it). Features
  /// may come in any order. Features that the text leaves out are `any` or `unsupported`.
  static std::expected<TargetId, TargetIdError> parse(std::string_view text);
};

std::string_view name(TargetId::Feature feature);  ///< "any", "off", "on", "unsupported"

/// Why a code object does or does not fit an agent.
enum class TargetMatch : std::uint8_t {
  ok,
  other_processor,
  xnack_mismatch,
  sramecc_mismatch,
  generic_too_old,  ///< generic code object below the version that the runtime wants
  malformed,        ///< one of the two is no target ID
};

std::string_view name(TargetMatch match);

struct Compatibility {
  TargetMatch match = TargetMatch::malformed;
  std::string text;  ///< one sentence for people

  explicit operator bool() const { return match == TargetMatch::ok; }
};

/// The rule of ROCr, comgr and HIP: same processor, or the generic target that covers the
/// agent's; a feature that the code object leaves open fits both modes, on and off must equal
/// the agent's. An agent has no open features: `any` there fits only `any`.
Compatibility compatible(const TargetId& code_object, const TargetId& agent);
/// The same for texts; unparsable ones are `malformed`, except that a processor that this table
/// does not know is `other_processor`, as it cannot be the agent's.
Compatibility compatible(std::string_view code_object, std::string_view agent);

}  // namespace rocdrill
