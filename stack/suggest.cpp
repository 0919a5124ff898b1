#include "stack/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace rocdrill {
namespace {

/// Longer words are no slips of the pen; the bound keeps the comparison cheap.
constexpr std::size_t longest_word = 40;

/// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours.
std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::vector<std::size_t>> cost(left.size() + 1,
                                             std::vector<std::size_t>(right.size() + 1));
  for (std::size_t i = 0; i <= left.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= right.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const bool same = left[i - 1] == right[j - 1];
      std::size_t best =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        best = std::min(best, cost[i - 2][j - 2] + 1);
      }
      cost[i][j] = best;
    }
  }
  return cost[left.size()][right.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string* best = nullptr;
  // A third of the letters may be wrong, but at least one.
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_word) continue;
    const std::size_t off = distance(word, candidate);
    if (off < best_distance) {
      best = &candidate;
      best_distance = off;
    }
  }
  return best == nullptr ? std::string() : fmt::format("did you mean '{}'?", *best);
}

std::string suggest(std::string_view word, std::span<const std::string> candidates,
                    std::string_view noun) {
  std::string hint = did_you_mean(word, candidates);
  if (!hint.empty()) return hint;
  if (candidates.empty()) return fmt::format("there are no {}", noun);
  return fmt::format("known {}: {}", noun, fmt::join(candidates, ", "));
}

}  // namespace rocdrill
