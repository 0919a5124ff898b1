// LDS: scans, histograms, transposition, sorting.
#include "kernel.h"

/// Inclusive, of each block (Hillis and Steele), in two halves of LDS.
KERNEL(scan)(uint n, global const uint* in, global uint* out) {
  SHARED(uint, sum, 2, [256]);
  const uint l = local_id(0);
  const uint i = global_id(0);
  uint from = 0;
  sum[0][l] = i < n ? in[i] : 0;
  group_barrier();
  for (uint step = 1; step < local_size(0); step *= 2) {
    sum[1 - from][l] = sum[from][l] + (l >= step ? sum[from][l - step] : 0);
    from = 1 - from;
    group_barrier();
  }
  if (i < n) out[i] = sum[from][l];
}

/// Counts of the block in LDS, then of the grid in memory.
KERNEL(histogram)(uint n, global const uchar* in, global uint* counts) {
  SHARED(uint, mine, 256);
  for (uint k = local_id(0); k < 256; k += local_size(0)) mine[k] = 0;
  group_barrier();
  for (uint i = global_id(0); i < n; i += global_size(0))
    ATOMIC(fetch_add, (local atomic_uint*)&mine[in[i]], 1u);
  group_barrier();
  for (uint k = local_id(0); k < 256; k += local_size(0))
    if (mine[k] != 0) ATOMIC(fetch_add, (global atomic_uint*)&counts[k], mine[k]);
}

/// Tiles of 16 x 16; the column of padding keeps banks apart.
KERNEL(transpose)(uint width, uint height, global const uint* in, global uint* out) {
  SHARED(uint, tile, 16, [17]);
  const uint x = global_id(0), y = global_id(1);
  if (x < width && y < height) tile[local_id(1)][local_id(0)] = in[y * width + x];
  group_barrier();
  const uint to_x = group_id(1) * 16 + local_id(0);
  const uint to_y = group_id(0) * 16 + local_id(1);
  if (to_x < height && to_y < width) out[to_y * height + to_x] = tile[local_id(0)][local_id(1)];
}

/// Of blocks of 256: Batcher's network.
KERNEL(bitonic)(global uint* keys) {
  SHARED(uint, key, 256);
  const uint l = local_id(0);
  key[l] = keys[global_id(0)];
  group_barrier();
  for (uint size = 2; size <= 256; size *= 2) {
    for (uint step = size / 2; step != 0; step /= 2) {
      const uint other = l ^ step;
      if (other > l) {
        const uint a = key[l], b = key[other];
        if ((a > b) == ((l & size) == 0)) {
          key[l] = b;
          key[other] = a;
        }
      }
      group_barrier();
    }
  }
  keys[global_id(0)] = key[l];
}

/// LDS that the dispatch brings; elements of 8 and 16 bytes.
KERNEL(rotate)(global const ulong2* in, global ulong2* out, local ulong2* room) {
  const uint l = local_id(0);
  const uint size = local_size(0);
  room[l] = in[global_id(0)];
  group_barrier();
  ulong2 value = room[(l + 1) % size];
  group_barrier();
  ((local ulong*)room)[2 * l] = value.y;
  ((local ulong*)room)[2 * l + 1] = value.x;
  group_barrier();
  ulong2 sum = room[l] + room[(l + size - 1) % size].yx;
  sum.x += ((local ushort*)room)[5 * l];
  sum.y += (ulong)(long)((local char*)room)[11 * l + 1];
  out[global_id(0)] = sum;
}
