#include "float_cases.hpp"

#include <algorithm>

namespace rocdrill::test {
namespace {

const std::vector<Bits>& special(char type) {
  static const std::vector<Bits> singles = {
      0,          0x80000000, 0x3F800000, 0xBF800000, 0x00000001, 0x80000001, 0x007FFFFF,
      0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
      0x7FC00000, 0xFFC12345, 0x7F800001, 0xFFA00000, 0x3F000000, 0x40490FDB, 0xC0490FDB,
      0x4B000000, 0x4B800001, 0xCF000000, 0x4F7FFFFF, 0x34000000, 0x3FC00000, 0x40200000};
  static const std::vector<Bits> doubles = {0,
                                            1ull << 63,
                                            bits(1.0),
                                            bits(-1.0),
                                            1,
                                            (1ull << 63) | 1,
                                            0x000FFFFFFFFFFFFF,
                                            0x0010000000000000,
                                            0x8010000000000000,
                                            0x7FEFFFFFFFFFFFFF,
                                            0xFFEFFFFFFFFFFFFF,
                                            0x7FF0000000000000,
                                            0xFFF0000000000000,
                                            0x7FF8000000000000,
                                            0xFFF8000000012345,
                                            0x7FF0000000000001,
                                            0xFFF4000000000000,
                                            bits(0.5),
                                            bits(2.5),
                                            bits(-1.5),
                                            bits(0x1p52),
                                            bits(-2147483648.0),
                                            bits(4294967295.5),
                                            bits(0x1p-53)};
  static const std::vector<Bits> halves = {0,      0x8000, 0x3C00, 0xBC00, 0x0001, 0x8001, 0x03FF,
                                           0x83FF, 0x0400, 0x8400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                                           0x7E00, 0xFE12, 0x7C01, 0xFD00, 0x3800, 0x4248, 0xC248,
                                           0x6400, 0x1400, 0x3E00, 0x4100};
  static const std::vector<Bits> integers = {
      0,          1,    0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 31,    32,  255,
      0xFFFFFF80, 1000, 0xFFFFFC18, 0x01234567, 0xFFFF,     0x3FF, 149, 0xFFFFFF6B};
  static const std::vector<Bits> longs = {0, 1, ~0ull, 1ull << 63, 0x123456789ABCDEF0};
  // Each value beside another one.
  const auto pairs = [](const std::vector<Bits>& values, unsigned shift) {
    std::vector<Bits> out;
    for (std::size_t n = 0; n < values.size(); ++n)
      out.push_back(values[n] | values[(n * 7 + 3) % values.size()] << shift);
    return out;
  };
  static const std::vector<Bits> pairs_of_halves = pairs(halves, 16);
  static const std::vector<Bits> pairs_of_singles = pairs(singles, 32);
  switch (type) {
    case 'f':
      return singles;
    case 'd':
      return doubles;
    case 'h':
      return halves;
    case 'q':
      return longs;
    case 'p':
      return pairs_of_halves;
    case 'g':
      return pairs_of_singles;
    default:
      return integers;
  }
}

Bits random_value(char type, std::mt19937_64& random) {
  const Bits any = random();
  // Half of them near each other, so that sums cancel and quotients stay in range.
  const bool near = (random() & 1) != 0;
  switch (type) {
    case 'f':
      return near ? (any & 0x807FFFFF) | (0x3F000000 + ((any >> 40 & 15) << 23)) : any & 0xFFFFFFFF;
    case 'd':
      return near ? (any & 0x800FFFFFFFFFFFFF) | ((0x3F0 + (random() & 31)) << 52) : any;
    case 'h':
      return near ? (any & 0x83FF) | (0x3000 + ((any >> 40 & 7) << 10)) : any & 0xFFFF;
    case 'q':
      return any;
    case 'p':
      return random_value('h', random) | random_value('h', random) << 16;
    case 'g':
      return random_value('f', random) | random_value('f', random) << 32;
    default:
      return near ? ((any & 0x1FF) - 256) & 0xFFFFFFFF : any & 0xFFFFFFFF;
  }
}

unsigned dwords(char type) { return type == 'd' || type == 'q' || type == 'g' ? 2 : 1; }
bool is_float(char type) { return type == 'f' || type == 'd' || type == 'h'; }

Bits sign_of(char type) {
  return type == 'd' ? 1ull << 63 : type == 'h' ? Bits{0x8000} : Bits{0x80000000};
}
Bits change(char type, const std::string& modifiers, Bits value) {
  if (modifiers.find('|') != std::string::npos) value &= ~sign_of(type);
  if (modifiers.find('-') != std::string::npos) value ^= sign_of(type);
  return value;
}
std::string around(const std::string& modifiers, const std::string& source) {
  const bool magnitude = modifiers.find('|') != std::string::npos;
  return (modifiers.find('-') != std::string::npos ? "-" : "") +
         (magnitude ? "|" + source + "|" : source);
}

double value_of(char type, Bits value) {
  return type == 'd' ? f64(value) : type == 'h' ? half_to_float(value) : f32(value);
}
Bits bits_of(char type, double value) {
  return type == 'd'   ? bits(value)
         : type == 'h' ? half_bits(value)
                       : bits(static_cast<float>(value));
}
Bits clamped(char type, Bits value, bool nan_to_zero) {
  const double x = value_of(type, value);
  if (std::isnan(x)) return nan_to_zero ? 0 : value;
  return bits_of(type, x <= 0 ? 0 : std::min(x, 1.0));
}

bool is_nan(char type, Bits value) { return is_float(type) && std::isnan(value_of(type, value)); }
bool is_quiet(char type, Bits value) {
  return (value & (type == 'd' ? 1ull << 51 : type == 'h' ? Bits{0x200} : Bits{0x400000})) != 0;
}
/// Numbers in a row, -0 beside 0.
std::int64_t place(char type, Bits value) {
  const Bits magnitude = value & (sign_of(type) - 1);
  return (value & sign_of(type)) != 0 ? -static_cast<std::int64_t>(magnitude)
                                      : static_cast<std::int64_t>(magnitude);
}
bool same(char type, Bits expected, Bits got, const Options& options) {
  if (expected == got) return true;
  if (type == 'p')
    return same('h', expected & 0xFFFF, got & 0xFFFF, options) &&
           same('h', expected >> 16, got >> 16, options);
  if (type == 'g')
    return same('f', expected & 0xFFFFFFFF, got & 0xFFFFFFFF, options) &&
           same('f', expected >> 32, got >> 32, options);
  if (!is_float(type) || options.exact_nan) return false;
  if (is_nan(type, expected)) return is_nan(type, got) && is_quiet(type, got);
  if (is_nan(type, got) || options.ulps == 0) return false;
  const std::int64_t distance = place(type, expected) - place(type, got);
  return std::abs(distance) <= options.ulps && (expected & sign_of(type)) == (got & sign_of(type));
}

/// The host's modes as MODE wants them for the reference.
class HostRounding {
 public:
  HostRounding(std::uint32_t mode, char type) {
    constexpr int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(modes[mode >> (type == 'f' || type == 'g' ? 0 : 2) & 3]);
  }
  ~HostRounding() { std::fesetround(FE_TONEAREST); }
};

std::string vector_name(unsigned number, unsigned count) {
  if (count == 1) return "v" + std::to_string(number);
  return "v[" + std::to_string(number) + ":" + std::to_string(number + 1) + "]";
}

constexpr Bits filler = 0xDEADBEEFA5A5A5A5;
constexpr unsigned sources_at = 16;  // SGPRs of the masks, then of the scalar source
constexpr unsigned scalar_at = 92;

struct Batch {
  unsigned result = 0;
  unsigned source[3] = {};
};

}  // namespace

std::vector<isa::Level> levels() {
  std::vector<isa::Level> out;
  for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512})
    if (level <= isa::best_level()) out.push_back(level);
  return out;
}

