/* A program on libhsa-runtime64 that looks closely at queues: what becomes of each packet, each wait,
 * each creation. One subcommand per question; "key value" lines on standard output. A failing call is
 * an answer here, not the end. Exit 0 if it got to the end.
 */
#include <dirent.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { most_queues = 64, ring = 64 };
static hsa_agent_t gpu, cpu;
static _Atomic unsigned queue_error;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static hsa_status_t note_agent(hsa_agent_t agent, void* data) {
  (void)data;
  hsa_device_type_t type;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU && gpu.handle == 0) gpu = agent;
  if (type == HSA_DEVICE_TYPE_CPU && cpu.handle == 0) cpu = agent;
  return HSA_STATUS_SUCCESS;
}

static void on_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  (void)queue;
  (void)data;
  atomic_store(&queue_error, status);
}

static hsa_status_t create(hsa_queue_t** queue) {
  return hsa_queue_create(gpu, ring, HSA_QUEUE_TYPE_MULTI, on_error, NULL, UINT32_MAX, UINT32_MAX, queue);
}

static hsa_queue_t* queue_or_exit(void) {
  hsa_queue_t* queue = NULL;
  const hsa_status_t status = create(&queue);
  if (status == HSA_STATUS_SUCCESS) return queue;
  printf("queue 0x%x\n", status);
  exit(1);
}

static hsa_signal_t signal_of(hsa_signal_value_t value) {
  hsa_signal_t made = {0};
  const hsa_status_t status = hsa_signal_create(value, 0, NULL, &made);
  if (status == HSA_STATUS_SUCCESS) return made;
  printf("signal 0x%x\n", status);
  exit(1);
}

/* Whatever the read index says: the caller knows. The header last, with release order. */
static uint64_t submit_packet(hsa_queue_t* queue, uint16_t type, int barrier_bit, const void* packet) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  char* slot = (char*)queue->base_address + (index & (queue->size - 1)) * 64;
  memcpy(slot + 2, (const char*)packet + 2, 64 - 2);
  const uint16_t header =
      (uint16_t)(type | barrier_bit << HSA_PACKET_HEADER_BARRIER |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  __atomic_store_n((uint16_t*)slot, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
  return index;
}

static uint64_t submit(hsa_queue_t* queue, uint16_t type, hsa_signal_t dependency, hsa_signal_t done) {
  hsa_barrier_and_packet_t packet;
  memset(&packet, 0, sizeof packet);
  packet.dep_signal[0] = dependency;
  packet.completion_signal = done;
  return submit_packet(queue, type, 1, &packet);
}

static int64_t wait_ms(hsa_signal_t signal, int ms, hsa_wait_state_t how) {
  return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, (uint64_t)ms * 1000000u, how);
}

static const hsa_signal_t none = {0};

/* Creates them all, and uses those that came. */
static void queues(int count) {
  hsa_queue_t* made[most_queues] = {NULL};
  for (int i = 0; i < count; ++i) printf("create.%d 0x%x\n", i + 1, create(&made[i]));
  int works = 0;
  for (int i = 0; i < count; ++i) {
    if (made[i] == NULL) continue;
    const hsa_signal_t done = signal_of(1);
    submit(made[i], HSA_PACKET_TYPE_BARRIER_AND, none, done);
    works += wait_ms(done, 5000, HSA_WAIT_STATE_ACTIVE) == 0;
    hsa_queue_destroy(made[i]);
  }
  printf("work %d\n", works);
}

/* One packet after the other, each with `ms` to complete; at the end, all signals again. */
static void packets(int count, int ms) {
  hsa_queue_t* queue = queue_or_exit();
  hsa_signal_t done[most_queues];
  for (int i = 0; i < count; ++i) {
    done[i] = signal_of(1);
    const double begin = seconds();
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done[i]);
    printf("wait.%d %" PRId64 "\n", i + 1, wait_ms(done[i], ms, HSA_WAIT_STATE_ACTIVE));
    printf("took_ms.%d %.0f\n", i + 1, (seconds() - begin) * 1e3);
  }
  for (int i = 0; i < count; ++i)
    printf("end.%d %" PRId64 "\n", i + 1, (int64_t)hsa_signal_load_scacquire(done[i]));
  printf("read_index %" PRIu64 "\nerror 0x%x\n", hsa_queue_load_read_index_scacquire(queue),
         atomic_load(&queue_error));
  hsa_queue_destroy(queue);
}

