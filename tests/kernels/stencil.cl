// Stencils over grids of two and three dimensions.
#include "kernel.h"

/// Five points; borders stay. The tile with its halo lies in LDS.
KERNEL(stencil2)(uint width, uint height, global const float* in, global float* out) {
  SHARED(float, tile, 10, [34]);
  const uint x = global_id(0), y = global_id(1);
  const uint lx = local_id(0) + 1, ly = local_id(1) + 1;
  const int inside = x < width && y < height;
  const float own = inside ? in[y * width + x] : 0.0f;
  tile[ly][lx] = own;
  if (lx == 1) tile[ly][0] = inside && x != 0 ? in[y * width + x - 1] : 0.0f;
  if (ly == 1) tile[0][lx] = inside && y != 0 ? in[(y - 1) * width + x] : 0.0f;
  if (lx == 32) tile[ly][33] = x + 1 < width && y < height ? in[y * width + x + 1] : 0.0f;
  if (ly == 8) tile[9][lx] = x < width && y + 1 < height ? in[(y + 1) * width + x] : 0.0f;
  group_barrier();
  if (!inside) return;
  const int border = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
  const float around = (tile[ly][lx - 1] + tile[ly][lx + 1]) + (tile[ly - 1][lx] + tile[ly + 1][lx]);
  out[y * width + x] = border ? own : __builtin_fmaf(around, 0.125f, own * 0.5f);
}

/// Seven points, straight from memory, with wrapped edges; ragged blocks of three dimensions.
KERNEL(stencil3)(global const double* in, global double* out) {
  const uint nx = global_size(0), ny = global_size(1), nz = global_size(2);
  const uint x = global_id(0), y = global_id(1), z = global_id(2);
#define AT(x, y, z) in[(((z) % nz) * ny + (y) % ny) * nx + (x) % nx]
  double sum = AT(x, y, z) * -6.0;
  sum += AT(x + 1, y, z);
  sum += AT(x + nx - 1, y, z);
  sum += AT(x, y + 1, z);
  sum += AT(x, y + ny - 1, z);
  sum += AT(x, y, z + 1);
  sum += AT(x, y, z + nz - 1);
  out[(z * ny + y) * nx + x] = sum * 0.25;
}
