/* A program on libhsa-runtime64, as anybody would write one: what it sees of the node, and what comes of
 * queues, barriers, signals, copies and fork. One subcommand per subject; "key value" lines on standard
 * output, the status of the first failing call on standard error, exit 1.
 */
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

enum { max_agents = 32 };
static hsa_agent_t gpus[max_agents];
static int gpu_count;
static hsa_agent_t cpu;

static hsa_status_t note_agent(hsa_agent_t agent, void* data) {
  (void)data;
  hsa_device_type_t type;
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  if (type == HSA_DEVICE_TYPE_GPU && gpu_count < max_agents) gpus[gpu_count++] = agent;
  if (type == HSA_DEVICE_TYPE_CPU && cpu.handle == 0) cpu = agent;
  return HSA_STATUS_SUCCESS;
}

static void start(void) {
  const hsa_status_t status = hsa_init();
  printf("hsa_init 0x%x\n", status);
  if (status != HSA_STATUS_SUCCESS) exit(1);
  CHECK(hsa_iterate_agents(note_agent, NULL));
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- agents, pools ------------------------------------------------------------------------ */

static hsa_status_t print_isa(hsa_isa_t isa, void* data) {
  char name[128] = {0};
  CHECK(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name));
  printf("gpu%d.isa %s\n", *(int*)data, name);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t print_pool(hsa_amd_memory_pool_t pool, void* data) {
  hsa_amd_segment_t segment;
  uint32_t flags = 0;
  size_t size = 0;
  bool allocatable = false;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED,
                                     &allocatable));
  if (segment == HSA_AMD_SEGMENT_GLOBAL)
    CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  printf("%s.pool segment %d flags %u size %zu alloc %d\n", (const char*)data, segment, flags, size,
         allocatable);
  return HSA_STATUS_SUCCESS;
}

static void agents(void) {
  printf("gpus %d\n", gpu_count);
  for (int i = 0; i < gpu_count; ++i) {
    char name[64] = {0};
    uint32_t cus = 0, bdf = 0, node = 0;
    CHECK(hsa_agent_get_info(gpus[i], HSA_AGENT_INFO_NAME, name));
    CHECK(hsa_agent_get_info(gpus[i], (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &cus));
    CHECK(hsa_agent_get_info(gpus[i], (hsa_agent_info_t)HSA_AMD_AGENT_INFO_BDFID, &bdf));
    CHECK(hsa_agent_get_info(gpus[i], HSA_AGENT_INFO_NODE, &node));
    printf("gpu%d.name %s\ngpu%d.cus %u\ngpu%d.bdf %x\ngpu%d.node %u\n", i, name, i, cus, i, bdf, i,
           node);
    CHECK(hsa_agent_iterate_isas(gpus[i], print_isa, &i));
    char key[16];
    snprintf(key, sizeof key, "gpu%d", i);
    CHECK(hsa_amd_agent_iterate_memory_pools(gpus[i], print_pool, key));
  }
  CHECK(hsa_amd_agent_iterate_memory_pools(cpu, print_pool, "cpu"));
}

/* --- queues -------------------------------------------------------------------------------- */

static void on_queue_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  (void)queue;
  atomic_store((_Atomic unsigned*)data, status);
}

static hsa_queue_t* make_queue(int gpu, uint32_t packets, _Atomic unsigned* error) {
  hsa_queue_t* queue = NULL;
  CHECK(hsa_queue_create(gpus[gpu], packets, HSA_QUEUE_TYPE_MULTI, on_queue_error, error, UINT32_MAX,
                         UINT32_MAX, &queue));
  return queue;
}

/* A barrier packet: the header last, with release order. */
static void submit(hsa_queue_t* queue, uint16_t type, const hsa_signal_t* dependencies, int count,
                   hsa_signal_t completion) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
  }
  hsa_barrier_and_packet_t* slot =
      (hsa_barrier_and_packet_t*)queue->base_address + (index & (queue->size - 1));
  hsa_barrier_and_packet_t packet;
  memset(&packet, 0, sizeof packet);
  for (int i = 0; i < count; ++i) packet.dep_signal[i] = dependencies[i];
  packet.completion_signal = completion;
  memcpy((char*)slot + 2, (char*)&packet + 2, sizeof packet - 2);
  const uint16_t header =
      (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  __atomic_store_n((uint16_t*)slot, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
}

static hsa_signal_value_t wait_zero(hsa_signal_t signal, double seconds, hsa_wait_state_t how) {
  return hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1,
                                   (uint64_t)(seconds * 1e9), how);
}

