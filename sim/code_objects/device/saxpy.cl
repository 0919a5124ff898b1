// y = a * x + y over n elements; one work-item per element.
//
// Without the device libraries get_global_id() is spelt with the compiler's builtins.
static size_t global_id_x(void) {
  return (size_t)__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
         __builtin_amdgcn_workitem_id_x();
}

kernel void saxpy(global float* restrict y, global const float* restrict x, float a, uint n) {
  const size_t i = global_id_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
