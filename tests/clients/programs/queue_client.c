/* A program on libhsa-runtime64 that looks closely at queues: what becomes of each packet, each wait,
 * each creation. One subcommand per question; "key value" lines on standard output. A failing call is
 * an answer here, not the end. Exit 0 if it got to the end.
 */
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
static hsa_agent_t gpu;
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
static uint64_t submit(hsa_queue_t* queue, uint16_t type, hsa_signal_t dependency, hsa_signal_t done) {
  const uint64_t index = hsa_queue_add_write_index_scacq_screl(queue, 1);
  char* slot = (char*)queue->base_address + (index & (queue->size - 1)) * 64;
  hsa_barrier_and_packet_t packet;
  memset(&packet, 0, sizeof packet);
  packet.dep_signal[0] = dependency;
  packet.completion_signal = done;
  memcpy(slot + 2, (char*)&packet + 2, sizeof packet - 2);
  const uint16_t header =
      (uint16_t)(type | 1 << HSA_PACKET_HEADER_BARRIER |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  __atomic_store_n((uint16_t*)slot, header, __ATOMIC_RELEASE);
  hsa_signal_store_screlease(queue->doorbell_signal, (hsa_signal_value_t)index);
  return index;
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
  printf("shut_down 0x%x\ndone 1\n", hsa_shut_down());
  return 0;
}