static void* release_later(void* signal) {
  usleep(300000); /* long after a blocked wait has stopped polling */
  hsa_signal_store_screlease(*(hsa_signal_t*)signal, 0);
  return NULL;
}

/* A packet that completes after 300 ms, waited for by interrupt or by polling, 2 s at most. */
static void wake(const char* how) {
  hsa_queue_t* queue = queue_or_exit();
  hsa_signal_t dependency = signal_of(1);
  const hsa_signal_t done = signal_of(1);
  pthread_t thread;
  const double begin = seconds();
  submit(queue, HSA_PACKET_TYPE_BARRIER_AND, dependency, done);
  pthread_create(&thread, NULL, release_later, &dependency);
  const int polls = strcmp(how, "active") == 0;
  const int64_t value = wait_ms(done, 2000, polls ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED);
  printf("value %" PRId64 "\ntook_ms %.0f\n", value, (seconds() - begin) * 1e3);
  pthread_join(thread, NULL);
  hsa_queue_destroy(queue);
}

/* Dimensions and no code object: read as it is written, it is refused for the code object. */
static void submit_dispatch(hsa_queue_t* queue) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  hsa_kernel_dispatch_packet_t* slot =
      (hsa_kernel_dispatch_packet_t*)queue->base_address + (index & (queue->size - 1));
  slot->workgroup_size_x = slot->grid_size_x = 64;
  slot->workgroup_size_y = slot->workgroup_size_z = slot->grid_size_y = slot->grid_size_z = 1;
  slot->kernel_object = 0;
  slot->completion_signal.handle = 0;
  const uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH | 1u << 16; /* setup: one dimension */
  __atomic_store_n((uint32_t*)slot, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

/* A kernel dispatch and, on another queue, a barrier whose dependency never comes. */
static void bodies(void) {
  hsa_queue_t* queue = queue_or_exit();
  const hsa_signal_t dependency = signal_of(1), done = signal_of(1);
  submit(queue, HSA_PACKET_TYPE_BARRIER_AND, dependency, done);
  usleep(200000);
  printf("barrier.read_index %" PRIu64 "\nbarrier.signal %" PRId64 "\nbarrier.error 0x%x\n",
         hsa_queue_load_read_index_scacquire(queue), (int64_t)hsa_signal_load_scacquire(done),
         atomic_load(&queue_error));
  hsa_queue_t* other = queue_or_exit();
  submit_dispatch(other);
  const double until = seconds() + 5;
  while (atomic_load(&queue_error) == 0 && seconds() < until) usleep(1000);
  printf("dispatch.error 0x%x\n", atomic_load(&queue_error));
  hsa_queue_destroy(other);
  hsa_queue_destroy(queue);
}

/* A barrier bit behind a packet that stays in flight: nobody serves agent dispatches here. */
static void barrier_bit(void) {
  hsa_queue_t* queue = queue_or_exit();
  const hsa_signal_t done = signal_of(1);
  submit(queue, HSA_PACKET_TYPE_AGENT_DISPATCH, none, none);
  submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done);
  printf("behind %" PRId64 "\n", wait_ms(done, 500, HSA_WAIT_STATE_ACTIVE));
  hsa_queue_destroy(queue);
}

/* As many packets as the ring has slots; then a producer that looks, and one that does not. */
static void overrun(void) {
  hsa_queue_t* queue = queue_or_exit();
  const hsa_signal_t done = signal_of(ring);
  for (int i = 0; i < ring; ++i) submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done);
  printf("all %" PRId64 "\n", wait_ms(done, 5000, HSA_WAIT_STATE_ACTIVE));
  const uint64_t read = hsa_queue_load_read_index_scacquire(queue);
  const uint64_t written = hsa_queue_load_write_index_scacquire(queue);
  printf("read_index %" PRIu64 "\nfree %" PRIu64 "\n", read, queue->size - (written - read));
  const hsa_signal_t more = signal_of(1);
  submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, more);
  printf("regardless %" PRId64 "\n", wait_ms(more, 5000, HSA_WAIT_STATE_ACTIVE));
  hsa_queue_destroy(queue);
}

