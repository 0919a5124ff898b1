/* /dev/kfd without ROCr: requests that no runtime makes. Prints what was expected and what came for
 * every wrong answer, then "wrong N"; exit 1 unless N is 0. The structures are written down here anew:
 * a mistake in the simulator's own header must not hide itself.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define REQUEST(nr, size) _IOC(_IOC_READ | _IOC_WRITE, 'K', nr, size)

struct version {
  uint32_t major, minor;
};
struct apertures {
  uint64_t lds_base, lds_limit, scratch_base, scratch_limit, gpuvm_base, gpuvm_limit;
  uint32_t gpu_id, pad;
};
struct apertures_new {
  uint64_t list;
  uint32_t count, pad;
};
struct acquire_vm {
  uint32_t drm_fd, gpu_id;
};
struct alloc {
  uint64_t va, size, handle, mmap_offset;
  uint32_t gpu_id, flags;
};
struct map {
  uint64_t handle, ids;
  uint32_t devices, success;
};
struct create_queue {
  uint64_t ring, write_pointer, read_pointer, doorbell_offset;
  uint32_t ring_size, gpu_id, type, percentage, priority, queue_id;
  uint64_t eop, eop_size, save_area;
  uint32_t save_area_size, control_stack_size, sdma_engine, pad;
};
struct create_event {
  uint64_t page_offset;
  uint32_t trigger, type, auto_reset, node_id, id, slot;
};
struct wait_events {
  uint64_t events;
  uint32_t count, all, timeout_ms, result;
};
enum { VRAM = 1, GTT = 2, USERPTR = 4, DOORBELL = 8 };
static const uint32_t writable = 1u << 31, executable = 1u << 30;

/* The numbers that the driver knows, with the size of their argument. */
static const struct {
  unsigned nr, size;
} known[] = {{0x01, 8},  {0x02, 96}, {0x03, 8},  {0x04, 32}, {0x05, 40}, {0x06, 400}, {0x07, 24}, {0x08, 32},
             {0x09, 8},  {0x0a, 8},  {0x0b, 8},  {0x0c, 24}, {0x11, 16}, {0x12, 40},  {0x13, 24}, {0x14, 16},
             {0x15, 8},  {0x16, 40}, {0x17, 8},  {0x18, 24}, {0x19, 24}, {0x1a, 16},  {0x1b, 24}, {0x1c, 32},
             {0x1d, 24}, {0x1e, 16}, {0x1f, 8},  {0x20, 24}, {0x21, 4},  {0x22, 56},  {0x23, 16}, {0x24, 16},
             {0x25, 16}, {0x26, 32}};
enum { known_count = sizeof known / sizeof known[0] };

static int kfd = -1, render = -1, wrong;
static uint32_t gpu;

/* A raw -errno, or -1 without an errno of its own, is no answer at all: -1. */
static int call(int fd, unsigned nr, void* argument, unsigned size) {
  errno = 0;
  const int result = ioctl(fd, REQUEST(nr, size), argument);
  if (result >= 0) return 0;
  return result == -1 && errno != 0 ? errno : -1;
}

static void expect(const char* what, int got, int wanted, int or_else) {
  if (got == wanted || got == or_else) return;
  printf("%s: wanted %s, got %s\n", what, wanted ? strerror(wanted) : "success", got ? strerror(got) : "success");
  ++wrong;
}

static struct alloc allocate(uint64_t va, uint64_t size, uint32_t flags, int wanted, int or_else, const char* what) {
  struct alloc request = {va, size, 0, 0, gpu, flags};
  if ((flags & USERPTR) != 0) request.mmap_offset = va;
  expect(what, call(kfd, 0x16, &request, sizeof request), wanted, or_else);
  return request;
}

static int release(uint64_t handle) { return call(kfd, 0x17, &handle, sizeof handle); }

static int map_or_unmap(unsigned nr, uint64_t handle, const uint32_t* ids, uint32_t count) {
  struct map request = {handle, (uintptr_t)ids, count, 0};
  return call(kfd, nr, &request, sizeof request);
}

static bool open_devices(void) {
  kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  render = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
  struct apertures list[64];
  struct apertures_new request = {(uintptr_t)list, 64, 0};
  if (kfd < 0 || render < 0 || call(kfd, 0x14, &request, sizeof request) != 0 || request.count == 0) {
    perror("no GPU to talk to");
    return false;
  }
  gpu = list[0].gpu_id;
  struct acquire_vm acquire = {(uint32_t)render, gpu};
  expect("acquire", call(kfd, 0x15, &acquire, sizeof acquire), 0, 0);
  return true;
}

