// One step of a ring for one chunk of floats: take what the neighbour before has delivered, add it,
// keep it, deliver it to the neighbour after. Which of these is done is in `what`.
#define RECEIVE 1u
#define ADD 2u
#define KEEP 4u
#define SEND 8u

kernel void ring_step_sum_f32(global float* remote, global float* own,
                              global const float* received, uint count, uint what) {
  const uint i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                 __builtin_amdgcn_workitem_id_x();
  if (i >= count) return;
  float value = (what & RECEIVE) ? received[i] : own[i];
  if (what & ADD) value += own[i];
  if (what & KEEP) own[i] = value;
  if (what & SEND) remote[i] = value;
}
