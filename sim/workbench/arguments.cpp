#include "sim/workbench/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>

namespace rocdrill::workbench {
namespace {

struct Type {
  Element element;
  std::string_view name;
  std::size_t bytes;
};
constexpr Type types[] = {
    {Element::i8, "i8", 1},   {Element::u8, "u8", 1},   {Element::i16, "i16", 2},
    {Element::u16, "u16", 2}, {Element::i32, "i32", 4}, {Element::u32, "u32", 4},
    {Element::i64, "i64", 8}, {Element::u64, "u64", 8}, {Element::f16, "f16", 2},
    {Element::f32, "f32", 4}, {Element::f64, "f64", 8}};

const Type& type_of(Element element) { return *std::ranges::find(types, element, &Type::element); }

std::optional<Element> find_type(std::string_view name) {
  const auto* at = std::ranges::find(types, name, &Type::name);
  return at == std::end(types) ? std::nullopt : std::optional(at->element);
}

bool is_float(Element element) {
  return element == Element::f16 || element == Element::f32 || element == Element::f64;
}

std::optional<double> parse_float(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() || *end != '\0' ? std::nullopt : std::optional(value);
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return negative ? 0 - value : value;
}

void put(std::byte* to, Element element, double value) {
  const auto store = [to](auto number) { std::memcpy(to, &number, sizeof number); };
  const auto whole = [value](auto like) { return static_cast<decltype(like)>(value); };
  switch (element) {
    case Element::i8:
      return store(whole(std::int8_t{}));
    case Element::u8:
      return store(whole(std::uint8_t{}));
    case Element::i16:
      return store(whole(std::int16_t{}));
    case Element::u16:
      return store(whole(std::uint16_t{}));
    case Element::i32:
      return store(whole(std::int32_t{}));
    case Element::u32:
      return store(whole(std::uint32_t{}));
    case Element::i64:
      return store(whole(std::int64_t{}));
    case Element::u64:
      return store(whole(std::uint64_t{}));
    case Element::f16:
      return store(to_half(static_cast<float>(value)));
    case Element::f32:
      return store(static_cast<float>(value));
    case Element::f64:
      return store(value);
  }
}

std::expected<void, std::string> put_text(std::byte* to, Element element, const std::string& text) {
  if (is_float(element)) {
    const auto value = parse_float(text);
    if (!value) return std::unexpected("'" + text + "' is no number");
    put(to, element, *value);
    return {};
  }
  const auto value = parse_integer(text);
  if (!value) return std::unexpected("'" + text + "' is no whole number");
  const std::size_t bytes = type_of(element).bytes;
  const std::uint64_t sign = bytes == 8 ? 0 : ~std::uint64_t{0} << (8 * bytes);
  if (bytes < 8 && (*value & sign) != 0 && (*value & sign) != sign)
    return std::unexpected(fmt::format("'{}' does not fit into {} bytes", text, bytes));
  std::memcpy(to, &*value, bytes);  // little endian
  return {};
}

std::expected<void, std::string> fill_from_file(const Argument& argument, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected("cannot read '" + path + "'");
  const std::vector<char> content((std::istreambuf_iterator<char>(file)), {});
  const std::span<std::byte> bytes = argument.buffer.bytes();
  if (content.size() != bytes.size())
    return std::unexpected(
        fmt::format("'{}' has {} bytes, the buffer {}", path, content.size(), bytes.size()));
  std::memcpy(bytes.data(), content.data(), content.size());
  return {};
}

std::expected<void, std::string> fill(const Argument& argument, const std::string& how) {
  const std::size_t size = type_of(argument.element).bytes;
  std::byte* at = argument.buffer.bytes().data();
  const auto each = [&](auto value_of) {
    for (std::size_t n = 0; n < argument.count; ++n)
      put(at + n * size, argument.element, static_cast<double>(value_of(n)));
  };
  if (how == "zero") return {};
  if (how == "one") {
    each([](std::size_t) { return 1; });
    return {};
  }
  if (how == "iota") {
    each([](std::size_t n) { return n; });
    return {};
  }
  if (how.starts_with('@')) return fill_from_file(argument, how.substr(1));
  if (how == "random" || how.starts_with("random:")) {
    std::uint64_t seed = 1;
    if (how.size() > 6) {
      const auto given = parse_integer(std::string_view(how).substr(7));
      if (!given) return std::unexpected("'" + how + "': the seed is no whole number");
      seed = *given;
    }
    std::mt19937_64 numbers(seed);
    if (is_float(argument.element)) {
      std::uniform_real_distribution<double> between(-1, 1);
      each([&](std::size_t) { return between(numbers); });
    } else {
      for (std::size_t n = 0; n < argument.count; ++n) {
        const std::uint64_t value = numbers();
        std::memcpy(at + n * size, &value, size);
      }
    }
    return {};
  }
  for (std::size_t n = 0; n < argument.count; ++n)
    if (auto done = put_text(at + n * size, argument.element, how); !done) return done;
  return {};
}

std::vector<std::byte> pointer_bytes(std::uint64_t va, std::size_t bytes) {
  std::vector<std::byte> out(bytes);
  std::memcpy(out.data(), &va, std::min<std::size_t>(bytes, sizeof va));
  return out;
}

std::expected<Argument, std::string> parse_buffer(std::string_view text, Element element,
                                                  std::size_t bracket,
                                                  const code_objects::KernelArgument& wanted,
                                                  Workbench& bench) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
  const std::size_t close = text.find(']', bracket);
  if (close == std::string_view::npos) return std::unexpected("a ']' is missing");
  const auto count = parse_integer(text.substr(bracket + 1, close - bracket - 1));
  if (!count || *count == 0 || *count > most_bytes / bytes_of(element))
    return std::unexpected("the number of elements is not between 1 and what memory holds");
  if (wanted.size != 8)
    return std::unexpected(
        fmt::format("the kernel takes {} bytes here, no pointer to a buffer", wanted.size));
  Argument argument;
  argument.is_buffer = true;
  argument.element = element;
  argument.count = *count;
  argument.buffer = bench.allocate(*count * bytes_of(element));
  const std::string_view rest = text.substr(close + 1);
  if (!rest.empty()) {
    if (!rest.starts_with('=')) return std::unexpected("after ']' comes '=' or nothing");
    if (auto filled = fill(argument, std::string(rest.substr(1))); !filled)
      return std::unexpected(filled.error());
  }
  argument.bytes = pointer_bytes(argument.buffer.va(), 8);
  return argument;
}

/// The type that metadata gives a scalar; without a name floating-point text decides.
std::optional<Element> own_type(const code_objects::KernelArgument& wanted, std::string_view text) {
  const std::string& type = wanted.type_name;
  const bool real = type.empty() ? !parse_integer(text) && parse_float(std::string(text))
                                 : type == "float" || type == "double" || type == "half";
  switch (wanted.size) {
    case 1:
      return Element::u8;
    case 2:
      return real ? Element::f16 : Element::u16;
    case 4:
      return real ? Element::f32 : Element::u32;
    case 8:
      return real ? Element::f64 : Element::u64;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string_view name(Element element) { return type_of(element).name; }
std::size_t bytes_of(Element element) { return type_of(element).bytes; }

std::uint16_t to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const float size = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00u);
  if (size >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7C00u);
  const int exponent = size < 0x1p-14f ? -14 : std::ilogb(size);
  // In units of the last place; rounding up may carry into the exponent, which is right.
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  const auto biased = static_cast<std::uint32_t>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | (size < 0x1p-14f ? units : biased + units));
}