static void numbers(void) {
  char argument[16384] = {0};
  for (unsigned nr = 0; nr < 256; ++nr) {
    bool is_known = false;
    for (int i = 0; i < known_count; ++i) is_known = is_known || known[i].nr == nr;
    if (!is_known) expect("unknown number", call(kfd, nr, argument, 64), ENOTTY, EINVAL);
  }
  for (int i = 0; i < known_count; ++i) {
    char what[64];
    snprintf(what, sizeof what, "number %#x with NULL", known[i].nr);
    expect(what, call(kfd, known[i].nr, NULL, known[i].size), EFAULT, EINVAL);
    snprintf(what, sizeof what, "number %#x with a wild pointer", known[i].nr);
    expect(what, call(kfd, known[i].nr, (void*)(uintptr_t)0xDEADBEEF000, known[i].size), EFAULT, EINVAL);
    /* Neither may crash; what they answer depends on the zeros that stand for the rest. */
    memset(argument, 0, sizeof argument);
    if (known[i].nr != 0x0c) call(kfd, known[i].nr, argument, 1);
    if (known[i].nr != 0x0c) call(kfd, known[i].nr, argument, 16383);
  }
  struct version version = {0, 0};
  expect("a version of half the size", call(kfd, 0x01, &version, 4), 0, 0);
  if (version.major != 1 || version.minor != 0) expect("only half of it written", 1, 0, 0);
}

static void memory(void) {
  const uint32_t both[] = {gpu, gpu ^ 0x5555u};
  const uint64_t tib = (uint64_t)1 << 40, half = (uint64_t)1 << 63;
  char* va = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uint64_t at = (uintptr_t)va;
  allocate(at, 0, VRAM | writable, EINVAL, EINVAL, "no bytes");
  allocate(at, tib, VRAM | writable, ENOMEM, EINVAL, "1 TiB of VRAM");
  allocate(at, half, VRAM | writable, ENOMEM, EINVAL, "2^63 bytes of VRAM");
  allocate(at, half - 1, VRAM | writable, ENOMEM, EINVAL, "2^63 - 1 bytes of VRAM");
  allocate(at, UINT64_MAX, VRAM | writable, ENOMEM, EINVAL, "2^64 - 1 bytes of VRAM");
  allocate(at, half, GTT | writable, ENOMEM, EINVAL, "2^63 bytes of GTT");
  allocate(at, UINT64_MAX - 4094, GTT | writable, ENOMEM, EINVAL, "almost 2^64 bytes of GTT");
  allocate(at, half, USERPTR | writable, EFAULT, EINVAL, "2^63 bytes of the program's memory");
  allocate(0x10000, 4096, USERPTR | writable, EFAULT, EINVAL, "memory that is not there");
  allocate(at, 4096, 0, EINVAL, EINVAL, "no kind of memory");
  allocate(at, 4096, VRAM | GTT, EINVAL, EINVAL, "two kinds of memory");
  allocate(at, 4096, DOORBELL | writable, EINVAL, EINVAL, "half a doorbell page");
  void* constant = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  allocate((uintptr_t)constant, 4096, USERPTR | writable, EFAULT, EFAULT, "memory that cannot be written");
  struct alloc other = {at, 4096, 0, 0, gpu ^ 0x5555u, VRAM | writable};
  expect("another GPU", call(kfd, 0x16, &other, sizeof other), EINVAL, EINVAL);

  const struct alloc held = allocate(at, 65536, VRAM | writable | executable, 0, 0, "64 KiB");
  expect("unmap what is not mapped", map_or_unmap(0x19, held.handle, &gpu, 1), 0, EINVAL);
  expect("map for nobody", map_or_unmap(0x18, held.handle, &gpu, 0), EINVAL, EINVAL);
  expect("map for 1000", map_or_unmap(0x18, held.handle, &gpu, 1000), EINVAL, EINVAL);
  expect("map for a stranger", map_or_unmap(0x18, held.handle, &both[1], 1), EINVAL, EINVAL);
  expect("map for ids nowhere", map_or_unmap(0x18, held.handle, NULL, 1), EFAULT, EFAULT);
  expect("map", map_or_unmap(0x18, held.handle, &gpu, 1), 0, 0);
  expect("map again", map_or_unmap(0x18, held.handle, &gpu, 1), 0, EINVAL);
  expect("free while mapped", release(held.handle), EBUSY, EBUSY);
  const struct alloc twice = allocate(at, 65536, VRAM | writable, 0, EINVAL, "the same address");
  expect("map over another", map_or_unmap(0x18, twice.handle, &gpu, 1), EINVAL, EINVAL);
  expect("free that", release(twice.handle), 0, 0);
  expect("unmap", map_or_unmap(0x19, held.handle, &gpu, 1), 0, 0);
  expect("free", release(held.handle), 0, 0);
  expect("free again", release(held.handle), EINVAL, EINVAL);
  expect("map what is free", map_or_unmap(0x18, held.handle, &gpu, 1), EINVAL, EINVAL);
  expect("unmap what is free", map_or_unmap(0x19, held.handle, &gpu, 1), EINVAL, EINVAL);
  expect("free a handle of nobody", release(0x1234567890), EINVAL, EINVAL);
  if (mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, render, (off_t)held.mmap_offset) != MAP_FAILED)
    expect("mmap of a freed buffer", 0, EINVAL, EINVAL);
}

