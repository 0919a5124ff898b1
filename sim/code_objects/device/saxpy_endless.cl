// y = a * x + y with a bug: the workgroups wait for each other at a barrier across the grid, and the
// barrier counts one workgroup more than there are.
static size_t global_id_x(void) {
  return (size_t)__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

global uint arrived;

kernel void saxpy(global float* restrict y, global const float* restrict x, float a, uint n) {
  const uint groups = n / __builtin_amdgcn_workgroup_size_x() + 1;
  if (__builtin_amdgcn_workitem_id_x() == 0) {
    __scoped_atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    while (__scoped_atomic_load_n(&arrived, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < groups) {
      __builtin_amdgcn_s_sleep(1);
    }
  }
  __builtin_amdgcn_s_barrier();
  const size_t i = global_id_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
