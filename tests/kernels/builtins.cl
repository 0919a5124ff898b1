// Instructions that compilers choose only when told to; the twins say what they do in C.
//
// Source: AMD "CDNA 3" ISA, the descriptions of VOP1, VOP3 and VOP3P.
#include "kernel.h"

#define BYTE(x, n) ((x) >> 8 * (n) & 0xFFu)
static uint distance(uint a, uint b) { return a > b ? a - b : b - a; }

#ifdef __AMDGPU__
#define perm __builtin_amdgcn_perm
#define align_bit __builtin_amdgcn_alignbit
#define align_byte __builtin_amdgcn_alignbyte
#define bits_unsigned __builtin_amdgcn_ubfe
#define bits_signed(x, at, n) ((uint)__builtin_amdgcn_sbfe((int)(x), at, n))
#define lerp __builtin_amdgcn_lerp
#define sad_u8 __builtin_amdgcn_sad_u8
#define sad_hi_u8 __builtin_amdgcn_sad_hi_u8
#define sad_u16 __builtin_amdgcn_sad_u16
#define msad_u8 __builtin_amdgcn_msad_u8
#define qsad(window, reference, sum) __builtin_amdgcn_qsad_pk_u16_u8(window, reference, sum)
#define mqsad(window, reference, sum) __builtin_amdgcn_mqsad_pk_u16_u8(window, reference, sum)
#else
static uint perm(uint high, uint low, uint select) {
  const ulong both = (ulong)high << 32 | low;
  uint out = 0;
  for (uint n = 0; n < 4; ++n) {
    const uint s = BYTE(select, n);
    uint byte = 0xFF;
    if (s < 8) {
      byte = (uint)BYTE(both, s);
    } else if (s < 12) {
      byte = (both >> (16 * (s - 8) + 15) & 1) != 0 ? 0xFF : 0;
    } else if (s == 12) {
      byte = 0;
    }
    out |= byte << 8 * n;
  }
  return out;
}
static uint align_bit(uint high, uint low, uint by) {
  return (uint)(((ulong)high << 32 | low) >> (by & 31));
}
static uint align_byte(uint high, uint low, uint by) { return align_bit(high, low, (by & 3) * 8); }
static uint bits_unsigned(uint x, uint at, uint n) {
  return x >> (at & 31) & ((1u << (n & 31)) - 1);
}
static uint bits_signed(uint x, uint at, uint n) {
  const uint value = bits_unsigned(x, at, n);
  n &= 31;
  // Beyond the top there is the sign.
  if ((at & 31) + n > 32) return (uint)((int)x >> (at & 31));
  return n != 0 && (value >> (n - 1) & 1) != 0 ? value | ~((1u << n) - 1) : value;
}
static uint lerp(uint a, uint b, uint round) {
  uint out = 0;
  for (uint n = 0; n < 4; ++n)
    out |= (BYTE(a, n) + BYTE(b, n) + (BYTE(round, n) & 1)) >> 1 << 8 * n;
  return out;
}
static uint sad_u8(uint a, uint b, uint sum) {
  for (uint n = 0; n < 4; ++n) sum += distance(BYTE(a, n), BYTE(b, n));
  return sum;
}
static uint sad_hi_u8(uint a, uint b, uint sum) { return (sad_u8(a, b, 0) << 16) + sum; }
static uint sad_u16(uint a, uint b, uint sum) {
  return sum + distance(a & 0xFFFF, b & 0xFFFF) + distance(a >> 16, b >> 16);
}
static uint msad_u8(uint a, uint reference, uint sum) {
  for (uint n = 0; n < 4; ++n)
    if (BYTE(reference, n) != 0) sum += distance(BYTE(a, n), BYTE(reference, n));
  return sum;
}
static ulong qsad(ulong window, uint reference, ulong sum) {
  ulong out = 0;
  for (uint n = 0; n < 4; ++n)
    out |= (ulong)(sad_u8((uint)(window >> 8 * n), reference, (ushort)(sum >> 16 * n)) & 0xFFFF)
           << 16 * n;
  return out;
}
static ulong mqsad(ulong window, uint reference, ulong sum) {
  ulong out = 0;
  for (uint n = 0; n < 4; ++n)
    out |= (ulong)(msad_u8((uint)(window >> 8 * n), reference, (ushort)(sum >> 16 * n)) & 0xFFFF)
           << 16 * n;
  return out;
}
#endif