static int count_threads(void) {
  DIR* tasks = opendir("/proc/self/task");
  int count = 0;
  for (const struct dirent* task; tasks && (task = readdir(tasks)) != NULL;) count += task->d_name[0] != '.';
  if (tasks) closedir(tasks);
  return count;
}

/* What serves a doorbell lives as long as there is one. */
/* Queues are served by one thread or two. */
static void expect_threads(const char* what, int least, int most) {
  int now = count_threads();
  for (int tries = 0; tries < 200 && (now < least || now > most); ++tries) {
    usleep(10000);
    now = count_threads();
  }
  if (now < least || now > most) expect(what, now + 1000, 0, 0);
}

struct svm {
  uint64_t start, size;
  uint32_t op, count;
  uint32_t attributes[6][2];
};
enum { SET, GET };
enum { PREFERRED, PREFETCH, ACCESS, IN_PLACE, NO_ACCESS, SET_FLAGS, CLEAR_FLAGS, GRANULARITY };

static struct svm ask_svm(const char* what, struct svm request, int wanted, int or_else) {
  expect(what, call(kfd, 0x20, &request, 24 + 8 * request.count), wanted, or_else);
  return request;
}

static void expect_attribute(const char* what, const struct svm* got, int i, uint32_t type, uint32_t value) {
  if (got->attributes[i][0] == type && got->attributes[i][1] == value) return;
  printf("%s: attribute %d is %u = %#x\n", what, i, got->attributes[i][0], got->attributes[i][1]);
  ++wrong;
}