std::vector<Row> rows_for(const std::string& types, unsigned random_rows) {
  std::mt19937_64 random(12345);
  std::vector<Row> rows;
  const std::size_t sources = types.size() - 1;
  if (sources == 1) {
    for (const Bits a : special(types[1])) rows.push_back({a, 0, 0});
  } else if (sources == 2) {
    for (const Bits a : special(types[1]))
      for (const Bits b : special(types[2])) rows.push_back({a, b, 0});
  } else {
    // Not all triples: every pair, with a third at hand.
    std::size_t n = 0;
    for (const Bits a : special(types[1]))
      for (const Bits b : special(types[2]))
        for (unsigned k = 0; k < 3; ++k)
          rows.push_back({a, b, special(types[3])[n++ % special(types[3]).size()]});
  }
  for (unsigned n = 0; n < random_rows; ++n) {
    Row row{};
    for (std::size_t k = 0; k < sources; ++k) row[k] = random_value(types[k + 1], random);
    rows.push_back(row);
  }
  while (rows.size() % 64 != 0) rows.push_back(rows.front());
  return rows;
}

namespace {

std::string operands(const FloatOperation& operation, const Batch& batch, const Options& options,
                     bool is_mask) {
  const std::string& types = operation.types;
  std::string text =
      is_mask ? "s[" + std::to_string(batch.result) + ":" + std::to_string(batch.result + 1) + "]"
              : vector_name(batch.result, dwords(types[0]));
  for (std::size_t k = 0; k + 1 < types.size(); ++k) {
    std::string source = vector_name(batch.source[k], dwords(types[k + 1]));
    if (options.scalar == static_cast<int>(k))
      source = dwords(types[k + 1]) == 1
                   ? "s" + std::to_string(scalar_at)
                   : "s[" + std::to_string(scalar_at) + ":" + std::to_string(scalar_at + 1) + "]";
    text += ", " + around(options.modifiers[k], source);
  }
  return text + " " + options.suffix;
}

void put(Machine& m, unsigned at, unsigned lane, unsigned count, Bits value) {
  m.v(at)[lane] = static_cast<std::uint32_t>(value);
  if (count == 2) m.v(at + 1)[lane] = static_cast<std::uint32_t>(value >> 32);
}
Bits get(Machine& m, unsigned at, unsigned lane, unsigned count) {
  return count == 2 ? m.v(at)[lane] | Bits{m.v(at + 1)[lane]} << 32 : m.v(at)[lane];
}

Bits expected_of(const FloatOperation& operation, const Row& row, const Options& options,
                 Bits before) {
  const std::string& types = operation.types;
  Row changed = row;
  for (std::size_t k = 0; k + 1 < types.size(); ++k)
    if (is_float(types[k + 1])) changed[k] = change(types[k + 1], options.modifiers[k], row[k]);
  const HostRounding rounding(options.mode, types[0]);
  Bits value = operation.expected(changed[0], changed[1], changed[2], before);
  const bool modifiable =
      (options.mode & 1 << 9) == 0 && (options.mode & (types[0] == 'f' ? 0x20 : 0x80)) == 0;
  if (modifiable && options.suffix.find("mul:2") != std::string::npos)
    value = bits_of(types[0], value_of(types[0], value) * 2 + 0.0);
  if (modifiable && options.suffix.find("div:2") != std::string::npos)
    value = bits_of(types[0], value_of(types[0], value) / 2 + 0.0);
  if (options.suffix.find("clamp") != std::string::npos && is_float(types[0]))
    value = clamped(types[0], value, (options.mode & 1 << 8) != 0);
  return value;
}

}  // namespace

