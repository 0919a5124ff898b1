// What somebody may have meant who made a slip of the pen.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace rocdrill {

/// "did you mean 'brief'?" if a candidate is close to `word`, else "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
/// did_you_mean, or else "known <noun>: a, b, c".
std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view noun);

}  // namespace rocdrill