/* Memory that the GPU reaches without a buffer object: enough for a queue. */
static void shared_memory(void) {
  const uint64_t at = (uintptr_t)mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const struct svm all = {at, 65536, SET, 2, {{ACCESS, gpu}, {SET_FLAGS, 0x50}}};
  struct svm asked = all;
  asked.start += 8;
  ask_svm("SVM off a page", asked, EINVAL, EINVAL);
  asked = all, asked.size = 100;
  ask_svm("SVM of 100 bytes", asked, EINVAL, EINVAL);
  asked = all, asked.op = 2;
  ask_svm("SVM operation 2", asked, EINVAL, EINVAL);
  asked = all, asked.start = 0x10000;
  ask_svm("SVM without memory", asked, EFAULT, EFAULT);
  asked = all, asked.attributes[0][1] ^= 0x5555;
  ask_svm("SVM for a stranger", asked, EINVAL, EINVAL);
  asked = all, asked.attributes[1][0] = 99;
  ask_svm("an SVM attribute of no type", asked, EINVAL, EINVAL);
  asked = all, asked.count = 1000000;
  expect("a million SVM attributes in six", call(kfd, 0x20, &asked, sizeof asked), EINVAL, EFAULT);

  const struct svm read = {at, 65536, GET, 4, {{ACCESS, gpu}, {SET_FLAGS, 0}, {CLEAR_FLAGS, 0}, {PREFERRED, 0}}};
  struct svm got = ask_svm("SVM before anything is said", read, 0, 0);
  expect_attribute("no access", &got, 0, NO_ACCESS, gpu);
  expect_attribute("flags", &got, 1, SET_FLAGS, 3);
  expect_attribute("no location", &got, 3, PREFERRED, 0xFFFFFFFF);
  asked = read, asked.attributes[0][0] = IN_PLACE;
  ask_svm("asking for access in place", asked, EINVAL, EINVAL);

  struct create_queue queue = {.ring = at, .write_pointer = at + 8192, .read_pointer = at + 8256,
                               .ring_size = 4096, .gpu_id = gpu, .type = 2, .percentage = 100, .priority = 7};
  const int threads = count_threads();
  expect("a queue before SVM", call(kfd, 0x02, &queue, sizeof queue), EINVAL, EFAULT);
  ask_svm("SVM", all, 0, 0);
  got = ask_svm("SVM afterwards", read, 0, 0);
  expect_attribute("access", &got, 0, ACCESS, gpu);
  expect_attribute("flags that all have", &got, 1, SET_FLAGS, 0x53);
  expect_attribute("flags that none has", &got, 2, CLEAR_FLAGS, ~0x53u);
  expect("a queue in SVM", call(kfd, 0x02, &queue, sizeof queue), 0, 0);
  uint32_t one[2] = {queue.queue_id, 0};
  expect("destroy it", call(kfd, 0x03, one, sizeof one), 0, 0);
  allocate(at, 65536, USERPTR | writable, 0, EADDRINUSE, "a buffer object over SVM");

  /* The middle is taken away: what is left on both sides stays, and only that. */
  const struct svm middle = {at + 4096, 4096, SET, 2, {{NO_ACCESS, gpu}, {CLEAR_FLAGS, 0x10}}};
  ask_svm("no access for a page", middle, 0, 0);
  got = ask_svm("a mixed range", read, 0, 0);
  expect_attribute("not all", &got, 0, NO_ACCESS, gpu);
  expect_attribute("flags that all have", &got, 1, SET_FLAGS, 0x43);
  expect_attribute("flags that one has", &got, 2, CLEAR_FLAGS, ~0x53u);
  expect("a queue beside it", call(kfd, 0x02, &queue, sizeof queue), 0, 0);
  one[0] = queue.queue_id;
  expect("destroy that", call(kfd, 0x03, one, sizeof one), 0, 0);
  queue.ring = at + 4096;
  expect("a queue in the gap", call(kfd, 0x02, &queue, sizeof queue), EINVAL, EFAULT);
  expect_threads("no thread after queues in SVM", threads, threads);
}

static void* doorbells(uint64_t offset, size_t length) {
  return mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, kfd, (off_t)offset);
}

static void queues(void) {
  char* memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uint64_t at = (uintptr_t)memory;
  struct create_queue queue = {.ring = at, .write_pointer = at + 8192, .read_pointer = at + 8256,
                               .ring_size = 4096, .gpu_id = gpu, .type = 2, .percentage = 100, .priority = 7};
  struct create_queue asked = queue;
  expect("a queue in memory that no GPU has", call(kfd, 0x02, &asked, sizeof asked), EINVAL, EFAULT);
  const struct alloc buffer = allocate(at, 65536, USERPTR | writable | executable, 0, 0, "memory for a queue");
  expect("map it", map_or_unmap(0x18, buffer.handle, &gpu, 1), 0, 0);
  const struct {
    const char* what;
    uint64_t ring;
    uint32_t size, gpu, type, percentage, priority;
  } bad[] = {{"ring of 3000", at, 3000, gpu, 2, 100, 7},
             {"ring of 0", at, 0, gpu, 2, 100, 7},
             {"ring of 1 GiB", at, 1u << 30, gpu, 2, 100, 7},
             {"ring in the kernel", 0xFFFF800000000000, 4096, gpu, 2, 100, 7},
             {"another GPU", at, 4096, gpu ^ 1, 2, 100, 7},
             {"no type", at, 4096, gpu, 77, 100, 7},
             {"percentage 101", at, 4096, gpu, 2, 101, 7},
             {"priority 16", at, 4096, gpu, 2, 100, 16}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    asked = queue;
    asked.ring = bad[i].ring;
    asked.ring_size = bad[i].size;
    asked.gpu_id = bad[i].gpu;
    asked.type = bad[i].type;
    asked.percentage = bad[i].percentage;
    asked.priority = bad[i].priority;
    expect(bad[i].what, call(kfd, 0x02, &asked, sizeof asked), EINVAL, EFAULT);
  }
  const int threads = count_threads();
  asked = queue;
  expect("a queue", call(kfd, 0x02, &asked, sizeof asked), 0, 0);
  expect_threads("a thread for the queue", threads + 1, threads + 2);
  if (doorbells(asked.doorbell_offset, 4096) != MAP_FAILED) expect("half the doorbells", 0, EINVAL, EINVAL);
  if (doorbells(asked.doorbell_offset, 16384) != MAP_FAILED) expect("too many doorbells", 0, EINVAL, EINVAL);
  if (doorbells(asked.doorbell_offset & ~((uint64_t)0xFFFF << 46), 8192) != MAP_FAILED)
    expect("doorbells of no GPU", 0, ENODEV, EINVAL);
  if (doorbells(asked.doorbell_offset & ~(uint64_t)0x1FFF, 8192) == MAP_FAILED) expect("doorbells", errno, 0, 0);
  uint32_t none[2] = {asked.queue_id + 1, 0}, one[2] = {asked.queue_id, 0};
  expect("destroy a queue of nobody", call(kfd, 0x03, none, sizeof none), EINVAL, EINVAL);
  expect("destroy", call(kfd, 0x03, one, sizeof one), 0, 0);
  expect("destroy again", call(kfd, 0x03, one, sizeof one), EINVAL, EINVAL);
  expect_threads("no thread without queues", threads, threads);
}

