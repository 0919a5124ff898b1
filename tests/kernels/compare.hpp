// What the GPU made of an array against what the twin made of it.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "kernels/trial.hpp"

namespace rocdrill::test {

namespace detail {

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, Half>;

template <std::size_t bytes>
using Bits = std::conditional_t<
    bytes == 1, std::uint8_t,
    std::conditional_t<bytes == 2, std::uint16_t,
                       std::conditional_t<bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
Bits<sizeof(T)> bits(T value) {
  return std::bit_cast<Bits<sizeof(T)>>(value);
}

/// Floats by rank: neighbours differ by 1, both zeros are 0.
template <class T>
std::int64_t rank(T value) {
  constexpr Bits<sizeof(T)> sign = Bits<sizeof(T)>{1} << (sizeof(T) * 8 - 1);
  const auto raw = bits(value);
  const auto size = static_cast<std::int64_t>(raw & static_cast<Bits<sizeof(T)>>(~sign));
  return (raw & sign) != 0 ? -size : size;
}

template <class T>
bool is_nan(T value) {
  if constexpr (is_float<T>) return value != value;
  return false;
}

template <class T>
std::string show(T value) {
  std::ostringstream out;
  if constexpr (is_float<T>) {
    out << std::setprecision(17) << static_cast<double>(value);
  } else {
    out << +value;
  }
  out << " (0x" << std::hex << +bits(value) << ')';
  return out.str();
}

/// Fails with the first element that `agree` does not accept.
template <class T, class Agree>
void check(const char* name, Array<T>& array, Agree agree) {
  const auto device = array.device();
  const auto twin = array.twin();
  std::size_t first = 0;
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < twin.size(); ++n)
    if (!agree(device[n], twin[n]) && wrong++ == 0) first = n;
  if (wrong == 0) return;
  ADD_FAILURE() << name << '[' << first << "]: the GPU has " << show(device[first]) << ", the twin "
                << show(twin[first]) << "; " << wrong << " of " << twin.size() << " differ";
}

}  // namespace detail

/// Bit for bit; of a NaN the payload is free.
template <class T>
void expect_same(const char* name, Array<T>& array) {
  detail::check(name, array, [](T a, T b) {
    return detail::bits(a) == detail::bits(b) || (detail::is_nan(a) && detail::is_nan(b));
  });
}

/// Within so many units in the last place; zeros are equal.
template <class T>
void expect_close(const char* name, Array<T>& array, std::int64_t ulps) {
  detail::check(name, array, [ulps](T a, T b) {
    if (detail::is_nan(a) || detail::is_nan(b)) return detail::is_nan(a) && detail::is_nan(b);
    const std::int64_t x = detail::rank(a), y = detail::rank(b);
    return x > y ? x - y <= ulps : y - x <= ulps;
  });
}

/// Within an absolute error, for sums whose terms cancel.
template <class T>
void expect_near(const char* name, Array<T>& array, double error) {
  detail::check(name, array, [error](T a, T b) {
    if (detail::is_nan(a) || detail::is_nan(b)) return detail::is_nan(a) && detail::is_nan(b);
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <= error;
  });
}

}  // namespace rocdrill::test