void check(const FloatOperation& operation, const std::vector<Row>& rows, const Options& options) {
  const std::string& types = operation.types;
  const bool is_mask = types[0] == 'm';
  Machine m(options.processor, options.level);
  m.wave().mode = options.mode;
  unsigned per_batch = is_mask ? 0 : 2;
  for (std::size_t k = 1; k < types.size(); ++k) per_batch += 2;
  const unsigned batches = is_mask ? 32 : 240 / per_batch;
  unsigned failures = 0;
  for (std::size_t begin = 0; begin < rows.size(); begin += std::size_t{64} * batches) {
    std::vector<Batch> placed;
    std::string text;
    for (std::size_t at = begin; at < rows.size() && placed.size() < batches; at += 64) {
      Batch batch;
      unsigned next = static_cast<unsigned>(placed.size()) * per_batch;
      batch.result = is_mask ? sources_at + static_cast<unsigned>(placed.size()) * 2 : next;
      if (!is_mask) next += 2;
      for (std::size_t k = 0; k + 1 < types.size(); ++k, next += 2) batch.source[k] = next;
      for (unsigned lane = 0; lane < 64; ++lane) {
        if (!is_mask) put(m, batch.result, lane, 2, filler);
        for (std::size_t k = 0; k + 1 < types.size(); ++k)
          put(m, batch.source[k], lane, dwords(types[k + 1]), rows[at + lane][k]);
      }
      text += operation.mnemonic + options.encoding + " " +
              operands(operation, batch, options, is_mask) + "\n";
      placed.push_back(batch);
    }
    if (options.scalar >= 0)
      m.wave().set_pair(scalar_at, rows[0][static_cast<std::size_t>(options.scalar)]);
    m.wave().set_exec(options.exec);
    ASSERT_EQ(m.run(text), isa::Stop::ended)
        << (m.wave().unmodelled != nullptr ? m.wave().unmodelled : text.c_str());
    for (std::size_t k = 0; k < placed.size(); ++k) {
      for (unsigned lane = 0; lane < 64; ++lane) {
        Row row = rows[begin + k * 64 + lane];
        if (options.scalar >= 0)
          row[static_cast<std::size_t>(options.scalar)] =
              rows[0][static_cast<std::size_t>(options.scalar)];
        const unsigned count = dwords(types[0]);
        const Bits before = is_mask ? 0 : count == 2 ? filler : filler & 0xFFFFFFFF;
        const bool active = (options.exec >> lane & 1) != 0;
        const Bits expected = active ? expected_of(operation, row, options, before) : before;
        const Bits got = is_mask ? m.wave().pair(placed[k].result) >> lane & 1
                                 : get(m, placed[k].result, lane, count);
        if (active ? same(types[0], expected, got, options) : expected == got) continue;
        ADD_FAILURE() << isa::name(options.level) << ": " << operation.mnemonic << options.encoding
                      << " " << operands(operation, placed[k], options, is_mask) << " lane " << lane
                      << std::hex << ": " << row[0] << ", " << row[1] << ", " << row[2]
                      << " expected " << expected << " got " << got << " mode " << options.mode;
        if (++failures > 5) return;
      }
    }
  }
}

