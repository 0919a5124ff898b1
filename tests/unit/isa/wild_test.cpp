// Instructions of any bits on registers of any values: each ends in one of the ways that a wave can
// end, and touches nothing but its registers, LDS and what is mapped. Under AddressSanitizer the
// memory ends where it is said to; otherwise guards behind it must stay as they are.
//
// ROCDRILL_TEST_SEED gives other instructions, ROCDRILL_WILD_INSTRUCTIONS more of them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <random>

#include "sim/silicon/isa/code_cache.hpp"
#include "sim/silicon/isa/control.hpp"
#include "sim/silicon/isa/memory.hpp"
#include "sim/silicon/isa/run.hpp"

namespace rocdrill::test {
namespace {

using isa::Kind;
using isa::Stop;

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t guard_bytes = 0;
#else
constexpr std::size_t guard_bytes = 1024;
#endif
constexpr std::byte guard{0xA5};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

/// So many bytes and no more.
class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : bytes_(bytes),
        begin_(static_cast<std::byte*>(::operator new(bytes + guard_bytes, line)), free) {
    std::fill_n(begin_.get(), bytes, std::byte{0});
    std::fill_n(begin_.get() + bytes, guard_bytes, guard);
  }
  std::byte* data() const { return begin_.get(); }
  std::size_t size() const { return bytes_; }
  std::uint64_t va() const { return reinterpret_cast<std::uintptr_t>(data()); }
  bool intact() const {
    return std::all_of(data() + bytes_, data() + bytes_ + guard_bytes,
                       [](std::byte b) { return b == guard; });
  }

 private:
  static constexpr std::align_val_t line{64};
  static void free(std::byte* memory) { ::operator delete(memory, line); }
  std::size_t bytes_;
  std::unique_ptr<std::byte, void (*)(std::byte*)> begin_;
};

struct Format {
  std::uint32_t head, free;  ///< bits that are set, and those that may be anything
};
// MI200 ISA guide, chapter 13 ("Microcode formats"); MFMA is VOP3P from opcode 64 on.
constexpr Format formats[] = {
    {0x80000000, 0x3FFFFFFF}, {0xB0000000, 0x0FFFFFFF}, {0xBE800000, 0x007FFFFF},
    {0xBF000000, 0x007FFFFF}, {0xBF800000, 0x007FFFFF}, {0xC0000000, 0x03FFFFFF},
    {0x00000000, 0x7FFFFFFF}, {0x7C000000, 0x01FFFFFF}, {0x7E000000, 0x01FFFFFF},
    {0xD0000000, 0x03FFFFFF}, {0xD3800000, 0x007FFFFF}, {0xD3C00000, 0x003FFFFF},
    {0xD8000000, 0x03FFFFFF}, {0xDC000000, 0x03FFFFFF}, {0xE0000000, 0x03FFFFFF},
};

/// One wave, and what it is given.
class Wild {
 public:
  Wild(const char* processor, isa::Level level, std::uint64_t seed)
      : random_(seed), code_(processor, level), memory_(space_) {
    for (std::size_t at = 0; at < program_.size(); at += 4) put(at, s_endpgm);
    space_.add(program_.va(), program_.size(), {.read = true, .write = false, .execute = true});
    space_.add(data_.va(), data_.size());
    space_.add(scratch_.va(), scratch_.size());
    group_.lds = lds_.data();
    group_.lds_bytes = static_cast<std::uint32_t>(lds_.size());
    environment_ = {1ull << 48, 1ull << 49, [](void*) -> std::uint64_t { return 42; }, nullptr};
    architected_scratch_ = std::string_view(processor).starts_with("gfx94");
  }

  void run_one() {
    const Format& format = formats[below(std::size(formats))];
    const std::uint32_t words[] = {format.head | (any() & format.free), any(), any()};
    SCOPED_TRACE(testing::Message() << std::hex << words[0] << ' ' << words[1] << ' ' << words[2]);
    for (std::size_t n = 0; n < std::size(words); ++n) put(first + 4 * n, words[n]);
    code_.invalidate();
    const isa::CodeCache::Place place = code_.find(program_.va() + first, space_);
    ASSERT_NE(place.instruction, nullptr);
    make_wave(*place.fragment);
    if (!isa::fits(wave_, *place.fragment)) return;
    wave_.next = place.instruction;
    for (int slices = 0; slices < 2; ++slices) {
      isa::run(wave_);
      if (wave_.stop != Stop::yielded) break;
    }
    EXPECT_NE(wave_.stop, Stop::none);
    if (wave_.stop == Stop::unmodelled) {
      ASSERT_NE(wave_.unmodelled, nullptr);
      EXPECT_STRNE(wave_.unmodelled, "");
    }
    EXPECT_TRUE(vgprs_.intact() && agprs_.intact() && lds_.intact() && data_.intact() &&
                scratch_.intact());
  }

