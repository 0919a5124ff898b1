// Encoded instructions -> Instruction, through LLVM's MC disassembler, which stays behind this
// header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/silicon/isa/semantics.hpp"

namespace rocdrill::isa {

/// Two lines of 64 bytes: the low dword of a constant 16 times, then the high one.
struct alignas(64) ConstantLines {
  std::uint32_t low[16];
  std::uint32_t high[16];
};

/// Code that lies in one piece, decoded from its first byte on. Never changes once it is made.
struct Fragment {
  std::uint64_t begin = 0;  ///< VA
  std::uint64_t end = 0;    ///< of the last instruction's encoding
  /// The last one leaves the fragment: it goes on at `end`.
  std::vector<Instruction> code;
  std::vector<std::uint32_t> index_of;  ///< of (va - begin) / 4; none: not the start of one
  std::vector<ConstantLines> constants;
  std::vector<std::string> unmodelled;  ///< texts for Wave::unmodelled, by Instruction::immediate
  std::vector<std::byte> bytes;         ///< what was decoded, to see whether it has changed
  std::uint32_t vgprs = 0;              ///< that it names: the highest number + 1
  std::uint32_t agprs = 0;

  static constexpr std::uint32_t none = 0xFFFFFFFF;
  std::uint64_t va(const Instruction* instruction) const {
    return begin + instruction->code_offset;
  }
  /// nullptr if no instruction starts there.
  const Instruction* at(std::uint64_t address) const {
    if (address < begin || address >= end || (address - begin) % 4 != 0) return nullptr;
    const std::uint32_t index = index_of[(address - begin) / 4];
    return index == none ? nullptr : &code[index];
  }
};

/// For one processor. Not thread-safe.
class Decoder {
 public:
  /// `processor`: "gfx90a". Throws std::invalid_argument for one that LLVM does not know.
  explicit Decoder(std::string_view processor, Level level = best_level());
  ~Decoder();
  Decoder(Decoder&&) noexcept;

  /// Decodes from the first byte to the end of the code that belongs together: behind an
  /// instruction after which nothing goes on and to which no earlier branch jumps over. `bytes` end
  /// where the mapping does. An illegal encoding becomes an instruction that raises the exception.
  std::unique_ptr<Fragment> decode(std::span<const std::byte> bytes, std::uint64_t va);

  struct Text {
    std::string text;      ///< "v_add_f32_e32 v0, v1, v2", as llvm-objdump prints it
    std::string mnemonic;  ///< without the suffix of its encoding
    unsigned bytes = 4;
    bool legal = true;
    bool executed = true;  ///< rocdrill has semantics for it
  };
  /// Of the first instruction.
  Text disassemble(std::span<const std::byte> bytes, std::uint64_t va);

  const std::string& processor() const;

 private:
  struct Llvm;
  std::unique_ptr<Llvm> llvm_;
  Level level_;
};

/// Is the target executed at all? gfx900, gfx906, gfx908, gfx90a, gfx940 to gfx942.
bool executes(std::string_view processor);

}  // namespace rocdrill::isa