KERNEL(media)(uint n, global const uint* a, global const uint* b, global const uint* c,
              global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = a[i], y = b[i], z = c[i];
  global uint* o = out + i;
  o[0] = perm(x, y, z & 0x0F0F0F0Fu);
  o[n] = align_bit(x, y, z);
  o[2 * n] = align_byte(x, y, z);
  o[3 * n] = bits_unsigned(x, y, z);
  o[4 * n] = bits_signed(x, y, z);
  o[5 * n] = lerp(x, y, z);
  o[6 * n] = sad_u8(x, y, z);
  o[7 * n] = sad_hi_u8(x, y, z);
  o[8 * n] = sad_u16(x, y, z);
  o[9 * n] = msad_u8(x, y & 0xFF00FFFFu, z);
  const ulong window = (ulong)x << 32 | y;
  const ulong sums = (ulong)z << 24 & 0x00FF00FF00FF00FFul;
  const ulong q = qsad(window, z, sums);
  const ulong m = mqsad(window, z & 0xFFFF00FFu, sums);
  o[10 * n] = (uint)q;
  o[11 * n] = (uint)(q >> 32);
  o[12 * n] = (uint)m;
  o[13 * n] = (uint)(m >> 32);
}

#if !defined(__AMDGPU__) || !defined(__gfx900__)
#ifdef __AMDGPU__
#define dot4_signed(a, b, c) __builtin_amdgcn_sdot4((int)(a), (int)(b), (int)(c), 0)
#define dot4_unsigned(a, b, c) __builtin_amdgcn_udot4(a, b, c, 0)
#define dot8_signed(a, b, c) __builtin_amdgcn_sdot8((int)(a), (int)(b), (int)(c), 0)
#define dot8_unsigned(a, b, c) __builtin_amdgcn_udot8(a, b, c, 0)
#define dot2_signed(a, b, c) \
  __builtin_amdgcn_sdot2(__builtin_astype(a, short2), __builtin_astype(b, short2), (int)(c), 0)
#define dot2_unsigned(a, b, c) \
  __builtin_amdgcn_udot2(__builtin_astype(a, ushort2), __builtin_astype(b, ushort2), c, 0)
#define dot2_half(a, b, c) __builtin_amdgcn_fdot2(a, b, c, 0)
#else
static uint dot(uint a, uint b, uint sum, uint bits, int is_signed) {
  for (uint at = 0; at < 32; at += bits) {
    const uint high = 32 - bits;
    const uint x = a << (high - at), y = b << (high - at);
    sum += is_signed ? (uint)(((int)x >> high) * ((int)y >> high)) : (x >> high) * (y >> high);
  }
  return sum;
}
#define dot4_signed(a, b, c) dot(a, b, c, 8, 1)
#define dot4_unsigned(a, b, c) dot(a, b, c, 8, 0)
#define dot8_signed(a, b, c) dot(a, b, c, 4, 1)
#define dot8_unsigned(a, b, c) dot(a, b, c, 4, 0)
#define dot2_signed(a, b, c) dot(a, b, c, 16, 1)
#define dot2_unsigned(a, b, c) dot(a, b, c, 16, 0)
#define dot2_half(a, b, c) ((float)(a).x * (float)(b).x + (float)(a).y * (float)(b).y + (c))
#endif

