// SHA-256 (FIPS 180-4) of messages of one block each.
#include "kernel.h"

constant uint k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint rotate_right(uint x, uint by) { return x >> by | x << (32 - by); }

/// `messages`: 55 bytes or fewer each, in slots of 64; `lengths` in bytes.
KERNEL(sha256)(uint n, global const uchar* messages, global const uint* lengths,
               global uint* digests) {
  const uint i = global_id(0);
  if (i >= n) return;
  const uint length = lengths[i];
  uint w[64];
  for (uint t = 0; t < 16; ++t) {
    w[t] = 0;
    for (uint b = 0; b < 4; ++b) {
      const uint at = 4 * t + b;
      const uint byte = at < length ? messages[i * 64 + at] : at == length ? 0x80 : 0;
      w[t] = w[t] << 8 | byte;
    }
  }
  w[15] = length * 8;
  for (uint t = 16; t < 64; ++t) {
    const uint s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  const uint start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint h[8];
  for (uint t = 0; t < 8; ++t) h[t] = start[t];
  for (uint t = 0; t < 64; ++t) {
    const uint s1 = rotate_right(h[4], 6) ^ rotate_right(h[4], 11) ^ rotate_right(h[4], 25);
    const uint choice = (h[4] & h[5]) ^ (~h[4] & h[6]);
    const uint one = h[7] + s1 + choice + k256[t] + w[t];
    const uint s0 = rotate_right(h[0], 2) ^ rotate_right(h[0], 13) ^ rotate_right(h[0], 22);
    const uint majority = (h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]);
    for (uint k = 7; k != 0; --k) h[k] = h[k - 1];
    h[4] += one;
    h[0] = one + s0 + majority;
  }
  for (uint t = 0; t < 8; ++t) digests[i * 8 + t] = start[t] + h[t];
}