static hsa_status_t note_pool(hsa_amd_memory_pool_t pool, void* data) {
  bool allowed = false;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  if (!allowed) return HSA_STATUS_SUCCESS;
  *(hsa_amd_memory_pool_t*)data = pool;
  return HSA_STATUS_INFO_BREAK;
}

/* VRAM, one piece after the other, all given back. */
static void memory(int count) {
  hsa_amd_memory_pool_t pool = {0};
  hsa_amd_agent_iterate_memory_pools(gpu, note_pool, &pool);
  void* held[most_queues] = {NULL};
  for (int i = 0; i < count; ++i)
    printf("allocate.%d 0x%x\n", i + 1, hsa_amd_memory_pool_allocate(pool, 1 << 20, 0, &held[i]));
  int freed = 0;
  for (int i = 0; i < count; ++i)
    freed += held[i] != NULL && hsa_amd_memory_pool_free(held[i]) == HSA_STATUS_SUCCESS;
  printf("freed %d\n", freed);
}

/* Two queues of one process; between them somebody may change the node. */
static void pause_between(int count, int ms) {
  hsa_queue_t* queue = queue_or_exit();
  for (int i = 0; i < count; ++i) {
    const hsa_signal_t done = signal_of(1);
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done);
    printf("wait.%d %" PRId64 "\n", i + 1, wait_ms(done, 500, HSA_WAIT_STATE_ACTIVE));
    fflush(stdout);
    char line[8];
    if (i + 1 < count && !fgets(line, sizeof line, stdin)) break;
    usleep((useconds_t)ms * 1000);
  }
  hsa_queue_destroy(queue);
}

/* A queue that is used and destroyed, then one that gets its doorbell. */
static void recycle(int count) {
  volatile void* doorbell = NULL;
  int same = 0, works = 0, calm = 0;
  for (int i = 0; i < count; ++i) {
    hsa_queue_t* queue = queue_or_exit();
    volatile void* const own = ((amd_signal_t*)queue->doorbell_signal.handle)->hardware_doorbell_ptr;
    same += own == doorbell;
    doorbell = own;
    /* A packet that lies there and was not announced: the doorbell's old value must not do it. */
    hsa_signal_t done[3] = {signal_of(1), signal_of(1), signal_of(1)};
    hsa_barrier_and_packet_t* slot = queue->base_address;
    slot->completion_signal = done[0];
    __atomic_store_n(&slot->header, HSA_PACKET_TYPE_BARRIER_AND, __ATOMIC_RELEASE);
    usleep(20000);
    calm += hsa_signal_load_scacquire(done[0]) == 1;
    for (int packet = 0; packet < 3; ++packet) {
      if (submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done[packet]) == (uint64_t)packet)
        works += wait_ms(done[packet], 2000, HSA_WAIT_STATE_BLOCKED) == 0;
    }
    hsa_queue_destroy(queue);
  }
  printf("same_doorbell %d\nnot_announced %d\nwork %d\nerror 0x%x\n", same, calm, works, atomic_load(&queue_error));
}

static int count_threads(void) {
  DIR* tasks = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent* task; tasks && (task = readdir(tasks)) != NULL;) count += task->d_name[0] != '.';
  if (tasks) closedir(tasks);
  return count;
}

/* After at most two seconds. */
static int threads_become(int wanted) {
  for (int tries = 0; tries < 200 && count_threads() != wanted; ++tries) usleep(10000);
  return count_threads();
}

static int vendor_format(hsa_queue_t* queue, uint8_t format, hsa_signal_t done) {
  hsa_amd_barrier_value_packet_t packet;
  memset(&packet, 0, sizeof packet);
  packet.header.AmdFormat = format;
  packet.completion_signal = done;
  submit_packet(queue, HSA_PACKET_TYPE_VENDOR_SPECIFIC, 1, &packet);
  const double until = seconds() + 5;
  while (atomic_load(&queue_error) == 0 && seconds() < until) usleep(1000);
  return (int)atomic_load(&queue_error);
}