KERNEL(dots)(uint n, global const uint* a, global const uint* b, global const uint* c,
             global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = a[i], y = b[i], z = c[i];
  global uint* o = out + i;
  o[0] = (uint)dot4_signed(x, y, z);
  o[n] = dot4_unsigned(x, y, z);
  o[2 * n] = (uint)dot8_signed(x, y, z);
  o[3 * n] = dot8_unsigned(x, y, z);
  o[4 * n] = (uint)dot2_signed(x, y, z);
  o[5 * n] = dot2_unsigned(x, y, z);
  // Whole numbers: exact in any order.
  const half2 p = {(half)(int)(x & 63), (half)(int)(x >> 8 & 63)};
  const half2 q = {(half)(int)(y & 63), (half)(int)(y >> 8 & 63)};
  o[6 * n] = (uint)(int)dot2_half(p, q, (float)(z & 0xFFF));
}
#endif

#ifdef __AMDGPU__
#define med3 __builtin_amdgcn_fmed3f
#define mantissa __builtin_amdgcn_frexp_mantf
#define exponent __builtin_amdgcn_frexp_expf
#define fract_of __builtin_amdgcn_fractf
#define has_class __builtin_amdgcn_classf
#define scaled(x, by) __builtin_ldexpf(x, by)
#define towards_zero(x, y) __builtin_astype(__builtin_amdgcn_cvt_pkrtz(x, y), uint)
#else
static float med3(float a, float b, float c) {
  const float low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}
static int is_finite(float x) { return (__builtin_astype(x, uint) & 0x7F800000) != 0x7F800000; }
float frexpf(float x, int* by);
static float mantissa(float x) {
  int by;
  return is_finite(x) ? frexpf(x, &by) : x;
}
static int exponent(float x) {
  int by = 0;
  if (is_finite(x)) frexpf(x, &by);
  return x == 0 ? 0 : by;
}
static float fract_of(float x) {
  const float part = x - __builtin_floorf(x);
  return part >= 1.0f ? 0x1.fffffep-1f : part;
}
static int has_class(float x, int mask) {
  const uint bits = __builtin_astype(x, uint);
  const uint size = bits & 0x7FFFFFFF;
  const int negative = bits >> 31 != 0;
  const int bit = size > 0x7FC00000 - 1   ? 1
                  : size > 0x7F800000     ? 0
                  : size == 0x7F800000    ? (negative ? 2 : 9)
                  : size >= 0x00800000    ? (negative ? 3 : 8)
                  : size != 0             ? (negative ? 4 : 7)
                                          : (negative ? 5 : 6);
  return (mask >> bit & 1) != 0;
}
#define scaled(x, by) __builtin_ldexpf(x, by)
static uint half_towards_zero(float x) {
  const half nearest = (half)x;
  uint bits = __builtin_astype(nearest, ushort);
  if (is_finite(x) && __builtin_fabsf((float)nearest) > __builtin_fabsf(x)) --bits;
  return bits;
}
static uint towards_zero(float x, float y) {
  return half_towards_zero(x) | half_towards_zero(y) << 16;
}
#endif

KERNEL(float_parts)(uint n, global const float* a, global const float* b, global const float* c,
                    global float* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const float x = a[i], y = b[i], z = c[i];
  global float* o = out + i;
  const int numbers = x == x && y == y && z == z;
  o[0] = numbers ? med3(x, y, z) + 0.0f : 0;  // of zeros the sign is anyone's
  o[n] = mantissa(x);
  o[2 * n] = (float)exponent(x);
  o[3 * n] = __builtin_fabsf(x) < 1e30f ? fract_of(x) : 0;
  o[4 * n] = scaled(x, (int)(__builtin_astype(y, uint) % 300) - 150);
  uint classes = 0;
  for (int bit = 0; bit < 10; ++bit) classes |= (uint)has_class(x, 1 << bit) << bit;
  classes |= (uint)has_class(y, 0x204) << 10 | (uint)has_class(z, 0x1F8) << 11;
  o[5 * n] = (float)classes;
  o[6 * n] = __builtin_astype(numbers ? towards_zero(y, z) : 0, float);
}