 private:
  static constexpr std::uint32_t s_endpgm = 0xBF810000;
  static constexpr std::size_t first = 512;  // something to jump back to lies before it

  std::uint32_t any() { return static_cast<std::uint32_t>(random_()); }
  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(random_() % end); }
  void put(std::size_t at, std::uint32_t word) { std::memcpy(program_.data() + at, &word, 4); }

  /// Near the bounds of what is mapped.
  std::uint64_t address() {
    const std::uint64_t aperture[] = {data_.va(), data_.va(), environment_.shared_base,
                                      environment_.private_base};
    return aperture[below(4)] + below(data_.size() + 64) - 32;
  }
  /// Registers of a wave mean much the same: addresses, offsets, floats, or nothing.
  void fill(std::uint32_t* to, std::size_t count, std::size_t step) {
    const std::uint32_t what = below(5);
    const std::uint32_t by = 1u << below(5);
    const std::uint64_t one = address();
    for (std::size_t n = 0; n < count; ++n) {
      std::uint64_t value = any();
      if (what == 0) value = address();
      if (what == 1) value = one + n * by;
      if (what == 2) value = below(600);
      if (what == 3) value = n * by;
      to[n] = static_cast<std::uint32_t>(value);
      to[n + step] = what < 2 ? static_cast<std::uint32_t>(value >> 32) : any() & 0xFFFF;
    }
  }

  void make_wave(const isa::Fragment& fragment) {
    std::construct_at(&wave_);
    wave_.vgprs = 8 << below(6);
    wave_.agprs = 8 << below(6);
    vgprs_ = Memory(std::size_t{wave_.vgprs} * isa::vgpr_bytes);
    agprs_ = Memory(std::size_t{wave_.agprs} * isa::vgpr_bytes);
    const auto base = [this](Kind kind) -> std::byte*& {
      return wave_.bases[static_cast<unsigned>(kind)];
    };
    base(Kind::vgpr) = vgprs_.data();
    base(Kind::agpr) = agprs_.data();
    base(Kind::sgpr) = base(Kind::special) = base(Kind::none) =
        reinterpret_cast<std::byte*>(wave_.s);
    for (unsigned n = 0; n < wave_.vgprs; n += 2) fill(wave_.vgpr(n), isa::wave_lanes, 64);
    for (unsigned n = 0; n < std::size(wave_.s); n += 2) fill(wave_.s + n, 1, 1);
    wave_.mode = below(3) == 0 ? any() & 0x3FF : 0x3F0;
    const std::uint64_t lanes[] = {~0ull, ~0ull, 0, random_(), random_() & random_() & random_()};
    wave_.set_exec(lanes[below(std::size(lanes))]);
    wave_.architected_scratch = architected_scratch_;
    wave_.scratch_va = scratch_.va();
    wave_.set_pair(isa::reg::flat_scratch, scratch_.va());
    wave_.scratch_bytes = static_cast<std::uint32_t>(scratch_.size() / isa::wave_lanes);
    wave_.environment = &environment_;
    wave_.group = &group_;
    wave_.memory = &memory_;
    wave_.code = &code_;
    isa::enter(wave_, fragment);
  }

  std::mt19937_64 random_;
  Memory program_{4096};
  Memory data_{1032};
  Memory scratch_{std::size_t{64} * 72};
  Memory lds_{512};
  Memory vgprs_{0};
  Memory agprs_{0};
  cp::RangeAddressSpace space_;
  isa::CodeCache code_;
  isa::Memory memory_;
  isa::Environment environment_;
  isa::Workgroup group_;
  isa::Wave wave_;
  bool architected_scratch_ = false;
};

TEST(WildInstructions, TouchNothingButWhatIsTheirs) {
  const std::uint64_t seed = number_from("ROCDRILL_TEST_SEED", 1);
  const std::uint64_t count = number_from("ROCDRILL_WILD_INSTRUCTIONS", 3000);
  for (const char* processor : {"gfx908", "gfx90a", "gfx942"}) {
    for (const isa::Level level : {isa::Level::baseline, isa::Level::avx2, isa::Level::avx512}) {
      if (level > isa::best_level()) continue;
      Wild wild(processor, level, seed);
      for (std::uint64_t n = 0; n < count && !HasFailure(); ++n) {
        SCOPED_TRACE(testing::Message()
                     << processor << ' ' << isa::name(level) << ", number " << n);
        wild.run_one();
      }
    }
  }
}

}  // namespace
}  // namespace rocdrill::test
