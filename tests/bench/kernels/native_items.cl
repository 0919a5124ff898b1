// Kernels without barriers as loops over work-items, which clang vectorises: the kernel's own source
// is the body. OpenCL C has no `omp simd`; assume_safety promises the same.
#define ROCDRILL_ITEMS
#include "floats.cl"
#include "linear.cl"
#include "stencil.cl"

// As native.hpp has it.
struct NativeLaunch {
  uint size[3];
  uint group[3];
  uint groups[3];
  const void* const* arguments;
};

static struct Item first_item(const struct NativeLaunch* launch, uint group) {
  struct Item item;
  item.group[0] = group % launch->groups[0];
  item.group[1] = group / launch->groups[0] % launch->groups[1];
  item.group[2] = group / launch->groups[0] / launch->groups[1];
  for (uint n = 0; n < 3; ++n) {
    item.id[n] = 0;
    item.size[n] = item.full_size[n] = launch->group[n];
    item.global_size[n] = launch->size[n];
  }
  return item;
}

#define NATIVE(name, declarations, ...)                                                \
  void native_##name(const struct NativeLaunch* launch, uint first, uint last) {       \
    declarations                                                                       \
    for (uint group = first; group < last; ++group) {                                  \
      struct Item item = first_item(launch, group);                                    \
      const uint width = item.size[0];                                                 \
      for (item.id[2] = 0; item.id[2] < item.size[2]; ++item.id[2])           \
        for (item.id[1] = 0; item.id[1] < item.size[1]; ++item.id[1]) {       \
          _Pragma("clang loop vectorize(assume_safety)") for (uint x = 0; x < width; ++x) { \
            struct Item one = item;                                                    \
            one.id[0] = x;                                                          \
            item_##name(one, __VA_ARGS__);                                             \
          }                                                                            \
        }                                                                              \
    }                                                                                  \
  }
#define ARGUMENT(n, type) type const a##n = *(type const*)launch->arguments[n];

typedef global const float* floats;
typedef global float* floats_out;
typedef global const double* doubles;
typedef constant double* constant_doubles;
typedef global double* doubles_out;
typedef global const uint4* quads;
typedef global uint4* quads_out;

NATIVE(saxpy, ARGUMENT(0, uint) ARGUMENT(1, float) ARGUMENT(2, floats) ARGUMENT(3, floats_out), a0,
       a1, a2, a3)
NATIVE(copy4, ARGUMENT(0, uint) ARGUMENT(1, quads) ARGUMENT(2, quads_out), a0, a1, a2)
NATIVE(stencil3, ARGUMENT(0, doubles) ARGUMENT(1, doubles_out), a0, a1)
NATIVE(polynomial,
       ARGUMENT(0, uint) ARGUMENT(1, doubles) ARGUMENT(2, constant_doubles)
           ARGUMENT(3, doubles_out),
       a0, a1, a2, a3)
NATIVE(arithmetic32,
       ARGUMENT(0, uint) ARGUMENT(1, floats) ARGUMENT(2, floats) ARGUMENT(3, floats_out), a0, a1,
       a2, a3)