/* A vendor's packet of a format that does not exist, behind a good packet; one of each in turn. */
static void vendor(void) {
  const uint8_t formats[] = {0, 3, 77, 255};
  for (unsigned i = 0; i < sizeof formats; ++i) {
    hsa_queue_t* queue = queue_or_exit();
    const hsa_signal_t before = signal_of(1), done = signal_of(1);
    atomic_store(&queue_error, 0);
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, before);
    const int before_value = (int)wait_ms(before, 2000, HSA_WAIT_STATE_ACTIVE);
    const int error = vendor_format(queue, formats[i], done);
    usleep(20000);
    printf("format.%d before %d error 0x%x read_index %" PRIu64 " signal %" PRId64 "\n", formats[i], before_value,
           error, hsa_queue_load_read_index_scacquire(queue), (int64_t)hsa_signal_load_scacquire(done));
    hsa_queue_destroy(queue);
  }
}

static void wait_for_value(hsa_queue_t* queue, int barrier_bit, hsa_signal_t signal, hsa_signal_condition_t condition,
                           int64_t value, int64_t mask, hsa_signal_t done) {
  hsa_amd_barrier_value_packet_t packet;
  memset(&packet, 0, sizeof packet);
  packet.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  packet.signal = signal;
  packet.value = value;
  packet.mask = mask;
  packet.cond = condition;
  packet.completion_signal = done;
  submit_packet(queue, HSA_PACKET_TYPE_VENDOR_SPECIFIC, barrier_bit, &packet);
}

/* Each condition: not met by the signal's first value, met by its second; the masked-out bits never are. */
static void values(hsa_queue_t* queue) {
  const struct {
    const char* name;
    hsa_signal_condition_t condition;
    int64_t value, mask, first, second;
  } cases[] = {{"eq", HSA_SIGNAL_CONDITION_EQ, 0, 0x0F, 0xF1, 0xF0},
               {"ne", HSA_SIGNAL_CONDITION_NE, 5, 0x0F, 0x15, 0x16},
               {"lt", HSA_SIGNAL_CONDITION_LT, 3, 0x0F, 0x13, 0x12},
               {"gte", HSA_SIGNAL_CONDITION_GTE, 3, 0x0F, 0x12, 0x13},
               {"negative", HSA_SIGNAL_CONDITION_LT, 0, -1, 0, -1}};
  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const hsa_signal_t signal = signal_of(cases[i].first), done = signal_of(1);
    wait_for_value(queue, 1, signal, cases[i].condition, cases[i].value, cases[i].mask, done);
    const int64_t before = wait_ms(done, 50, HSA_WAIT_STATE_ACTIVE);
    hsa_signal_store_screlease(signal, cases[i].second);
    printf("value.%s %" PRId64 " then %" PRId64 "\n", cases[i].name, before,
           wait_ms(done, 2000, HSA_WAIT_STATE_ACTIVE));
  }
}

struct pools {
  hsa_amd_memory_pool_t host, device;
};

static hsa_status_t note_any_pool(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_memory_pool_t* found = data;
  bool allowed = false;
  hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  if (allowed && found->handle == 0) *found = pool;
  return HSA_STATUS_SUCCESS;
}

static struct pools memory_pools(void) {
  struct pools found = {{0}, {0}};
  hsa_amd_agent_iterate_memory_pools(cpu, note_any_pool, &found.host);
  hsa_amd_agent_iterate_memory_pools(gpu, note_any_pool, &found.device);
  return found;
}

/* Host memory that the GPU reaches. */
static char* host_memory(size_t bytes) {
  void* memory = NULL;
  if (hsa_amd_memory_pool_allocate(memory_pools().host, bytes, 0, &memory) != HSA_STATUS_SUCCESS) exit(1);
  if (hsa_amd_agents_allow_access(1, &gpu, NULL, memory) != HSA_STATUS_SUCCESS) exit(1);
  return memory;
}

static void* device_memory(size_t bytes) {
  void* memory = NULL;
  if (hsa_amd_memory_pool_allocate(memory_pools().device, bytes, 0, &memory) != HSA_STATUS_SUCCESS) exit(1);
  return memory;
}

static hsa_status_t to_device(void* to, const void* from, size_t bytes, const hsa_signal_t* gate, hsa_signal_t copied) {
  return hsa_amd_memory_async_copy(to, gpu, from, cpu, bytes, gate ? 1 : 0, gate, copied);
}

