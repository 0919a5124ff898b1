// Vector operations against a plain function per lane: on all levels, with each kind of source, on
// random and special values, under several EXEC masks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "machine.hpp"

namespace rocdrill::test {

using u32 = std::uint32_t;
using i32 = std::int32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
using u16 = std::uint16_t;
using i16 = std::int16_t;
using u8 = std::uint8_t;

inline std::vector<isa::Level> levels() {
  std::vector<isa::Level> usable;
  for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512})
    if (level <= isa::best_level()) usable.push_back(level);
  return usable;
}

inline bool has(u64 mask, unsigned lane) { return (mask >> lane & 1) != 0; }

/// One Machine per processor and level: LLVM takes its time to start.
inline Machine& machine(const std::string& processor, isa::Level level) {
  static std::map<std::pair<std::string, isa::Level>, std::unique_ptr<Machine>> machines;
  std::unique_ptr<Machine>& one = machines[{processor, level}];
  if (one == nullptr) one = std::make_unique<Machine>(processor, level);
  return *one;
}

class Inputs {
 public:
  explicit Inputs(unsigned seed) : random_(seed) {}
  u32 dword() {
    static constexpr u32 special[] = {
        0,          1,          2,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x80000001,
        0x8000,     0x7FFF,     0xFFFF,     0x10000,    0xFFFF0000, 0xFFFF8000, 15,
        16,         17,         31,         32,         33,         63,         64,
        0x80,       0x7F,       0xFF,       0xFF00,     0x00800000, 0xFFFFFF,   0x80008000,
        0x7FFF7FFF, 0x00010001, 0x80808080, 0x7F7F7F7F, 0x07060504, 0x0C0B0A09, 0x0D080100,
        0x3F800000, 0x7F800000, 0x7F800001, 0x00000400, 0x88888888, 0x3C00BC00, 0x20};
    const u64 bits = random_();
    if ((bits >> 32 & 3) != 0) return static_cast<u32>(bits);
    return special[bits % std::size(special)];
  }
  u64 qword() { return dword() | u64{dword()} << 32; }
  unsigned below(unsigned count) { return static_cast<unsigned>(random_() % count); }
  u64 mask() { return random_(); }

 private:
  std::mt19937_64 random_;
};

struct Operation {
  std::string mnemonic;
  std::vector<unsigned> dwords;  ///< of each source
  unsigned result_dwords = 1;
  /// `old`: what the result's register held.
  std::function<u64(u64 a, u64 b, u64 c, u64 old)> reference;
  std::string suffix{};  ///< behind the operands: " clamp"
  std::string processor = "gfx90a";
  std::string literal{};  ///< for src0: VOP1 and VOP2 may have one
};

namespace detail {

inline std::string registers(char file, unsigned first, unsigned count) {
  if (count == 1) return file + std::to_string(first);
  return std::string(1, file) + "[" + std::to_string(first) + ":" +
         std::to_string(first + count - 1) + "]";
}

constexpr unsigned copies = 6;  ///< of an instruction, each with registers of its own
constexpr unsigned stride = 10;
constexpr unsigned result_at = 6;

/// What stands for a VGPR in a form; other operands are scalars or constants.
inline const std::string vector = "V";

inline std::vector<std::vector<std::string>> forms(const Operation& op) {
  const std::size_t count = op.dwords.size();
  std::vector<std::vector<std::string>> all{std::vector<std::string>(count, vector)};
  for (std::size_t n = 0; n < count; ++n) {
    for (const char* other : {"S", "-7", "33"}) {
      all.emplace_back(count, vector);
      all.back()[n] = other;
    }
  }
  if (!op.literal.empty()) {
    all.emplace_back(count, vector);
    all.back()[0] = op.literal;
  }
  return all;
}

inline void check(const Operation& op, const std::vector<std::string>& form, isa::Level level,
                  u64 exec, Inputs& inputs) {
  Machine& m = machine(op.processor, level);
  std::string text;
  for (unsigned copy = 0; copy < copies; ++copy) {
    const unsigned base = copy * stride;
    text += op.mnemonic + " " + registers('v', base + result_at, op.result_dwords);
    for (std::size_t n = 0; n < form.size(); ++n) {
      const unsigned at = base + 2 * static_cast<unsigned>(n);
      text += ", " + (form[n] == vector ? registers('v', at, op.dwords[n])
                      : form[n] == "S"  ? registers('s', 20, op.dwords[n])
                                        : form[n]);
    }
    text += op.suffix + "\n";
  }
  for (unsigned r = 0; r < copies * stride; ++r)
    for (unsigned lane = 0; lane < 64; ++lane) m.v(r)[lane] = inputs.dword();
  m.s(20) = inputs.dword();
  m.s(21) = inputs.dword();
  std::vector<Lanes> before;
  for (unsigned r = 0; r < copies * stride; ++r) before.push_back(m.lanes(r));
  m.wave().set_exec(exec);
  ASSERT_EQ(m.run(text), isa::Stop::ended)
      << text << (m.wave().unmodelled != nullptr ? m.wave().unmodelled : "");
  for (unsigned r = 0; r < copies * stride; ++r) {
    const unsigned base = r / stride * stride;
    const unsigned which = r - base - result_at;  // dword of the result
    const bool written = r - base >= result_at && which < op.result_dwords;
    for (unsigned lane = 0; lane < 64; ++lane) {
      const auto pair = [&](unsigned at, unsigned dwords) {
        return dwords == 1 ? before[at][lane] : before[at][lane] | u64{before[at + 1][lane]} << 32;
      };
      u64 values[3] = {};
      for (std::size_t n = 0; n < form.size(); ++n) {
        const unsigned dwords = op.dwords[n];
        u64 value = 0;
        if (form[n] == vector) {
          value = pair(base + 2 * static_cast<unsigned>(n), dwords);
        } else if (form[n] == "S") {
          value = m.s(20) | (dwords == 2 ? u64{m.s(21)} << 32 : 0);
        } else {
          value = static_cast<u64>(std::stoll(form[n], nullptr, 0));
          if (dwords == 1) value = static_cast<u32>(value);
        }
        values[n] = value;
      }
      u32 expected = before[r][lane];
      if (written && has(exec, lane))
        expected = static_cast<u32>(op.reference(values[0], values[1], values[2],
                                                 pair(base + result_at, op.result_dwords)) >>
                                    (32 * which));
      ASSERT_EQ(m.v(r)[lane], expected)
          << isa::name(level) << ": " << text.substr(0, text.find('\n')) << std::hex << " lane "
          << lane << " of " << values[0] << ", " << values[1] << ", " << values[2] << " exec "
          << exec << " v" << std::dec << r;
    }
  }
}

}  // namespace detail

inline void check(const Operation& op) {
  Inputs inputs(static_cast<unsigned>(std::hash<std::string>()(op.mnemonic + op.suffix)));
  for (const isa::Level level : levels())
    for (const std::vector<std::string>& form : detail::forms(op))
      for (const u64 exec : {~u64{0}, inputs.mask()}) {
        detail::check(op, form, level, exec, inputs);
        if (testing::Test::HasFatalFailure()) return;
      }
}

}  // namespace rocdrill::test