static void barriers(void) {
  _Atomic unsigned error = 0;
  hsa_queue_t* queue = make_queue(0, 64, &error);
  hsa_signal_t done, first, second;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  CHECK(hsa_signal_create(1, 0, NULL, &first));
  CHECK(hsa_signal_create(1, 0, NULL, &second));
  for (int i = 0; i < 200; ++i) { /* more than the ring holds: it wraps */
    hsa_signal_store_relaxed(done, 1);
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    if (wait_zero(done, 10, HSA_WAIT_STATE_BLOCKED) != 0) exit(2);
  }
  printf("and.empty 200\n");
  hsa_signal_store_relaxed(done, 1);
  const hsa_signal_t both[] = {first, second};
  submit(queue, HSA_PACKET_TYPE_BARRIER_AND, both, 2, done);
  hsa_signal_store_screlease(first, 0);
  printf("and.one_of_two %" PRId64 "\n", (int64_t)wait_zero(done, 0.05, HSA_WAIT_STATE_BLOCKED));
  hsa_signal_store_screlease(second, 0);
  printf("and.both %" PRId64 "\n", (int64_t)wait_zero(done, 10, HSA_WAIT_STATE_BLOCKED));
  hsa_signal_store_relaxed(done, 1);
  hsa_signal_store_relaxed(first, 1);
  hsa_signal_store_relaxed(second, 1);
  submit(queue, HSA_PACKET_TYPE_BARRIER_OR, both, 2, done);
  printf("or.none %" PRId64 "\n", (int64_t)wait_zero(done, 0.05, HSA_WAIT_STATE_BLOCKED));
  hsa_signal_store_screlease(second, 0);
  printf("or.one %" PRId64 "\n", (int64_t)wait_zero(done, 10, HSA_WAIT_STATE_BLOCKED));
  printf("error 0x%x\n", atomic_load(&error));
  CHECK(hsa_queue_destroy(queue));
}

/* A packet of a type that does not exist: the queue stops, and its callback says why. */
static void bad_packet(void) {
  _Atomic unsigned error = 0;
  hsa_queue_t* queue = make_queue(0, 64, &error);
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  submit(queue, 7, NULL, 0, done);
  const uint64_t until = now_ns() + 5000000000u;
  while (atomic_load(&error) == 0 && now_ns() < until) usleep(1000);
  printf("callback 0x%x\nread_index %" PRIu64 "\nsignal %" PRId64 "\n", atomic_load(&error),
         hsa_queue_load_read_index_relaxed(queue), (int64_t)hsa_signal_load_relaxed(done));
  hsa_queue_destroy(queue);
}

/* Random bytes as the ring, and doorbells that promise them. The queue may fail, or wait for ever at a
 * barrier; the process and its other queue go on. */
static void garbage(unsigned seed) {
  _Atomic unsigned error = 0;
  srand(seed);
  for (int round = 0; round < 20; ++round) {
    hsa_queue_t* queue = make_queue(0, 64, &error);
    unsigned char* ring = queue->base_address;
    for (size_t i = 0; i < (size_t)queue->size * 64; ++i) ring[i] = (unsigned char)rand();
    hsa_queue_store_write_index_screlease(queue, (uint64_t)rand() % 64 + 1);
    hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)(rand() % 200));
    usleep(2000);
    hsa_queue_destroy(queue);
  }
  printf("garbage 20\n");
  barriers();
}

/* Children while queues run: none may disturb them. */
static void fork_storm(int count) {
  _Atomic unsigned error = 0;
  hsa_queue_t* queue = make_queue(0, 64, &error);
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  int well = 0;
  fflush(stdout);
  for (int i = 0; i < count; ++i) {
    hsa_signal_store_relaxed(done, 1);
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 != 0) _exit(0);
      execl("/bin/true", "true", (char*)NULL);
      _exit(127);
    }
    int status = -1;
    waitpid(child, &status, 0);
    well += status == 0 && wait_zero(done, 10, HSA_WAIT_STATE_ACTIVE) == 0;
  }
  printf("forked %d\n", well);
  CHECK(hsa_queue_destroy(queue));
}