/* Alone on the node: as many queues as there are of each kind. No memory for more, and all of it is there again afterwards. */
static void exhaust(void) {
  char* memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const uint64_t at = (uintptr_t)memory;
  const struct create_queue queue = {.ring = at, .write_pointer = at + 8192, .read_pointer = at + 8256,
                                     .ring_size = 4096, .gpu_id = gpu, .percentage = 100, .priority = 7};
  const struct alloc buffer = allocate(at, 65536, USERPTR | writable | executable, 0, 0, "memory for queues");
  expect("map it", map_or_unmap(0x18, buffer.handle, &gpu, 1), 0, 0);
  const int threads = count_threads();
  const struct {
    const char* what;
    uint32_t type, most;
  } kinds[] = {{"queues without end", 2, 1024}, {"SDMA queues without end", 1, 64}};
  for (int i = 0; i < 2; ++i) {
    static uint32_t made[2048];
    for (int round = 0; round < 2; ++round) {
      uint32_t count = 0;
      int error = 0;
      for (; error == 0 && count < 2048; count += error == 0) {
        struct create_queue asked = queue;
        asked.type = kinds[i].type;
        error = call(kfd, 0x02, &asked, sizeof asked);
        made[count] = asked.queue_id;
      }
      expect(kinds[i].what, error, ENOMEM, ENOMEM);
      if (count == 0 || count > kinds[i].most) expect(kinds[i].what, (int)count + 1000, 0, 0);
      for (uint32_t n = 0; n < count; ++n) {
        uint32_t one[2] = {made[n], 0};
        expect("destroy one of many", call(kfd, 0x03, one, sizeof one), 0, 0);
      }
    }
  }
  expect_threads("no thread after many queues", threads, threads);
}

static void events(void) {
  struct create_event event = {0};
  event.type = 99;
  expect("an event of no type", call(kfd, 0x08, &event, sizeof event), EINVAL, EINVAL);
  event = (struct create_event){.page_offset = 0x123456};
  expect("an events page of nobody", call(kfd, 0x08, &event, sizeof event), EINVAL, EINVAL);
  event = (struct create_event){.auto_reset = 1};
  expect("an event", call(kfd, 0x08, &event, sizeof event), 0, 0);
  struct wait_events wait = {0, 1, 0, 10, 0};
  expect("wait for a list nowhere", call(kfd, 0x0c, &wait, sizeof wait), EFAULT, EFAULT);
  wait.count = 0xFFFFFFFF;
  expect("wait for 2^32 - 1 events", call(kfd, 0x0c, &wait, sizeof wait), EINVAL, ENOMEM);
  uint32_t list[12] = {0};
  list[10] = event.id + 1;
  wait = (struct wait_events){(uintptr_t)list, 1, 0, 10, 0};
  expect("wait for an event of nobody", call(kfd, 0x0c, &wait, sizeof wait), EINVAL, EINVAL);
  list[10] = event.id;
  expect("wait in vain", call(kfd, 0x0c, &wait, sizeof wait), 0, 0);
  if (wait.result != 1) expect("that is a timeout", (int)wait.result + 1000, 0, 0);
  uint32_t id[2] = {event.id, 0};
  expect("destroy the event", call(kfd, 0x09, id, sizeof id), 0, 0);
  for (unsigned nr = 0x09; nr <= 0x0b; ++nr) expect("an event that is gone", call(kfd, nr, id, sizeof id), EINVAL, EINVAL);
}