void check_everywhere(const FloatOperation& operation, Options options) {
  const std::vector<Row> rows = rows_for(operation.types);
  const std::vector<Row> few = rows_for(operation.types, 64);
  for (const isa::Level level : levels()) {
    options.level = level;
    options.exec = ~0ull;
    options.scalar = -1;
    check(operation, rows, options);
    options.exec = 0x8000F0F1FFFE0013ull;
    check(operation, few, options);
    if (!options.scalars) continue;
    options.scalar = 0;
    check(operation, few, options);
  }
}

void check_modified(const FloatOperation& operation, Options options) {
  check_everywhere(operation, options);
  const std::vector<Row> rows = rows_for(operation.types, 200);
  const std::size_t sources = operation.types.size() - 1;
  for (const isa::Level level : levels()) {
    options.level = level;
    options.exec = 0xFFFFFFFFFFFF0FFFull;
    for (std::size_t k = 0; k < sources; ++k) {
      if (!is_float(operation.types[k + 1])) continue;
      for (const char* modifier : {"-", "||", "-||"}) {
        Options one = options;
        one.modifiers[k] = modifier;
        check(operation, rows, one);
      }
    }
    if (!is_float(operation.types[0])) continue;
    Options result = options;
    result.suffix = options.suffix + " clamp";
    result.encoding = "_e64";
    if (operation.types.size() > 3 || operation.types[0] == 'd') result.encoding = options.encoding;
    check(operation, rows, result);
    result.mode &= ~(1u << 8);
    check(operation, rows, result);
    result.suffix = options.suffix + " mul:2";
    check(operation, rows, result);
    // omod counts without IEEE and with results flushed; operands keep their denormals here.
    result.mode = (options.mode & ~(1u << 9)) & ~0xA0u;
    std::vector<Row> normal = rows;
    const auto unfit = [&](const Row& row) {
      for (std::size_t k = 0; k < sources; ++k)
        if (is_nan(operation.types[k + 1], row[k])) return true;  // what IEEE is about
      const double value =
          value_of(operation.types[0], operation.expected(row[0], row[1], row[2], 0));
      const double least = operation.types[0] == 'd'   ? 0x1p-1020
                           : operation.types[0] == 'h' ? 0x1p-12
                                                       : 0x1p-124;
      return std::isnan(value) || std::fabs(value) < least;
    };
    std::erase_if(normal, unfit);
    while (!normal.empty() && normal.size() % 64 != 0) normal.push_back(normal.front());
    check(operation, normal, result);
    result.suffix = options.suffix + " div:2";
    check(operation, normal, result);
  }
}

}  // namespace rocdrill::test
