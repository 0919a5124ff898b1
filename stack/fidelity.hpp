// How well a figure, a message or an effect is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rocdrill {

/// From the best to the weakest ground. `assumed` stands for every value that nobody has
/// verified: by analogy, from memory, or invented so that a field has a plausible content.
enum class Fidelity : std::uint8_t {
  measured,       ///< captured from real hardware or the real program
  documented,     ///< in a vendor document or in a file that the vendor ships
  kernel_source,  ///< read in the source of the driver or of the runtime
  assumed,
};

inline constexpr std::array all_fidelities{Fidelity::measured, Fidelity::documented,
                                           Fidelity::kernel_source, Fidelity::assumed};

/// "measured", "documented", "kernel-source", "assumed".
constexpr std::string_view name(Fidelity fidelity) {
  constexpr std::array<std::string_view, 4> names{"measured", "documented", "kernel-source",
                                                  "assumed"};
  return names[static_cast<std::size_t>(fidelity)];
}

constexpr std::optional<Fidelity> fidelity_from_name(std::string_view text) {
  for (const Fidelity fidelity : all_fidelities) {
    if (text == name(fidelity)) return fidelity;
  }
  return std::nullopt;
}

/// What a statement that rests on both is worth.
constexpr Fidelity weaker(Fidelity first, Fidelity second) {
  return first < second ? second : first;
}

}  // namespace rocdrill