float from_half(std::uint16_t bits) {
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  const int exponent = bits >> 10 & 31;
  const auto fraction = static_cast<float>(bits & 1023u);
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024.0f, exponent - 25);
}

std::expected<Argument, std::string> parse_argument(std::string_view text,
                                                    const code_objects::KernelArgument& wanted,
                                                    Workbench& bench, std::uint64_t lds_offset) {
  Argument argument;
  if (text == "null") {
    argument.bytes = pointer_bytes(0, wanted.size);
    return argument;
  }
  if (text.starts_with("lds:")) {
    const auto bytes = parse_integer(text.substr(4));
    if (!bytes || *bytes == 0 || *bytes > 65536)
      return std::unexpected("dynamic LDS is between 1 and 65536 bytes");
    argument.lds = *bytes;
    argument.bytes = pointer_bytes(lds_offset, wanted.size);
    return argument;
  }
  if (const std::size_t bracket = text.find('['); bracket != std::string_view::npos) {
    const auto element = find_type(text.substr(0, bracket));
    if (!element)
      return std::unexpected(
          fmt::format("'{}' is no type (i8 to u64, f16, f32, f64)", text.substr(0, bracket)));
    return parse_buffer(text, *element, bracket, wanted, bench);
  }
  std::optional<Element> element = own_type(wanted, text);
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    element = find_type(text.substr(0, colon));
    if (!element)
      return std::unexpected(
          fmt::format("'{}' is no type (i8 to u64, f16, f32, f64)", text.substr(0, colon)));
    text.remove_prefix(colon + 1);
    if (bytes_of(*element) != wanted.size)
      return std::unexpected(fmt::format("the kernel takes {} bytes here, {} has {}", wanted.size,
                                         name(*element), bytes_of(*element)));
  }
  if (!element)
    return std::unexpected(
        fmt::format("the kernel takes {} bytes here: no scalar that can be written", wanted.size));
  argument.bytes.resize(wanted.size);
  if (auto done = put_text(argument.bytes.data(), *element, std::string(text)); !done)
    return std::unexpected(done.error());
  return argument;
}

std::string element_text(const Argument& argument, std::size_t index) {
  const std::byte* at = argument.buffer.bytes().data() + index * bytes_of(argument.element);
  const auto read = [at](auto like) {
    std::memcpy(&like, at, sizeof like);
    return like;
  };
  switch (argument.element) {
    case Element::i8:
      return fmt::format("{}", static_cast<int>(read(std::int8_t{})));
    case Element::u8:
      return fmt::format("{}", static_cast<unsigned>(read(std::uint8_t{})));
    case Element::i16:
      return fmt::format("{}", read(std::int16_t{}));
    case Element::u16:
      return fmt::format("{}", read(std::uint16_t{}));
    case Element::i32:
      return fmt::format("{}", read(std::int32_t{}));
    case Element::u32:
      return fmt::format("{}", read(std::uint32_t{}));
    case Element::i64:
      return fmt::format("{}", read(std::int64_t{}));
    case Element::u64:
      return fmt::format("{}", read(std::uint64_t{}));
    case Element::f16:
      return fmt::format("{}", from_half(read(std::uint16_t{})));
    case Element::f32:
      return fmt::format("{}", read(float{}));
    case Element::f64:
      return fmt::format("{}", read(double{}));
  }
  return {};
}

}  // namespace rocdrill::workbench
