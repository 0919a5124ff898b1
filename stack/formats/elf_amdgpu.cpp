#include "stack/formats/elf_amdgpu.hpp"

#include <stdexcept>

namespace rocdrill::elf_amdgpu {
namespace {

using Feature = TargetId::Feature;

constexpr std::uint8_t newest_abi_version = 4;

Feature feature_v4(std::uint32_t e_flags, std::uint32_t shift) {
  return static_cast<Feature>(e_flags >> shift & flag_feature_mask);
}

Feature feature_v3(bool has, bool set) {
  if (!has) return Feature::unsupported;
  return set ? Feature::on : Feature::off;
}

std::uint32_t bit_v3(Feature feature, std::uint32_t bit) {
  if (feature == Feature::any)
    throw std::invalid_argument("code object v3 cannot leave a target feature open");
  return feature == Feature::on ? bit : 0;
}

}  // namespace

std::optional<unsigned> code_object_version(std::uint8_t abi_version) {
  if (abi_version > newest_abi_version) return std::nullopt;
  return abi_version + 2u;
}

std::uint8_t abi_version(unsigned code_object_version) {
  if (code_object_version < 2 || code_object_version > 6)
    throw std::invalid_argument("no code object version " + std::to_string(code_object_version));
  return static_cast<std::uint8_t>(code_object_version - 2);
}

std::expected<Target, FlagsError> decode(std::uint32_t e_flags, std::uint8_t abi_version) {
  const auto version = code_object_version(abi_version);
  if (!version)
    return std::unexpected(FlagsError{
        FlagsError::Kind::unknown_abi,
        "ELF ABI version " + std::to_string(abi_version) + " is newer than code object v6"});
  if (*version == 2)
    return std::unexpected(FlagsError{FlagsError::Kind::unmodelled_v2,
                                      "code object v2 (ELF ABI version 0) is not modelled"});
  const Processor* processor = find_processor_by_mach(e_flags & flag_mach);
  if (processor == nullptr)
    return std::unexpected(FlagsError{FlagsError::Kind::unknown_mach,
                                      "e_flags name no known processor (EF_AMDGPU_MACH " +
                                          std::to_string(e_flags & flag_mach) + ")"});

  Target target{{std::string(processor->name)}, *version, 0};
  if (*version == 3) {
    target.id.xnack = feature_v3(processor->xnack, (e_flags & flag_xnack_v3) != 0);
    target.id.sramecc = feature_v3(processor->sramecc, (e_flags & flag_sramecc_v3) != 0);
    return target;
  }
  target.id.xnack = feature_v4(e_flags, flag_xnack_shift);
  target.id.sramecc = feature_v4(e_flags, flag_sramecc_shift);
  if (*version >= 6) target.generic_version = e_flags >> flag_generic_shift;
  return target;
}

std::uint32_t encode(const Target& target) {
  const Processor* processor = find_processor(target.id.processor);
  if (processor == nullptr)
    throw std::invalid_argument("unknown processor '" + target.id.processor + "'");
  std::uint32_t e_flags = processor->mach;
  if (target.code_object_version <= 3)
    return e_flags | bit_v3(target.id.xnack, flag_xnack_v3) |
           bit_v3(target.id.sramecc, flag_sramecc_v3);
  e_flags |= static_cast<std::uint32_t>(target.id.xnack) << flag_xnack_shift;
  e_flags |= static_cast<std::uint32_t>(target.id.sramecc) << flag_sramecc_shift;
  if (target.code_object_version >= 6) e_flags |= target.generic_version << flag_generic_shift;
  return e_flags;
}

}  // namespace rocdrill::elf_amdgpu
