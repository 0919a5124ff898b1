// Control flow: lanes that part and meet again, long loops, many cases.
#include "kernel.h"

KERNEL(mandelbrot)(uint width, uint height, uint limit, global uint* out) {
  const uint x = global_id(0), y = global_id(1);
  if (x >= width || y >= height) return;
  const float cr = (float)x / (float)width * 3.0f - 2.0f;
  const float ci = (float)y / (float)height * 2.0f - 1.0f;
  float zr = 0, zi = 0;
  uint count = 0;
  while (count < limit && zr * zr + zi * zi < 4.0f) {
    const float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
    ++count;
  }
  out[y * width + x] = count;
}

/// Loops of which each lane leaves in its own time, by break, continue and return.
KERNEL(collatz)(uint n, global const uint* in, global uint* steps) {
  const uint i = global_id(0);
  if (i >= n) return;
  uint x = in[i] % 4096 + 1;
  uint count = 0;
  for (;;) {
    if (x == 1) break;
    if (++count > 200) {
      steps[i] = ~0u;
      return;
    }
    if (x % 2 == 0) {
      x /= 2;
      continue;
    }
    x = 3 * x + 1;
  }
  steps[i] = count;
}

/// A machine of twelve instructions, each lane with a program of its own.
KERNEL(interpreter)(uint length, global const uchar* programs, global uint* out) {
  const uint i = global_id(0);
  global const uchar* program = programs + i * length;
  uint a = i, b = 1, c = 0;
  for (uint pc = 0, fuel = 200; pc < length && fuel != 0; ++pc, --fuel) {
    switch (program[pc] % 12) {
      case 0: a += b; break;
      case 1: b ^= a << 3; break;
      case 2: c = a * b + 1; break;
      case 3: a = a >> (b & 7); break;
      case 4: b = c - a; break;
      case 5: if ((c & 1) != 0) ++pc; break;
      case 6: if (a > b) pc += 2; break;
      case 7: a ^= 0x5BD1E995u; break;
      case 8: { const uint t = a; a = c; c = t; } break;
      case 9: if ((b & 4) != 0 && pc >= 3) pc -= 3; break;
      case 10: for (uint k = 0; k < (a & 3); ++k) b = b * 5 + k; break;
      default: c += 0x01000193u; break;
    }
  }
  out[3 * i] = a;
  out[3 * i + 1] = b;
  out[3 * i + 2] = c;
}

/// The same for the whole wave: branches on scalars.
KERNEL(uniform)(uint n, global const uint* program, global uint* out) {
  uint h = 1;
  for (uint k = 0; k < n; ++k) {
    const uint word = program[k];
    switch (word % 7) {
      case 0: h += word; break;
      case 1: h *= 31; break;
      case 2: h ^= h >> 13; break;
      case 3: h = h << 5 | h >> 27; break;
      case 4: if (h % 3 == 0) h -= word; else h = ~h; break;
      case 5: h += (uint)__builtin_popcount(word); break;
      default: h ^= 0x9E3779B9u; break;
    }
  }
  out[global_id(0)] = h + local_id(0);
}

/// Nested conditions, each with code on both sides.
KERNEL(nested)(uint n, global const uint* in, global uint* out) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint x = in[i];
  uint h = x;
  for (uint k = 0; k < (x & 7); ++k) {
    if ((x >> k & 1) != 0) {
      for (uint j = k; j < (x >> 8 & 7); ++j) {
        if (h % 5 == 0) break;
        h = h * 3 + ((x >> j & 2) != 0 ? j : k * 7);
        if ((h & 0x100) != 0) continue;
        h ^= x;
      }
    } else if ((h & 2) != 0) {
      h = h / 3 + k;
    } else {
      h += (x >> 16) * (k + 1);
      do {
        h -= 7;
      } while (h % 11 != 0 && (h & 31) != 5);
    }
  }
  out[i] = h;
}

/// Many rounds of little work: a wave's slice is used up again and again.
KERNEL(long_loop)(uint rounds, global ulong* state) {
  const uint i = global_id(0);
  ulong s = state[i];
  for (uint k = 0; k < rounds; ++k) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
  }
  state[i] = s;
}