/// What the hardware approximates: within one ULP, of numbers in the middle.
#ifdef __AMDGPU__
#define reciprocal __builtin_amdgcn_rcpf
#define reciprocal_root __builtin_amdgcn_rsqf
#define root __builtin_amdgcn_sqrtf
#define log_2 __builtin_amdgcn_logf
#define exp_2 __builtin_amdgcn_exp2f
#define sine_of_turns __builtin_amdgcn_sinf
#define cosine_of_turns __builtin_amdgcn_cosf
#define reciprocal64 __builtin_amdgcn_rcp
#define reciprocal_root64 __builtin_amdgcn_rsq
#else
double twin_log2(double x);
double twin_exp2(double x);
double twin_sine_of_turns(double x);
double twin_cosine_of_turns(double x);
#define reciprocal(x) (float)(1.0 / (double)(x))
#define reciprocal_root(x) (float)(1.0 / __builtin_sqrt((double)(x)))
#define root(x) (float)__builtin_sqrt((double)(x))
#define log_2(x) (float)twin_log2(x)
#define exp_2(x) (float)twin_exp2(x)
#define sine_of_turns(x) (float)twin_sine_of_turns(x)
#define cosine_of_turns(x) (float)twin_cosine_of_turns(x)
#define reciprocal64(x) (1.0 / (x))
#define reciprocal_root64(x) (1.0 / __builtin_sqrt(x))
#endif

KERNEL(approximations)(uint n, global const float* a, global const double* d, global float* out,
                       global double* wide) {
  const uint i = global_id(0);
  if (i >= n) return;
  const float x = a[i];
  out[i] = reciprocal(x);
  out[n + i] = reciprocal_root(x);
  out[2 * n + i] = root(x);
  out[3 * n + i] = log_2(x);
  out[4 * n + i] = exp_2(x);
  out[5 * n + i] = sine_of_turns(x);
  out[6 * n + i] = cosine_of_turns(x);
  wide[i] = reciprocal64(d[i]);
  wide[n + i] = reciprocal_root64(d[i]);
}

/// Buffers with a bound: reads behind it give 0, writes are dropped.
#ifdef __AMDGPU__
typedef __amdgpu_buffer_rsrc_t bounded;
static bounded bound(global void* p, uint bytes) {
  return __builtin_amdgcn_make_buffer_rsrc(p, 0, (int)bytes, 0x00027000);
}
#define load_bounded(b, at, from) __builtin_amdgcn_raw_buffer_load_b32(b, (int)(at), (int)(from), 0)
#define store_bounded(b, value, at, from) \
  __builtin_amdgcn_raw_buffer_store_b32(value, b, (int)(at), (int)(from), 0)
#else
typedef struct {
  global uchar* p;
  uint bytes;
} bounded;
static bounded bound(global void* p, uint bytes) {
  bounded b = {p, bytes};
  return b;
}
static uint load_bounded(bounded b, uint at, uint from) {
  return at + 4 <= b.bytes - from ? *(global uint*)(b.p + at + from) : 0;
}
static void store_bounded(bounded b, uint value, uint at, uint from) {
  if (at + 4 <= b.bytes - from) *(global uint*)(b.p + at + from) = value;
}
#endif

KERNEL(buffers)(uint n, global uint* in, global uint* out) {
  const uint i = global_id(0);
  bounded from = bound(in, n / 2 * 4);
  bounded to = bound(out, n * 3);
  const uint value = load_bounded(from, 4 * i, 0) + load_bounded(from, 8 * i, 16) * 3;
  store_bounded(to, value + 1, 4 * (n - 1 - i), 0);
}