/* A barrier-value packet behind a copy that a gate holds up, then the barrier bit. */
static void barrier_value(void) {
  enum { bytes = 8 << 20 };
  hsa_queue_t* queue = queue_or_exit();
  values(queue);
  char* from = host_memory(bytes);
  char* back = host_memory(bytes);
  char* vram = device_memory(bytes);
  for (int i = 0; i < bytes; ++i) from[i] = (char)(i * 7 + (i >> 9));
  memset(back, 0, bytes);
  const hsa_signal_t gate = signal_of(1), there = signal_of(1), again = signal_of(1), done = signal_of(1);
  if (to_device(vram, from, bytes, &gate, there) != HSA_STATUS_SUCCESS) exit(1);
  if (hsa_amd_memory_async_copy(back, cpu, vram, gpu, bytes, 1, &there, again) != HSA_STATUS_SUCCESS) exit(1);
  wait_for_value(queue, 1, again, HSA_SIGNAL_CONDITION_EQ, 0, -1, done);
  printf("copy.held %" PRId64 "\n", wait_ms(done, 200, HSA_WAIT_STATE_ACTIVE));
  hsa_signal_store_screlease(gate, 0);
  const int64_t end = wait_ms(done, 20000, HSA_WAIT_STATE_ACTIVE);
  printf("copy.done %" PRId64 "\ncopy.equal %d\n", end, memcmp(from, back, bytes) == 0);
  /* An agent dispatch stays in flight: nobody serves it. */
  const hsa_signal_t overtakes = signal_of(1), stays = signal_of(1);
  submit(queue, HSA_PACKET_TYPE_AGENT_DISPATCH, none, none);
  wait_for_value(queue, 0, none, HSA_SIGNAL_CONDITION_EQ, 0, -1, overtakes);
  printf("bit.clear %" PRId64 "\n", wait_ms(overtakes, 2000, HSA_WAIT_STATE_ACTIVE));
  wait_for_value(queue, 1, none, HSA_SIGNAL_CONDITION_EQ, 0, -1, stays);
  printf("bit.set %" PRId64 "\n", wait_ms(stays, 300, HSA_WAIT_STATE_ACTIVE));
  hsa_queue_destroy(queue);
}

/* ROCr keeps a queue of its own from the first queue or copy of a program until hsa_shut_down(): only
 * after that has a process no queue at all. What was there after a start without queues stays. */
static void threads(void) {
  hsa_shut_down();
  const int base = count_threads();
  hsa_init();
  gpu.handle = cpu.handle = 0;
  hsa_iterate_agents(note_agent, NULL);
  const int started = count_threads();
  hsa_queue_t* queue = queue_or_exit();
  const hsa_signal_t done = signal_of(1);
  submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, done);
  printf("value %" PRId64 "\n", wait_ms(done, 5000, HSA_WAIT_STATE_ACTIVE));
  printf("with_queue %d\n", count_threads() - started);
  hsa_queue_destroy(queue);
  hsa_shut_down();
  printf("without %d\n", threads_become(base) - base);
  hsa_init();
}

/* SDMA packets of different lengths one behind the other: linear copies of any size and place, dependencies,
 * rectangles. Each signal comes, each byte lands where it should and no other is touched. */
