#include "sim/silicon/isa/run.hpp"

#include <xmmintrin.h>

#include "sim/silicon/isa/traffic.hpp"

namespace rocdrill::isa {
namespace {

// MODE: rounding 1:0 single, 3:2 half and double; denormals 5:4 single, 7:6 half and double
// (bit 0 of two: keep them in operands; bit 1: in results).
constexpr std::uint32_t plain_float_mode = 0xF0;

/// What the host has to be told to compute like one half of MODE. Half-precision denormals are the
/// handlers' affair: the host computes them in wider formats.
unsigned host_mode(std::uint32_t mode, Precision precision) {
  const unsigned shift = precision == Precision::half_double ? 2 : 0;
  constexpr unsigned rounding[4] = {0x0000, 0x4000, 0x2000, 0x6000};  // even, +inf, -inf, zero
  unsigned value = 0x1F80 | rounding[mode >> shift & 3];
  const unsigned denormals = mode >> (4 + shift) & 3;
  if ((denormals & 1) == 0) value |= 0x0040;  // DAZ
  if ((denormals & 2) == 0) value |= 0x8000;  // FTZ
  return value;
}

const Instruction* run_plain(Wave& w, const Instruction* i) {
  do {
    ++w.executed[static_cast<unsigned>(i->counted_as)];
    i = i->run(w, i);
  } while (i != nullptr);
  return i;
}

const Instruction* run_in_mode(Wave& w, const Instruction* i) {
  const unsigned modes[3] = {0x1F80, host_mode(w.mode, Precision::single),
                             host_mode(w.mode, Precision::half_double)};
  do {
    ++w.executed[static_cast<unsigned>(i->counted_as)];
    _mm_setcsr(modes[static_cast<unsigned>(i->precision)]);
    i = i->run(w, i);
  } while (i != nullptr);
  return i;
}

/// Any mode, and memory instructions are counted first.
const Instruction* run_counting(Wave& w, const Instruction* i) {
  const unsigned modes[3] = {0x1F80, host_mode(w.mode, Precision::single),
                             host_mode(w.mode, Precision::half_double)};
  do {
    ++w.executed[static_cast<unsigned>(i->counted_as)];
    count_traffic(w, *i, *w.traffic);
    _mm_setcsr(modes[static_cast<unsigned>(i->precision)]);
    i = i->run(w, i);
  } while (i != nullptr);
  return i;
}

/// The host's own mode is put back whatever happens.
class HostMode {
 public:
  HostMode() : saved_(_mm_getcsr()) { _mm_setcsr(0x1F80); }
  ~HostMode() { _mm_setcsr(saved_); }
  HostMode(const HostMode&) = delete;
  HostMode& operator=(const HostMode&) = delete;

 private:
  unsigned saved_;
};

}  // namespace

void run(Wave& wave) {
  const HostMode host_mode;
  wave.stop = Stop::none;
  wave.slice = slice_branches;
  if (wave.traffic != nullptr) {
    run_counting(wave, wave.next);
  } else if ((wave.mode & 0xFF) == plain_float_mode) {
    run_plain(wave, wave.next);
  } else {
    run_in_mode(wave, wave.next);
  }
}

void step(Wave& wave) {
  const HostMode saved;
  wave.stop = Stop::none;
  wave.slice = slice_branches;
  const Instruction* i = wave.next;
  _mm_setcsr(i->precision == Precision::none ? 0x1F80 : host_mode(wave.mode, i->precision));
  ++wave.executed[static_cast<unsigned>(i->counted_as)];
  const Instruction* next = i->run(wave, i);
  if (next != nullptr) wave.next = next;
}

}  // namespace rocdrill::isa