/// Clocks go on; where a wave runs is some number.
KERNEL(clocks)(global uint* out) {
#ifdef __AMDGPU__
  const ulong first = __builtin_amdgcn_s_memrealtime();
  const ulong cycles = __builtin_amdgcn_s_memtime();
  __builtin_amdgcn_s_sleep(2);
  const ulong second = __builtin_amdgcn_s_memrealtime();
  const ulong more = __builtin_amdgcn_s_memtime();
  const uint id = __builtin_amdgcn_s_getreg(0xF804);  // HW_ID, all 32 bits
  out[global_id(0)] = first <= second && cycles <= more && first != 0 && (id & 0xF0000000u) == 0;
#else
  out[global_id(0)] = 1;
#endif
}

#if !defined(__AMDGPU__) || defined(__gfx90a__) || defined(__gfx942__)
#ifdef __gfx942__
#define LOAD_TO_LDS "global_load_lds_dword %1, off"
#else
#define LOAD_TO_LDS "global_load_dword %1, off lds"
#endif
/// Through LDS without a register in between; M0 says where.
KERNEL(load_to_lds)(global const uint* in, global uint* out) {
  SHARED(uint, room, 256);
  const uint l = local_id(0);
#ifdef __AMDGPU__
  const uint base = (uint)(size_t)(room + l / 64 * 64);
  __asm__ volatile("v_readfirstlane_b32 m0, %0\n s_nop 0\n" LOAD_TO_LDS "\n s_waitcnt vmcnt(0)"
                   :
                   : "v"(base), "v"(in + global_id(0))
                   : "memory");
#else
  room[l] = in[global_id(0)];
#endif
  group_barrier();
  out[global_id(0)] = room[255 - l] + 1;
}
#endif

#if !defined(__AMDGPU__) || defined(__gfx942__)
/// Formats of 8 bits, there and back: each number that is one comes back as it was.
KERNEL(tiny_floats)(uint n, global const uint* in, global float* out, global uint* back) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = in[i];
#ifdef __AMDGPU__
  out[i] = __builtin_amdgcn_cvt_f32_fp8((int)x, 0);
  out[n + i] = __builtin_amdgcn_cvt_f32_fp8((int)x, 2);
  out[2 * n + i] = __builtin_amdgcn_cvt_f32_bf8((int)x, 1);
  out[3 * n + i] = __builtin_amdgcn_cvt_f32_bf8((int)x, 3);
  const float2 low = __builtin_amdgcn_cvt_pk_f32_bf8((int)x, false);
  const float2 high = __builtin_amdgcn_cvt_pk_f32_fp8((int)x, true);
  out[4 * n + i] = low.x + high.y;
  out[5 * n + i] = low.y + high.x;
  back[i] = (uint)__builtin_amdgcn_cvt_pk_fp8_f32(out[i], out[n + i], 0, false) & 0xFFFF;
  back[n + i] = (uint)__builtin_amdgcn_cvt_pk_bf8_f32(out[2 * n + i], out[3 * n + i], 0, true) >> 16;
#else
  const uchar bytes[4] = {(uchar)x, (uchar)(x >> 8), (uchar)(x >> 16), (uchar)(x >> 24)};
  out[i] = (float)tiny_float(bytes[0], 3, 8);
  out[n + i] = (float)tiny_float(bytes[2], 3, 8);
  out[2 * n + i] = (float)tiny_float(bytes[1], 2, 16);
  out[3 * n + i] = (float)tiny_float(bytes[3], 2, 16);
  out[4 * n + i] = (float)tiny_float(bytes[0], 2, 16) + (float)tiny_float(bytes[3], 3, 8);
  out[5 * n + i] = (float)tiny_float(bytes[1], 2, 16) + (float)tiny_float(bytes[2], 3, 8);
  back[i] = (uint)bytes[0] | (uint)bytes[2] << 8;
  back[n + i] = (uint)bytes[1] | (uint)bytes[3] << 8;
#endif
}
#endif
