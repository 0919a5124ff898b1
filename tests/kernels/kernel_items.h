// The corpus as functions of one work-item for loops over work-items: KERNEL(f)(uint n) becomes
// item_f(struct Item item_, uint n). For kernels without barriers, which such a loop cannot meet.
#pragma once

struct Item {
  uint id[3];
  uint group[3];
  uint size[3];         ///< of this group
  uint full_size[3];    ///< of a group
  uint global_size[3];
};

#define KERNEL(name) static __attribute__((always_inline)) void item_##name WITH_ITEM
#define WITH_ITEM(...) (__attribute__((unused)) const struct Item item_, __VA_ARGS__)
#define SHARED(type, name, count, ...) type name[count] __VA_ARGS__
#define NOINLINE
#define WITHOUT_LANES
#define WITHOUT_HALF

#define local_id(n) (item_.id[n])
#define group_id(n) (item_.group[n])
#define full_group_size(n) (item_.full_size[n])
#define local_size(n) (item_.size[n])
#define global_size(n) (item_.global_size[n])
#define global_id(n) (group_id(n) * full_group_size(n) + local_id(n))
#define group_count(n) ((global_size(n) + full_group_size(n) - 1) / full_group_size(n))
void group_barrier(void);  // nobody defines it
#define SPIN()
#define lane_id() 0u
