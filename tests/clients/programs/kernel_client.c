/* A program on libhsa-runtime64 that runs kernels of code objects:
 *   saxpy FILE N        y = 2 x + y, compared with the CPU's
 *   null FILE           the same with null pointers
 *   many FILE COUNT     one launch after the other, each waited for; microseconds per launch
 *   flood FILE COUNT    as many in flight as the ring takes; launches per second
 *   spin FILE           a kernel that does not end (endless); its queue is destroyed after 300 ms
 * "key value" lines on standard output; the status of the first failing call on standard error, exit 1.
 */
#include <fcntl.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CHECK(call)                                                          \
  do {                                                                       \
    const hsa_status_t status_ = (call);                                     \
    if (status_ != HSA_STATUS_SUCCESS && status_ != HSA_STATUS_INFO_BREAK) { \
      fprintf(stderr, "%s: status 0x%x\n", #call, status_);                  \
      exit(1);                                                               \
    }                                                                        \
  } while (0)

static hsa_agent_t gpu, cpu;
static _Atomic unsigned queue_error;

static hsa_status_t note_agent(hsa_agent_t agent, void* data) {
  (void)data;
  hsa_device_type_t type;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_GPU && gpu.handle == 0) gpu = agent;
  if (type == HSA_DEVICE_TYPE_CPU && cpu.handle == 0) cpu = agent;
  return HSA_STATUS_SUCCESS;
}

struct pools {
  hsa_amd_memory_pool_t fine, coarse, kernarg;
};

static hsa_status_t note_pool(hsa_amd_memory_pool_t pool, void* data) {
  struct pools* found = data;
  hsa_amd_segment_t segment;
  uint32_t flags = 0;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0) found->kernarg = pool;
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0) found->coarse = pool;
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0) found->fine = pool;
  return HSA_STATUS_SUCCESS;
}

static void on_queue_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  (void)queue;
  (void)data;
  atomic_store(&queue_error, status);
}

struct kernel {
  uint64_t object;
  uint32_t kernarg, group, private_bytes;
};

static struct kernel load(const char* path, const char* name) {
  const int file = open(path, O_RDONLY);
  if (file < 0) {
    perror(path);
    exit(1);
  }
  hsa_code_object_reader_t reader;
  hsa_executable_t executable;
  hsa_executable_symbol_t symbol;
  CHECK(hsa_code_object_reader_create_from_file(file, &reader));
  CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, NULL,
                                  &executable));
  CHECK(hsa_executable_load_agent_code_object(executable, gpu, reader, NULL, NULL));
  CHECK(hsa_executable_freeze(executable, NULL));
  CHECK(hsa_executable_get_symbol_by_name(executable, name, &gpu, &symbol));
  struct kernel kernel;
  CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                       &kernel.object));
  CHECK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernel.kernarg));
  CHECK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &kernel.group));
  CHECK(hsa_executable_symbol_get_info(
      symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &kernel.private_bytes));
  return kernel;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void launch(hsa_queue_t* queue, const struct kernel* kernel, void* kernarg, uint32_t grid,
                   uint16_t group, hsa_signal_t done) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  hsa_kernel_dispatch_packet_t* slot =
      (hsa_kernel_dispatch_packet_t*)queue->base_address + (index & (queue->size - 1));
  hsa_kernel_dispatch_packet_t packet;
  memset(&packet, 0, sizeof packet);
  packet.workgroup_size_x = group;
  packet.workgroup_size_y = packet.workgroup_size_z = 1;
  packet.grid_size_x = grid;
  packet.grid_size_y = packet.grid_size_z = 1;
  packet.group_segment_size = kernel->group;
  packet.private_segment_size = kernel->private_bytes;
  packet.kernel_object = kernel->object;
  packet.kernarg_address = kernarg;
  packet.completion_signal = done;
  memcpy((char*)slot + 4, (char*)&packet + 4, sizeof packet - 4);
  const uint16_t header =
      (uint16_t)(HSA_PACKET_TYPE_KERNEL_DISPATCH | 1 << HSA_PACKET_HEADER_BARRIER |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  __atomic_store_n((uint32_t*)slot, header | 1u << 16, __ATOMIC_RELEASE); /* one dimension */
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

/* The kernel stores to a signal for which this thread sleeps, long before it would look again. */
static void notified(const char* path, void* kernarg) {
  const struct kernel kernel = load(path, "notify.kd");
  hsa_signal_t told;
  CHECK(hsa_signal_create(1, 0, NULL, &told));
  struct {
    uint64_t signal, value;
    uint32_t rounds;
  }* arguments = kernarg;
  arguments->signal = told.handle;
  arguments->value = 0;
  arguments->rounds = 5000000;
  hsa_queue_t* queue;
  CHECK(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, on_queue_error, NULL, UINT32_MAX,
                         UINT32_MAX, &queue));
  launch(queue, &kernel, kernarg, 64, 64, (hsa_signal_t){0});
  const uint64_t begin = now_ns(), patience = 20000000000u;
  const hsa_signal_value_t value = hsa_signal_wait_scacquire(
      told, HSA_SIGNAL_CONDITION_LT, 1, patience, HSA_WAIT_STATE_BLOCKED);
  /* Once its time is up it looks, too. */
  const char* how = now_ns() - begin < patience / 2 ? "woken" : "time is up";
  printf("%s value %" PRId64 " error 0x%x\n", how, (int64_t)value, atomic_load(&queue_error));
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_signal_destroy(told));
}

