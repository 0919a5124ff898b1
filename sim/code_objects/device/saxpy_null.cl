// y = a * x + y with a bug: the scales are read through a device variable that the host should have
// set (hipMemcpyToSymbol) and has not. It is null.
static size_t global_id_x(void) {
  return (size_t)__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

global const float* global scales;

kernel void saxpy(global float* restrict y, global const float* restrict x, float a, uint n) {
  const size_t i = global_id_x();
  if (i < n) y[i] = a * scales[i] * x[i] + y[i];
}