static bool handled(hsa_signal_value_t value, void* data) {
  (void)value;
  atomic_fetch_add((_Atomic int*)data, 1);
  return false;
}

static void handlers(void) {
  _Atomic unsigned error = 0;
  _Atomic int calls = 0;
  hsa_queue_t* queue = make_queue(0, 64, &error);
  enum { count = 8 };
  hsa_signal_t done[count];
  for (int i = 0; i < count; ++i) {
    CHECK(hsa_signal_create(1, 0, NULL, &done[i]));
    CHECK(hsa_amd_signal_async_handler(done[i], HSA_SIGNAL_CONDITION_LT, 1, handled, &calls));
  }
  for (int i = 0; i < count; ++i) submit(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done[i]);
  const uint64_t until = now_ns() + 10000000000u;
  while (atomic_load(&calls) < count && now_ns() < until) usleep(1000);
  printf("handlers %d\n", atomic_load(&calls));
  CHECK(hsa_queue_destroy(queue));
}

static void churn(int count) {
  _Atomic unsigned error = 0;
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  for (int i = 0; i < count; ++i) {
    hsa_queue_t* queue = make_queue(i % gpu_count, 64, &error);
    hsa_signal_store_relaxed(done, 1);
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    if (wait_zero(done, 10, HSA_WAIT_STATE_ACTIVE) != 0) {
      printf("lost %d value %ld\n", i, (long)hsa_signal_load_relaxed(done));
      exit(2);
    }
    CHECK(hsa_queue_destroy(queue));
  }
  printf("churned %d\n", count);
}

static int compare(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

/* From the doorbell to the completion of a barrier packet, in microseconds. */
static void latency(int count, int idle_us) {
  _Atomic unsigned error = 0;
  hsa_queue_t* queue = make_queue(0, 64, &error);
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  uint64_t* taken = calloc((size_t)count, sizeof *taken);
  for (int i = 0; i < count; ++i) {
    if (idle_us > 0) usleep((useconds_t)idle_us);
    hsa_signal_store_relaxed(done, 1);
    const uint64_t begin = now_ns();
    submit(queue, HSA_PACKET_TYPE_BARRIER_AND, NULL, 0, done);
    if (wait_zero(done, 10, HSA_WAIT_STATE_ACTIVE) != 0) exit(2);
    taken[i] = now_ns() - begin;
  }
  qsort(taken, (size_t)count, sizeof *taken, compare);
  printf("median_us %.1f\np99_us %.1f\n", (double)taken[count / 2] / 1e3,
         (double)taken[count * 99 / 100] / 1e3);
  CHECK(hsa_queue_destroy(queue));
}

/* --- memory -------------------------------------------------------------------------------- */

struct pools {
  hsa_amd_memory_pool_t fine, coarse;
};

static hsa_status_t note_pool(hsa_amd_memory_pool_t pool, void* data) {
  struct pools* found = data;
  hsa_amd_segment_t segment;
  uint32_t flags = 0;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0) found->coarse = pool;
  if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0 && found->fine.handle == 0)
    found->fine = pool;
  return HSA_STATUS_SUCCESS;
}