static void sdma(void) {
  enum { bytes = 1 << 20, most = 48 };
  char* from = host_memory(bytes);
  char* to = host_memory(bytes);
  char* vram = device_memory(bytes);
  static char expected[1 << 20];
  for (int i = 0; i < bytes; ++i) from[i] = (char)(i * 13 + (i >> 8));
  memset(to, 0x55, bytes);
  memset(expected, 0x55, bytes);
  const hsa_signal_t there = signal_of(1);
  if (to_device(vram, from, bytes, NULL, there) != HSA_STATUS_SUCCESS) exit(1);
  hsa_signal_t done[most];
  const size_t sizes[] = {1, 2, 3, 4, 5, 63, 64, 65, 4095, 4096, 4097, 10000};
  size_t at = 0;
  for (int i = 0; i < most; ++i) {
    done[i] = signal_of(1);
    const hsa_signal_t* behind = i == 0 ? &there : &done[i - 1];
    const size_t size = sizes[i % 12], shift = (size_t)i * 7919 % 1000;
    if (i % 4 == 3) { /* 3 rows of 64 bytes out of rows of 256, into rows of 128 */
      at = (at + 3) & ~(size_t)3;
      const hsa_pitched_ptr_t source = {vram + 4 * i, 256, 4096}, target = {to + at, 128, 4096};
      const hsa_dim3_t origin = {0, 0, 0}, range = {64, 3, 1};
      const hsa_status_t status = hsa_amd_memory_async_copy_rect(&target, &origin, &source, &origin, &range, gpu,
                                                                 hsaDeviceToHost, 1, behind, done[i]);
      if (status != HSA_STATUS_SUCCESS) printf("rectangle 0x%x\n", status);
      for (int row = 0; row < 3; ++row) memcpy(expected + at + row * 128, from + 4 * i + row * 256, 64);
      at += 512;
    } else {
      hsa_amd_memory_async_copy(to + at, cpu, vram + shift, gpu, size, 1, behind, done[i]);
      memcpy(expected + at, from + shift, size);
      at += size + 5;
    }
  }
  int completed = 0;
  for (int i = 0; i < most; ++i) completed += wait_ms(done[i], 10000, HSA_WAIT_STATE_ACTIVE) == 0;
  printf("completed %d\nequal %d\n", completed, memcmp(to, expected, bytes) == 0);
}

/* What no page table of the GPU has: ROCr ends the process. */
static void wild(const char* what) {
  hsa_queue_t* queue = queue_or_exit();
  const hsa_signal_t done = signal_of(1);
  const uint64_t nowhere = 0xDEAD0000000;
  char* const memory = host_memory(4096);
  char* const vram = device_memory(4096);
  fflush(stdout);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  if (strcmp(what, "signal") == 0)
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, (hsa_signal_t){nowhere + 0x40}, done);
  if (strcmp(what, "completion") == 0)
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, none, (hsa_signal_t){nowhere + 0x40});
  if (strcmp(what, "value") == 0)
    wait_for_value(queue, 1, (hsa_signal_t){nowhere + 0x40}, HSA_SIGNAL_CONDITION_EQ, 0, -1, done);
  if (strcmp(what, "read") == 0) status = to_device(vram, (void*)(uintptr_t)nowhere, 4096, NULL, done);
  if (strcmp(what, "write") == 0) status = to_device((void*)(uintptr_t)nowhere, memory, 4096, NULL, done);
  printf("status 0x%x\nvalue %" PRId64 "\n", status, wait_ms(done, 500, HSA_WAIT_STATE_BLOCKED));
  const hsa_signal_t other = signal_of(1);
  submit(queue_or_exit(), HSA_PACKET_TYPE_BARRIER_AND, none, other);
  printf("other %" PRId64 "\nerror 0x%x\n", wait_ms(other, 500, HSA_WAIT_STATE_BLOCKED), atomic_load(&queue_error));
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 1;
  const int second = argc > 3 ? atoi(argv[3]) : 0;
  if (number > most_queues) return 2;
  const hsa_status_t status = hsa_init();
  printf("hsa_init 0x%x\n", status);
  if (status != HSA_STATUS_SUCCESS) return 1;
  hsa_iterate_agents(note_agent, NULL);
  if (gpu.handle == 0) return 1;
  if (strcmp(what, "queues") == 0) queues(number);
  if (strcmp(what, "packets") == 0) packets(number, second);
  if (strcmp(what, "wake") == 0) wake(argc > 2 ? argv[2] : "");
  if (strcmp(what, "bodies") == 0) bodies();
  if (strcmp(what, "barrier-bit") == 0) barrier_bit();
  if (strcmp(what, "overrun") == 0) overrun();
  if (strcmp(what, "memory") == 0) memory(number);
  if (strcmp(what, "pause") == 0) pause_between(number, second);
  if (strcmp(what, "recycle") == 0) recycle(number);
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "vendor") == 0) vendor();
  if (strcmp(what, "barrier-value") == 0) barrier_value();
  if (strcmp(what, "sdma") == 0) sdma();
  if (strcmp(what, "wild") == 0) wild(argc > 2 ? argv[2] : "");
  printf("shut_down 0x%x\ndone 1\n", hsa_shut_down());
  return 0;
}
