// Data between registers, which hold a dword of each lane, and memory, which holds a lane's data in
// one piece.
#include "sim/silicon/isa/lanes/pairs.hpp"
#include "sim/silicon/isa/lanes/places.hpp"

namespace rocdrill::isa::ROCDRILL_LEVEL {
namespace {

using Form = Places::Form;

ROCDRILL_INLINE U32 at(const std::byte* from, unsigned vector) {
  return load_bytes(from + std::size_t{vector} * 4 * width);
}
template <class T>
ROCDRILL_INLINE T read(const std::byte* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <unsigned bytes>
ROCDRILL_INLINE void copy(std::byte* to, const std::byte* from) {
  __builtin_memcpy(to, from, bytes);
}

// --- loads ---------------------------------------------------------------------------------------

/// Where a block of register `n` is written, under a mask.
struct Sink {
  std::byte* registers;
  u64 lanes;
  u64 zero;

  ROCDRILL_INLINE void operator()(unsigned n, unsigned block, U32 value) const {
    if (zero != 0) [[unlikely]]
      value &= expand(mask_of(lanes, block));
    store(registers + n * vgpr_bytes + block * 4 * width, value, mask_of(lanes | zero, block));
  }
};

/// A block of lanes of 2 or 4 dwords that follow each other, from `from` on.
template <unsigned dwords>
ROCDRILL_INLINE void spread(const std::byte* from, const Sink& sink, unsigned b,
                            unsigned registers) {
  const U32 x = at(from, 0);
  const U32 y = at(from, 1);
  if constexpr (dwords == 2) {
    sink(0, b, even(x, y));
    sink(1, b, odd(x, y));
  } else {
    const U32 z = at(from, 2);
    const U32 t = at(from, 3);
    const U32 even_low = even(x, y);
    const U32 even_high = even(z, t);
    const U32 odd_low = odd(x, y);
    const U32 odd_high = odd(z, t);
    sink(0, b, even(even_low, even_high));
    sink(1, b, even(odd_low, odd_high));
    sink(2, b, odd(even_low, even_high));
    if (registers == 4) sink(3, b, odd(odd_low, odd_high));
  }
}

/// f(lane -> place) for the two forms that name each lane's.
template <class F>
ROCDRILL_INLINE void with_places(const Places& p, const F& f) {
  if (p.form == Form::near) {
    const auto base = reinterpret_cast<u64>(p.first);
    const u32* offset = p.offset;
    f([base, offset](unsigned l) __attribute__((always_inline)) {
      return reinterpret_cast<std::byte*>(base + offset[l]);
    });
  } else {
    std::byte* const* all = p.at;
    f([all](unsigned l) __attribute__((always_inline)) { return all[l]; });
  }
}

/// Element n is f(n). In registers: a vector that is read from narrow stores waits for them.
template <class F>
ROCDRILL_INLINE U32 build(const F& f) {
#if defined(__AVX512F__)
  return U32{f(0), f(1), f(2),  f(3),  f(4),  f(5),  f(6),  f(7),
             f(8), f(9), f(10), f(11), f(12), f(13), f(14), f(15)};
#elif defined(__AVX2__)
  return U32{f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)};
#else
  return U32{f(0), f(1), f(2), f(3)};
#endif
}

/// Form::near, a lane's dwords in one piece: block by block.
template <unsigned dwords>
ROCDRILL_INLINE void load_near(const Sink& sink, const Places& p) {
  constexpr unsigned padded = dwords == 3 ? 4 : dwords;
  const auto place = [&p](unsigned l) __attribute__((always_inline)) {
    return reinterpret_cast<const std::byte*>(reinterpret_cast<u64>(p.first) + p.offset[l]);
  };
  for (unsigned b = 0; b < blocks; ++b) {
    const u32 mask = mask_of(p.lanes, b);
    if ((mask | mask_of(p.zero, b)) == 0) continue;
    const unsigned lane = b * width;
    const std::byte* const first = place(lane);
    const Lie lie = lie_of<4 * dwords>(load(p.offset + lane), mask);
    if (lie == Lie::one) {
      for (unsigned n = 0; n < dwords; ++n) sink(n, b, splat(read<u32>(first + n * 4)));
    } else if (lie == Lie::run && mask == (1u << width) - 1 && dwords == padded) {
      if constexpr (dwords == 1) {
        sink(0, b, at(first, 0));
      } else {
        spread<padded>(first, sink, b, dwords);
      }
    } else if constexpr (dwords == 1) {
      sink(0, b, build([&](unsigned k) __attribute__((always_inline)) {
             return read<u32>(place(lane + k));
           }));
    } else {
      alignas(64) std::byte lined[width * 4 * padded];
      for (unsigned k = 0; k < width; ++k)
        copy<4 * dwords>(lined + std::size_t{k} * 4 * padded, place(lane + k));
      spread<padded>(lined, sink, b, dwords);
    }
  }
}

template <unsigned dwords>
void load_dwords(std::byte* registers, Places& p) {
  const Sink sink{registers, p.lanes, p.zero};
  const bool rows = p.form == Form::rows || (dwords == 1 && p.form == Form::unit);
  if (rows) {
    for (unsigned n = 0; n < dwords; ++n)
      for (unsigned b = 0; b < blocks; ++b) sink(n, b, at(p.first + std::size_t{n} * p.step, b));
    return;
  }
  constexpr unsigned padded = dwords == 3 ? 4 : dwords;
  if (p.form == Form::near && p.step == 4) {
    load_near<dwords>(sink, p);
    return;
  }
  if (dwords == 1 || p.step != 4) {
    with_places(p, [&](const auto& place) __attribute__((always_inline)) {
      for (unsigned n = 0; n < dwords; ++n) {
        const std::size_t plus = std::size_t{n} * p.step;
        for (unsigned b = 0; b < blocks; ++b)
          sink(n, b, build([&](unsigned k) __attribute__((always_inline)) {
                 return read<u32>(place(b * width + k) + plus);
               }));
      }
    });
    return;
  }
  const bool unit = p.form == Form::unit;
  for (unsigned b = 0; b < blocks; ++b) {
    if (unit && dwords == padded) {
      spread<padded == 1 ? 2 : padded>(p.first + std::size_t{b} * width * 4 * dwords, sink, b,
                                       dwords);
      continue;
    }
    alignas(64) std::byte lined[width * 4 * padded];
    for (unsigned k = 0; k < width; ++k) {
      const unsigned l = b * width + k;
      copy<4 * dwords>(lined + std::size_t{k} * 4 * padded,
                       unit ? p.first + std::size_t{l} * 4 * dwords : p.at[l]);
    }
    spread<padded == 1 ? 2 : padded>(lined, sink, b, dwords);
  }
}

/// Where bytes and words go.
enum class Half { none, low, high };
template <Half half>
ROCDRILL_INLINE void put_part(std::byte* registers, const Places& p, unsigned block, U32 value) {
  std::byte* to = registers + std::size_t{block} * 4 * width;
  if (p.zero != 0) [[unlikely]]
    value &= expand(mask_of(p.lanes, block));
  if constexpr (half == Half::low)
    value = (load(to) & splat(0xFFFF0000u)) | (value & splat(0xFFFFu));
  if constexpr (half == Half::high) value = (load(to) & splat(0xFFFFu)) | value << splat(16);
  store(to, value, mask_of(p.lanes | p.zero, block));
}
template <class T, Half half>
void load_part(std::byte* registers, Places& p) {
  const auto read_all = [&](const auto& place) __attribute__((always_inline)) {
    for (unsigned b = 0; b < blocks; ++b)
      put_part<half>(registers, p, b, build([&](unsigned k) __attribute__((always_inline)) {
                       return static_cast<u32>(i32{read<T>(place(b * width + k))});
                     }));
  };
  const auto run = [](const std::byte* first) __attribute__((always_inline)) {
    typedef T Narrow __attribute__((vector_size(width * sizeof(T)), aligned(1), may_alias));
    return as<U32>(__builtin_convertvector(*reinterpret_cast<const Narrow*>(first), I32));
  };
  if (p.form == Form::unit) {
    for (unsigned b = 0; b < blocks; ++b)
      put_part<half>(registers, p, b, run(p.first + b * width * sizeof(T)));
  } else if (p.form == Form::near) {
    const auto base = reinterpret_cast<u64>(p.first);
    for (unsigned b = 0; b < blocks; ++b) {
      const u32 mask = mask_of(p.lanes, b);
      if ((mask | mask_of(p.zero, b)) == 0) continue;
      const u32* const offset = p.offset + std::size_t{b} * width;
      const auto place = [&](unsigned k) __attribute__((always_inline)) {
        return reinterpret_cast<const std::byte*>(base + offset[k]);
      };
      const Lie lie = lie_of<sizeof(T)>(load(offset), mask);
      if (lie == Lie::one) {
        put_part<half>(registers, p, b, splat(static_cast<u32>(i32{read<T>(place(0))})));
      } else if (lie == Lie::run && mask == (1u << width) - 1) {
        put_part<half>(registers, p, b, run(place(0)));
      } else {
        put_part<half>(registers, p, b, build([&](unsigned k) __attribute__((always_inline)) {
                         return static_cast<u32>(i32{read<T>(place(k))});
                       }));
      }
    }
  } else {
    with_places(p, read_all);
  }
}

// --- stores --------------------------------------------------------------------------------------

/// Registers as lanes of 2 or 4 dwords that follow each other; of the latter, 3 may count.
template <unsigned dwords>
ROCDRILL_INLINE void line_up(std::byte* to, const std::byte* registers, unsigned count) {
  const auto part = [registers](unsigned n, unsigned b) {
    return load(registers + n * vgpr_bytes + b * 4 * width);
  };
  for (unsigned b = 0; b < blocks; ++b) {
    std::byte* out = to + std::size_t{b} * dwords * 4 * width;
    if constexpr (dwords == 2) {
      keep_bytes(out, zip_low(part(0, b), part(1, b)));
      keep_bytes(out + 4 * width, zip_high(part(0, b), part(1, b)));
    } else {
      const U32 x = part(0, b);
      const U32 y = part(1, b);
      const U32 z = part(2, b);
      const U32 t = count == 4 ? part(3, b) : z;
      const U32 xz_low = zip_low(x, z);
      const U32 xz_high = zip_high(x, z);
      const U32 yt_low = zip_low(y, t);
      const U32 yt_high = zip_high(y, t);
      keep_bytes(out, zip_low(xz_low, yt_low));
      keep_bytes(out + 4 * width, zip_high(xz_low, yt_low));
      keep_bytes(out + 8 * width, zip_low(xz_high, yt_high));
      keep_bytes(out + 12 * width, zip_high(xz_high, yt_high));
    }
  }
}

/// Calls f(lane) for each that is stored; of two at one address the higher one stays.
template <class F>
ROCDRILL_INLINE void for_lanes(u64 lanes, const F& f) {
  if (lanes == ~u64{0}) {
    for (unsigned l = 0; l < wave_lanes; ++l) f(l);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) f(first_of(lanes));
}

/// What lies in the other lanes' places is other waves' to write meanwhile.
ROCDRILL_INLINE void store_in_memory(std::byte* to, U32 value, u32 mask) {
  if (mask == (1u << width) - 1) {
    keep_bytes(to, value);
    return;
  }
#if defined(__AVX512F__)
  store(to, value, mask);
#else
  for (; mask != 0; mask &= mask - 1) {
    const u32 lane = value[first_of(mask)];
    __builtin_memcpy(to + std::size_t{first_of(mask)} * 4, &lane, 4);
  }
#endif
}

/// Form::near, a dword of each lane: blocks that follow each other in one go, in the lanes' order.
void store_near(const std::byte* registers, const Places& p) {
  for (unsigned b = 0; b < blocks; ++b) {
    const u32 mask = mask_of(p.lanes, b);
    const auto base = reinterpret_cast<u64>(p.first);
    const u32* const offset = p.offset + std::size_t{b} * width;
    if (mask == (1u << width) - 1 && lie_of<4>(load(offset), mask) == Lie::run) {
      keep_bytes(reinterpret_cast<std::byte*>(base + offset[0]), at(registers, b));
      continue;
    }
    const std::byte* const from = registers + std::size_t{b} * 4 * width;
    for (u32 left = mask; left != 0; left &= left - 1) {
      const unsigned k = first_of(left);
      copy<4>(reinterpret_cast<std::byte*>(base + offset[k]), from + std::size_t{k} * 4);
    }
  }
}

template <unsigned dwords>
void store_dwords(std::byte* registers, Places& p) {
  const u64 lanes = p.lanes;
  if (p.form == Form::rows || (dwords == 1 && p.form == Form::unit)) {
    for (unsigned n = 0; n < dwords; ++n)
      for (unsigned b = 0; b < blocks; ++b)
        store_in_memory(p.first + std::size_t{n} * p.step + std::size_t{b} * 4 * width,
                        at(registers + n * vgpr_bytes, b), mask_of(lanes, b));
    return;
  }
  if (dwords == 1 && p.form == Form::near) {
    store_near(registers, p);
    return;
  }
  if (dwords == 1 || p.step != 4) {
    with_places(p, [&](const auto& place) __attribute__((always_inline)) {
      for (unsigned n = 0; n < dwords; ++n) {
        const std::byte* from = registers + n * vgpr_bytes;
        const std::size_t plus = std::size_t{n} * p.step;
        for_lanes(lanes, [&](unsigned l) { copy<4>(place(l) + plus, from + std::size_t{l} * 4); });
      }
    });
    return;
  }
  constexpr unsigned padded = dwords == 3 ? 4 : dwords;
  constexpr unsigned lined_dwords = padded == 1 ? 2 : padded;
  if (p.form == Form::unit && lanes == ~u64{0} && dwords == padded) {
    line_up<lined_dwords>(p.first, registers, dwords);
    return;
  }
  alignas(64) std::byte lined[wave_lanes * 4 * lined_dwords];
  line_up<lined_dwords>(lined, registers, dwords);
  const auto copy_all = [&](const auto& place) __attribute__((always_inline)) {
    for_lanes(lanes,
              [&](unsigned l) { copy<4 * dwords>(place(l), lined + std::size_t{l} * 4 * padded); });
  };
  if (p.form == Form::unit) {
    copy_all([&](unsigned l) { return p.first + std::size_t{l} * 4 * dwords; });
  } else {
    with_places(p, copy_all);
  }
}

/// A byte or word from bit `shift` on.
template <class T, unsigned shift>
void store_part(std::byte* registers, Places& p) {
  const auto copy_all = [&](const auto& place) __attribute__((always_inline)) {
    for_lanes(p.lanes, [&](unsigned l) {
      const T value = static_cast<T>(read<u32>(registers + std::size_t{l} * 4) >> shift);
      __builtin_memcpy(place(l), &value, sizeof value);
    });
  };
  if (p.form == Form::unit) {
    copy_all([&](unsigned l) { return p.first + l * sizeof(T); });
  } else {
    with_places(p, copy_all);
  }
}

}  // namespace

void load_u8(std::byte* r, Places& p) { load_part<u8, Half::none>(r, p); }
void load_i8(std::byte* r, Places& p) { load_part<signed char, Half::none>(r, p); }
void load_u16(std::byte* r, Places& p) { load_part<u16, Half::none>(r, p); }
void load_i16(std::byte* r, Places& p) { load_part<short, Half::none>(r, p); }
void load_u8_d16(std::byte* r, Places& p) { load_part<u8, Half::low>(r, p); }
void load_i8_d16(std::byte* r, Places& p) { load_part<signed char, Half::low>(r, p); }
void load_b16_d16(std::byte* r, Places& p) { load_part<u16, Half::low>(r, p); }
void load_u8_d16_hi(std::byte* r, Places& p) { load_part<u8, Half::high>(r, p); }
void load_i8_d16_hi(std::byte* r, Places& p) { load_part<signed char, Half::high>(r, p); }
void load_b16_d16_hi(std::byte* r, Places& p) { load_part<u16, Half::high>(r, p); }
void load_b32(std::byte* r, Places& p) { load_dwords<1>(r, p); }
void load_b64(std::byte* r, Places& p) { load_dwords<2>(r, p); }
void load_b96(std::byte* r, Places& p) { load_dwords<3>(r, p); }
void load_b128(std::byte* r, Places& p) { load_dwords<4>(r, p); }
void store_b8(std::byte* r, Places& p) { store_part<u8, 0>(r, p); }
void store_b16(std::byte* r, Places& p) { store_part<u16, 0>(r, p); }
void store_b8_d16_hi(std::byte* r, Places& p) { store_part<u8, 16>(r, p); }
void store_b16_d16_hi(std::byte* r, Places& p) { store_part<u16, 16>(r, p); }
void store_b32(std::byte* r, Places& p) { store_dwords<1>(r, p); }
void store_b64(std::byte* r, Places& p) { store_dwords<2>(r, p); }
void store_b96(std::byte* r, Places& p) { store_dwords<3>(r, p); }
void store_b128(std::byte* r, Places& p) { store_dwords<4>(r, p); }

}  // namespace rocdrill::isa::ROCDRILL_LEVEL