/* Host to device, device to other host memory; then the bytes are compared. */
static void copies(size_t bytes, bool by_cpu) {
  struct pools host = {{0}, {0}}, device = {{0}, {0}};
  CHECK(hsa_amd_agent_iterate_memory_pools(cpu, note_pool, &host));
  CHECK(hsa_amd_agent_iterate_memory_pools(gpus[0], note_pool, &device));
  unsigned char *from, *to, *vram;
  CHECK(hsa_amd_memory_pool_allocate(host.fine, bytes, 0, (void**)&from));
  CHECK(hsa_amd_memory_pool_allocate(host.fine, bytes, 0, (void**)&to));
  CHECK(hsa_amd_memory_pool_allocate(device.coarse, bytes, 0, (void**)&vram));
  CHECK(hsa_amd_agents_allow_access(1, &gpus[0], NULL, from));
  CHECK(hsa_amd_agents_allow_access(1, &gpus[0], NULL, to));
  for (size_t i = 0; i < bytes; ++i) from[i] = (unsigned char)(i * 31 + (i >> 8) + 7);
  memset(to, 0, bytes);
  const uint64_t begin = now_ns();
  if (by_cpu) { /* through the BAR */
    CHECK(hsa_amd_agents_allow_access(1, &cpu, NULL, vram));
    memcpy(vram, from, bytes);
    memcpy(to, vram, bytes);
  } else {
    hsa_signal_t done;
    CHECK(hsa_signal_create(1, 0, NULL, &done));
    CHECK(hsa_amd_memory_async_copy(vram, gpus[0], from, cpu, bytes, 0, NULL, done));
    if (wait_zero(done, 20, HSA_WAIT_STATE_BLOCKED) != 0) exit(2);
    hsa_signal_store_relaxed(done, 1);
    CHECK(hsa_amd_memory_async_copy(to, cpu, vram, gpus[0], bytes, 0, NULL, done));
    if (wait_zero(done, 20, HSA_WAIT_STATE_BLOCKED) != 0) exit(2);
  }
  const double seconds = (double)(now_ns() - begin) / 1e9;
  printf("copied %zu\nequal %d\n", bytes, memcmp(from, to, bytes) == 0);
  fprintf(stderr, "%.2f GB/s each way\n", 2 * (double)bytes / seconds / 1e9);
  const uint64_t plain_begin = now_ns();
  memcpy(to, from, bytes);
  memcpy(from, to, bytes);
  fprintf(stderr, "memcpy %.2f GB/s\n",
          2 * (double)bytes / ((double)(now_ns() - plain_begin) / 1e9) / 1e9);
  CHECK(hsa_amd_memory_pool_free(vram));
  CHECK(hsa_amd_memory_pool_free(from));
  CHECK(hsa_amd_memory_pool_free(to));
}

/* Bytes per second of a warm copy to the device through SDMA, against memcpy over the same buffers. Turn
 * by turn, so that what else the machine does hits both; the median of each. */
static void copy_rate(size_t bytes, int rounds) {
  struct pools host = {{0}, {0}}, device = {{0}, {0}};
  CHECK(hsa_amd_agent_iterate_memory_pools(cpu, note_pool, &host));
  CHECK(hsa_amd_agent_iterate_memory_pools(gpus[0], note_pool, &device));
  unsigned char *from, *vram;
  CHECK(hsa_amd_memory_pool_allocate(host.fine, bytes, 0, (void**)&from));
  CHECK(hsa_amd_memory_pool_allocate(device.coarse, bytes, 0, (void**)&vram));
  CHECK(hsa_amd_agents_allow_access(1, &gpus[0], NULL, from));
  CHECK(hsa_amd_agents_allow_access(1, &cpu, NULL, vram));
  hsa_signal_t done;
  CHECK(hsa_signal_create(1, 0, NULL, &done));
  uint64_t* sdma = calloc((size_t)rounds, sizeof *sdma);
  uint64_t* plain = calloc((size_t)rounds, sizeof *plain);
  for (int i = -2; i < rounds; ++i) { /* the first two bring the pages in */
    memset(from, i + 5, bytes);
    uint64_t begin = now_ns();
    memcpy(vram, from, bytes);
    if (i >= 0) plain[i] = now_ns() - begin;
    memset(from, i + 7, bytes);
    hsa_signal_store_relaxed(done, 1);
    begin = now_ns();
    CHECK(hsa_amd_memory_async_copy(vram, gpus[0], from, cpu, bytes, 0, NULL, done));
    if (wait_zero(done, 20, HSA_WAIT_STATE_ACTIVE) != 0) exit(2);
    if (i >= 0) sdma[i] = now_ns() - begin;
    if (memcmp(vram, from, bytes) != 0) exit(3);
  }
  qsort(sdma, (size_t)rounds, sizeof *sdma, compare);
  qsort(plain, (size_t)rounds, sizeof *plain, compare);
  const double own = (double)bytes / (double)sdma[rounds / 2], cpu_rate = (double)bytes / (double)plain[rounds / 2];
  printf("sdma_gb_s %.2f\nmemcpy_gb_s %.2f\nof_memcpy %.3f\n", own, cpu_rate, own / cpu_rate);
}

