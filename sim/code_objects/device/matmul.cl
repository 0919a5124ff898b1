// C = A * B for square row-major matrices of n x n floats.
#define TILE 16

static uint row(void) {
  return __builtin_amdgcn_workgroup_id_y() * TILE + __builtin_amdgcn_workitem_id_y();
}
static uint column(void) {
  return __builtin_amdgcn_workgroup_id_x() * TILE + __builtin_amdgcn_workitem_id_x();
}
static void barrier_workgroup(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// Every element of C reads its row and its column from memory.
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void matmul_naive(
    global float* restrict c, global const float* restrict a, global const float* restrict b,
    uint n) {
  const uint i = row();
  const uint j = column();
  if (i >= n || j >= n) return;
  float sum = 0.0f;
  for (uint k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

// The workgroup stages tiles of A and B in LDS. n is a multiple of 16.
__attribute__((reqd_work_group_size(TILE, TILE, 1))) kernel void matmul_tiled(
    global float* restrict c, global const float* restrict a, global const float* restrict b,
    uint n) {
  local float tile_a[TILE][TILE];
  local float tile_b[TILE][TILE];
  const uint x = __builtin_amdgcn_workitem_id_x();
  const uint y = __builtin_amdgcn_workitem_id_y();
  float sum = 0.0f;
  for (uint step = 0; step < n; step += TILE) {
    tile_a[y][x] = a[row() * n + step + x];
    tile_b[y][x] = b[(step + y) * n + column()];
    barrier_workgroup();
    for (uint k = 0; k < TILE; ++k) sum += tile_a[y][k] * tile_b[k][x];
    barrier_workgroup();
  }
  c[row() * n + column()] = sum;
}

// Dynamic LDS: the size comes from the dispatch packet.
kernel void matmul_row_sum(global float* restrict sums, global const float* restrict c, uint n,
                           local float* partial) {
  const uint lane = __builtin_amdgcn_workitem_id_x();
  const uint width = __builtin_amdgcn_workgroup_size_x();
  const uint i = __builtin_amdgcn_workgroup_id_x();
  float sum = 0.0f;
  for (uint k = lane; k < n; k += width) sum += c[i * n + k];
  partial[lane] = sum;
  barrier_workgroup();
  if (lane != 0) return;
  for (uint k = 1; k < width; ++k) sum += partial[k];
  sums[i] = sum;
}
