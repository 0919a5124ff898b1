// Kernel arguments as people write them.
//
//   7  0x10  -2.5            a scalar of the argument's own type
//   f32:2.5  u64:7           a scalar of this type
//   f32[1024]                a buffer of 1024 zeros
//   f32[1024]=iota           0, 1, 2, ...; also zero, one, random, random:SEED, a number, @FILE
//   lds:4096                 4096 bytes of dynamic LDS (a __local pointer of OpenCL)
//   null                     a null pointer
// Types: i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workbench/workbench.hpp"

namespace rocdrill::workbench {

enum class Element { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };
std::string_view name(Element element);
std::size_t bytes_of(Element element);

struct Argument {
  std::vector<std::byte> bytes;  ///< of the kernarg segment
  bool is_buffer = false;
  Buffer buffer;
  Element element = Element::u32;
  std::size_t count = 0;
  std::uint64_t lds = 0;  ///< bytes that it adds to the dynamic LDS
};

/// `lds_offset`: where dynamic LDS begins for this argument. The error is one sentence.
std::expected<Argument, std::string> parse_argument(std::string_view text,
                                                    const code_objects::KernelArgument& wanted,
                                                    Workbench& bench, std::uint64_t lds_offset);

/// Element `index` of a buffer as text.
std::string element_text(const Argument& argument, std::size_t index);

/// IEEE half precision, rounded to nearest even.
std::uint16_t to_half(float value);
float from_half(std::uint16_t bits);

}  // namespace rocdrill::workbench