static void descriptors(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    struct version version;
    _exit(call(kfd, 0x01, &version, sizeof version) == EBADF ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  expect("a child's use of our file", WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1, 0, 0);
  struct version version;
  expect("a closed descriptor", call(999, 0x01, &version, sizeof version), EBADF, EBADF);
  const int copy = dup(kfd);
  expect("a duplicate", call(copy, 0x01, &version, sizeof version), 0, 0);
  close(copy);
  expect("a duplicate that is closed", call(copy, 0x01, &version, sizeof version), EBADF, EBADF);
  struct acquire_vm acquire = {(uint32_t)copy, gpu};
  expect("a closed render node", call(kfd, 0x15, &acquire, sizeof acquire), EINVAL, EBADF);
  acquire.drm_fd = (uint32_t)kfd;
  expect("no render node", call(kfd, 0x15, &acquire, sizeof acquire), EINVAL, EINVAL);
}

/* Anything may come of these but a crash or a hang. */
static void random_bytes(unsigned rounds, unsigned seed) {
  static unsigned char argument[16384];
  srand(seed);
  for (unsigned i = 0; i < rounds; ++i) {
    const unsigned pick = (unsigned)rand() % known_count;
    const unsigned size = rand() % 4 == 0 ? (unsigned)rand() % 512 : known[pick].size;
    for (unsigned at = 0; at < size; ++at) argument[at] = (unsigned char)(rand() % 3 == 0 ? rand() : 0);
    if (rand() % 2 == 0 && size >= 8) memcpy(argument + (unsigned)rand() % (size / 4) * 4, &gpu, sizeof gpu);
    if (known[pick].nr == 0x0c) memset(argument + 16, 0, 4); /* no wait for ever */
    call(kfd, known[pick].nr, argument, size);
  }
  struct version version = {0, 0};
  expect("still alive", call(kfd, 0x01, &version, sizeof version), 0, 0);
}

/* Page faults of the GPU, whoever's: the first line that comes. */
static void smi(void) {
  uint32_t events[2] = {gpu, 0};
  expect("SMI events", call(kfd, 0x1f, events, sizeof events), 0, 0);
  const uint64_t faults = 1;
  char line[256];
  if (write((int)events[1], &faults, sizeof faults) != sizeof faults) expect("the mask", errno, 0, 0);
  printf("ready\n");
  fflush(stdout);
  alarm(60);
  const ssize_t got = read((int)events[1], line, sizeof line);
  if (got > 0) fwrite(line, 1, (size_t)got, stdout);
}

/* What a process with /dev/kfd open hears of a reset, and what open() says meanwhile. */
static void reset(void) {
  struct event_data {
    union {
      uint64_t largest[4];
      struct {
        uint32_t reset_type, reset_cause, memory_lost, gpu_id;
      } hardware;
    };
    uint64_t next;
    uint32_t id, pad;
  };
  enum { hw_exception = 3 };
  struct create_event event = {.type = hw_exception};
  expect("an event for hardware exceptions", call(kfd, 0x08, &event, sizeof event), 0, 0);
  struct event_data data = {.id = event.id};
  struct wait_events wait = {.events = (uintptr_t)&data, .count = 1, .timeout_ms = 60000};
  printf("ready\n");
  fflush(stdout);
  expect("wait for a reset", call(kfd, 0x0C, &wait, sizeof wait), 0, 0);
  const int again = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  printf("result %u type %u cause %u lost %u gpu %s open %s\n", wait.result,
         data.hardware.reset_type, data.hardware.reset_cause, data.hardware.memory_lost,
         data.hardware.gpu_id != 0 ? "named" : "0", again < 0 ? strerror(errno) : "opened");
}

int main(int argc, char** argv) {
  if (!open_devices()) return 2;
  if (argc > 1 && strcmp(argv[1], "exhaust") == 0) {
    exhaust();
  } else if (argc > 1 && strcmp(argv[1], "reset") == 0) {
    reset();
  } else if (argc > 1 && strcmp(argv[1], "smi") == 0) {
    smi();
  } else {
    numbers();
    memory();
    shared_memory();
    queues();
    events();
    descriptors();
    random_bytes(argc > 1 ? (unsigned)atoi(argv[1]) : 2000, argc > 2 ? (unsigned)atoi(argv[2]) : 1);
  }
  printf("wrong %d\n", wrong);
  return wrong == 0 ? 0 : 1;
}
