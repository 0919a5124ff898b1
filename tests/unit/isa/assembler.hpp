// AMDGPU assembly -> code, with LLVM's own assembler in process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rocdrill::test {

/// For one processor ("gfx90a").
class Assembler {
 public:
  explicit Assembler(std::string processor);
  /// The bytes of .text. Throws std::runtime_error with the assembler's own words.
  std::vector<std::byte> assemble(std::string_view text) const;

 private:
  std::string processor_;
};

}  // namespace rocdrill::test