/* More than the GPU has: the allocation that fails, and that freeing helps. */
static void exhaust(void) {
  struct pools device = {{0}, {0}};
  CHECK(hsa_amd_agent_iterate_memory_pools(gpus[0], note_pool, &device));
  enum { most = 512 };
  void* held[most];
  const size_t step = (size_t)4 << 30;
  int count = 0;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  while (count < most) {
    status = hsa_amd_memory_pool_allocate(device.coarse, step, 0, &held[count]);
    if (status != HSA_STATUS_SUCCESS) break;
    ++count;
  }
  printf("gib %d\nstatus 0x%x\n", count * 4, status);
  for (int i = 0; i < count; ++i) CHECK(hsa_amd_memory_pool_free(held[i]));
  CHECK(hsa_amd_memory_pool_allocate(device.coarse, step, 0, &held[0]));
  printf("again 1\n");
}

/* A queue and VRAM, and then nothing. */
static void hold(int seconds) {
  static _Atomic unsigned error = 0;
  struct pools device = {{0}, {0}};
  void* vram;
  make_queue(0, 64, &error);
  CHECK(hsa_amd_agent_iterate_memory_pools(gpus[0], note_pool, &device));
  CHECK(hsa_amd_memory_pool_allocate(device.coarse, (size_t)1 << 30, 0, &vram));
  printf("held\n");
  fflush(stdout);
  sleep((unsigned)seconds);
}

static int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* A child that does nothing leaves its parent's queues alone; one of a process that has used the GPU and
 * shut down starts anew, and so does the parent. */
static void forked(void) {
  fflush(stdout);
  const pid_t idle_child = fork();
  if (idle_child == 0) _exit(0);
  printf("idle_child %d\n", wait_for(idle_child));
  barriers();
  CHECK(hsa_shut_down());
  fflush(stdout);
  const pid_t child = fork();
  gpu_count = 0;
  cpu.handle = 0;
  if (child == 0) {
    start();
    barriers();
    CHECK(hsa_shut_down());
    fflush(stdout);
    _exit(0);
  }
  printf("child %d\n", wait_for(child));
  start();
  barriers();
}

static void idle(int seconds) {
  _Atomic unsigned error = 0;
  hsa_queue_t* queue = make_queue(0, 64, &error);
  sleep(1);
  const clock_t begin = clock();
  sleep((unsigned)seconds);
  printf("cpu_percent %.2f\n", (double)(clock() - begin) / CLOCKS_PER_SEC / seconds * 100);
  CHECK(hsa_queue_destroy(queue));
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  start();
  if (strcmp(what, "init") != 0 && strcmp(what, "agents") != 0 && gpu_count == 0) {
    fprintf(stderr, "no GPU agent\n");
    return 1;
  }
  if (strcmp(what, "agents") == 0) agents();
  if (strcmp(what, "barriers") == 0) barriers();
  if (strcmp(what, "bad-packet") == 0) bad_packet();
  if (strcmp(what, "garbage") == 0) garbage((unsigned)number);
  if (strcmp(what, "fork-storm") == 0) fork_storm(number);
  if (strcmp(what, "hold") == 0) hold(number);
  if (strcmp(what, "copy-for-ever") == 0) for (;;) copies(16 << 20, false);
  if (strcmp(what, "exec") == 0) {
    hold(0);
    execlp("sleep", "sleep", "60", (char*)NULL);
  }
  if (strcmp(what, "handlers") == 0) handlers();
  if (strcmp(what, "churn") == 0) churn(number);
  if (strcmp(what, "latency") == 0) latency(number, argc > 3 ? atoi(argv[3]) : 0);
  if (strcmp(what, "copy") == 0) copies((size_t)number, false);
  if (strcmp(what, "copy-by-cpu") == 0) copies((size_t)number, true);
  if (strcmp(what, "copy-rate") == 0) copy_rate((size_t)number, argc > 3 ? atoi(argv[3]) : 10);
  if (strcmp(what, "exhaust") == 0) exhaust();
  if (strcmp(what, "fork") == 0) forked();
  if (strcmp(what, "idle") == 0) idle(number);
  if (strcmp(what, "sleep") == 0) sleep((unsigned)number);
  CHECK(hsa_shut_down());
  printf("done\n");
  return 0;
}