struct arguments {
  float *y, *x;
  float a;
  uint32_t n;
};

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* what = argv[1];
  const uint32_t number = argc > 3 ? (uint32_t)atoi(argv[3]) : 1000;
  const bool is_null = strcmp(what, "null") == 0;
  const uint32_t n = strcmp(what, "saxpy") == 0 ? number : is_null ? 64 : 0;
  CHECK(hsa_init());
  CHECK(hsa_iterate_agents(note_agent, NULL));
  if (gpu.handle == 0) {
    fprintf(stderr, "no GPU agent\n");
    return 1;
  }
  const bool spins = strcmp(what, "spin") == 0;
  const bool tells = strcmp(what, "tell") == 0;
  const struct kernel kernel = load(argv[2], tells ? "notify.kd" : spins ? "endless.kd" : "saxpy.kd");
  struct pools host = {{0}, {0}, {0}}, device = {{0}, {0}, {0}};
  CHECK(hsa_amd_agent_iterate_memory_pools(cpu, note_pool, &host));
  CHECK(hsa_amd_agent_iterate_memory_pools(gpu, note_pool, &device));
  struct arguments* arguments;
  float *x, *y;
  const size_t bytes = (n + 64) * sizeof(float);
  CHECK(hsa_amd_memory_pool_allocate(host.kernarg, 4096, 0, (void**)&arguments));
  CHECK(hsa_amd_memory_pool_allocate(host.fine, bytes, 0, (void**)&x));
  CHECK(hsa_amd_memory_pool_allocate(device.coarse, bytes, 0, (void**)&y));
  CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, arguments));
  CHECK(hsa_amd_agents_allow_access(1, &gpu, NULL, x));
  CHECK(hsa_amd_agents_allow_access(1, &cpu, NULL, y));
  memset(arguments, 0, 4096);
  for (uint32_t i = 0; i < n; ++i) {
    x[i] = (float)i * 0.25f;
    y[i] = 1.0f / (float)(i + 1);
  }
  if (tells) {
    notified(argv[2], arguments);
    CHECK(hsa_shut_down());
    return 0;
  }
  *arguments = (struct arguments){is_null ? NULL : y, is_null ? NULL : x, 2.0f, n};
  hsa_queue_t* queue;
  CHECK(hsa_queue_create(gpu, 1024, HSA_QUEUE_TYPE_MULTI, on_queue_error, NULL, UINT32_MAX,
                         UINT32_MAX, &queue));
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  const bool many = strcmp(what, "many") == 0, flood = strcmp(what, "flood") == 0;
  const uint32_t count = many || flood ? number : 1;
  if (flood) hsa_signal_store_relaxed(done, count);
  const uint64_t begin = now_ns();
  if (spins) {
    launch(queue, &kernel, arguments, 64, 64, done);
    printf("value %" PRId64 "\n",
           (int64_t)hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 300000000u,
                                              HSA_WAIT_STATE_BLOCKED));
    CHECK(hsa_queue_destroy(queue));
    printf("destroyed\n");
    CHECK(hsa_shut_down());
    return 0;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!flood) hsa_signal_store_relaxed(done, 1);
    launch(queue, &kernel, arguments, n == 0 ? 64 : n, 64, done);
    if (flood) continue;
    if (hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 20000000000u,
                                  many ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED) != 0) {
      printf("error 0x%x\n", atomic_load(&queue_error));
      return 3;
    }
  }
  if (flood) hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_ACTIVE);
  const double seconds = (double)(now_ns() - begin) / 1e9;
  if (many) printf("us_per_launch %.2f\n", seconds * 1e6 / count);
  if (flood) printf("launches_per_s %.0f\n", count / seconds);
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < n; ++i) wrong += y[i] != fmaf(2.0f, (float)i * 0.25f, 1.0f / (float)(i + 1));
  printf("wrong %u of %u\n", wrong, n);
  CHECK(hsa_queue_destroy(queue));
  CHECK(hsa_shut_down());
  printf("done\n");
  return 0;
}
