// Sequences of ioctls on /dev/kfd, decoded from the input: arguments of any bytes, pointers into a
// small arena, to memory that cannot be used, or nowhere; between them doorbells and queue
// progress. A crash, a sanitizer report, a hang, or something still held after the end is a
// finding.
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <set>

#include "sim/kernel/process/kfd_process.hpp"

namespace {

using namespace rocdrill;

constexpr std::uint32_t gpu_ids[] = {0x1111, 0x2222};
constexpr std::size_t arena_bytes = 128 << 10;
constexpr std::size_t page_bytes = 4096;

void require(bool promise) {
  if (!promise) std::abort();
}

char* map_pages(std::size_t bytes, int prot) {
  void* memory = mmap(nullptr, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED);
  return static_cast<char*>(memory);
}

struct Memory {
  char* arena = map_pages(arena_bytes, PROT_READ | PROT_WRITE);
  char* constant = map_pages(page_bytes, PROT_READ);
  char* forbidden = map_pages(page_bytes, PROT_NONE);
  std::array<std::uint64_t, 2 * 1024> doorbells{};
};

Memory& memory() {
  static Memory the_memory;
  return the_memory;
}

struct Devices final : kernel::DeviceService {
  explicit Devices(std::uint8_t era) {
    facts_.era = {std::array<std::uint32_t, 4>{17, 14, 11, 5}[era % 4], era % 2 != 0, era % 8 < 4};
    for (const std::uint32_t id : gpu_ids) {
      kernel::GpuFacts gpu;
      gpu.gpu_id = id;
      gpu.render_minor = 128;
      gpu.vram_bytes = std::uint64_t{64} << 30;
      gpu.gfx_target_version = id == gpu_ids[0] ? 90010 : 90402;
      gpu.sdma_engines = 2;
      gpu.sdma_queues_per_engine = 8;
      gpu.large_bar = id == gpu_ids[0];
      facts_.gpus.push_back(gpu);
    }
  }
  const kernel::DeviceFacts& facts() override { return facts_; }
  SysResult<void> attach(int, std::uint32_t gpu_id) override {
    if (!facts_.find(gpu_id)) return fail(EINVAL);
    return {};
  }
  void detach(int) override { detached = true; }
  SysResult<kernel::VramExtents> reserve_vram(int, std::uint32_t gpu_id,
                                              std::uint64_t bytes) override {
    if (bytes > available_vram(gpu_id)) return fail(ENOMEM);
    reserved[gpu_id] += bytes;
    return kernel::VramExtents{{0, bytes}};
  }
  void release_vram(int, std::uint32_t gpu_id, const kernel::VramExtents& extents) override {
    require(extents.size() == 1);
    const std::uint64_t bytes = extents.front().bytes;
    require(bytes <= reserved[gpu_id]);
    reserved[gpu_id] -= bytes;
  }
  std::uint64_t available_vram(std::uint32_t gpu_id) override {
    return facts_.find(gpu_id)->vram_bytes - reserved[gpu_id];
  }
  SysResult<std::uint32_t> take_doorbell(int, std::uint32_t gpu_id,
                                         const kernel::HeldQueue&) override {
    std::uint32_t index = 0;
    while (taken.contains({gpu_id, index})) ++index;
    if (index >= 16) return fail(ENOMEM);
    taken.insert({gpu_id, index});
    return index;
  }
  void release_doorbell(int, std::uint32_t gpu_id, std::uint32_t index) override {
    require(taken.erase({gpu_id, index}) == 1);
  }
  EventId page_fault(int, const kernel::PageFault& fault) override {
    require(facts_.find(fault.gpu_id) && taken.contains({fault.gpu_id, fault.doorbell}));
    return 1;
  }
  EventId hardware_error(int, const kernel::HardwareError& error) override {
    require(facts_.find(error.gpu_id) != nullptr);
    return 1;
  }
  EventId record(Layer, Severity, std::string_view kind, std::string_view,
                 std::initializer_list<Field>, EventId) override {
    require(!kind.empty());
    return 1;
  }

  kernel::DeviceFacts facts_;
  std::map<std::uint32_t, std::uint64_t> reserved;
  std::set<std::pair<std::uint32_t, std::uint32_t>> taken;
  bool detached = false;
};

struct World final : kernel::Surroundings, kernel::FileTable {
  explicit World(bool backing) : backing_(backing) {}
  kernel::ClockSample clocks() override { return {++now_, now_}; }
  bool wait(std::unique_lock<std::mutex>& lock, std::uint32_t,
            const std::function<bool()>& ready) override {
    require(lock.owns_lock());
    return ready();  // nothing more can come
  }
  void sleep_ns(std::uint64_t) override {}
  bool has_backing() const override { return backing_; }
  std::optional<kernel::Backing> allocate(std::size_t bytes) override {
    if (bytes > arena_bytes) return std::nullopt;
    ++held;
    void* memory =
        std::aligned_alloc(page_bytes, (bytes + page_bytes - 1) / page_bytes * page_bytes);
    std::memset(memory, 0, bytes);
    return kernel::Backing{memory, 0x1'0000'0000 + held * arena_bytes};
  }
  void free(const kernel::Backing& backing, std::size_t) override {
    --held;
    std::free(backing.memory);
  }
  std::uint64_t* doorbell_page(std::uint32_t gpu_id) override {
    return memory().doorbells.data() + (gpu_id == gpu_ids[0] ? 0 : 1024);
  }
  std::optional<kernel::OpenDevice> device(int fd) override {
    if (fd != 3 && fd != 4) return std::nullopt;
    return kernel::OpenDevice{static_cast<std::uint64_t>(fd), fd == 3 ? 128u : 0u};
  }

  std::uint64_t held = 0;

 private:
  bool backing_;
  std::uint64_t now_ = 0;
};

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  void bytes(void* to, std::size_t count) {
    count = std::min(count, size_);
    if (count == 0) return;
    std::memcpy(to, data_, count);
    data_ += count;
    size_ -= count;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

std::uint64_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

bool ours(std::uint64_t value) {
  return (value >= address(memory().arena) && value < address(memory().arena) + arena_bytes) ||
         value == address(memory().constant) || value == address(memory().forbidden);
}

/// A value that means something to the driver.
std::uint64_t interesting(std::uint8_t kind, std::uint8_t which, std::uint64_t last_handle) {
  const std::uint64_t wild[] = {0,          1,
                                4096,       1ull << 30,
                                1ull << 40, (1ull << 47) - 4096,
                                1ull << 47, (1ull << 63) - 1,
                                1ull << 63, ~0ull - 4094,
                                ~0ull,      0xFFFF'8000'0000'0000};
  switch (kind % 6) {
    case 0:
      return address(memory().arena) + which % 32 * page_bytes;
    case 1:
      return address(memory().arena) + which * 64ull;
    case 2:
      return which % 2 != 0 ? address(memory().constant) : address(memory().forbidden);
    case 3:
      return wild[which % std::size(wild)];
    case 4:
      return last_handle - which % 4;
    default:
      return std::uint64_t{1} << which % 24;
  }
}

class Session {
 public:
  explicit Session(Input& input)
      : in_(input),
        devices_(in_.byte()),
        world_(in_.byte() % 2 != 0),
        process_(std::make_unique<kernel::KfdProcess>(devices_, world_,
                                                      kernel::Opener{1, "fuzz", &world_})) {
    std::memset(memory().arena, 0, arena_bytes);
    // Most ways lead past an acquired GPU.
    for (const std::uint32_t id : gpu_ids) call(0x15, kfd::AcquireVmArgs{3, id});
  }
  ~Session() {
    process_.reset();
    for (const auto& [gpu, bytes] : devices_.reserved) require(bytes == 0);
    require(devices_.taken.empty() && devices_.detached && world_.held == 0);
  }

  void step() {
    switch (in_.byte() % 8) {
      case 0:
        ring();
        break;
      case 1:
        in_.bytes(memory().arena + in_.byte() * 64ull, in_.byte());
        break;
      case 2:
        static_cast<void>(
            process_->mmap(in_.byte() * 4096ull, 3, interesting(in_.byte(), in_.byte(), handle_)));
        break;
      case 3:
        buffer();
        break;
      case 4:
        queue();
        break;
      case 5:
        svm();
        break;
      default:
        any();
    }
  }

 private:
  template <class Args>
  std::pair<int, Args> call(unsigned nr, Args args) {
    const auto result = process_->ioctl(kfd::make_request(static_cast<kfd::Ioctl>(nr)), &args);
    return {result ? 0 : result.error().error, args};
  }

  void ring() {
    const std::size_t index = in_.byte() % 4 + (in_.byte() % 2 != 0 ? 1024u : 0u);
    std::uint64_t value = in_.byte();
    if (in_.byte() % 8 == 0) value = interesting(in_.byte(), in_.byte(), handle_);
    memory().doorbells[index] = value;
    process_->serve_doorbells();
    process_->progress();
  }

  /// One that can be made and mapped.
  void buffer() {
    const std::uint8_t at = in_.byte();
    const std::uint32_t gpu = gpu_ids[at % 2];
    const std::uint64_t va = address(memory().arena) + at / 2 % 32 * page_bytes;
    const std::uint32_t kind = at % 3 == 0 ? kfd::alloc_flag::userptr : kfd::alloc_flag::gtt;
    const std::uint32_t flags = kind | kfd::alloc_flag::writable | kfd::alloc_flag::executable;
    const auto [error, made] = call(
        0x16, kfd::AllocMemoryOfGpuArgs{va, (in_.byte() % 4 + 1) * page_bytes, 0, va, gpu, flags});
    if (error != 0) return;
    handle_ = made.handle;
    call(0x18, kfd::MapMemoryToGpuArgs{handle_, address(&gpu), 1, 0});
  }

  void queue() {
    kfd::CreateQueueArgs args{};
    args.ring_base_address = address(memory().arena) + in_.byte() % 8 * page_bytes;
    args.write_pointer_address = args.ring_base_address + page_bytes + in_.byte() % 8 * 8ull;
    args.read_pointer_address = args.write_pointer_address + (in_.byte() % 4 == 0 ? 8u : 72u);
    args.ring_size = 256u << in_.byte() % 5;
    args.gpu_id = gpu_ids[in_.byte() % 2];
    args.queue_type = in_.byte() % 5;
    args.queue_percentage = 100;
    args.ctx_save_restore_address = args.ring_base_address;
    call(0x02, args);
  }

  /// Attributes of ranges, which split and merge.
  void svm() {
    constexpr std::size_t most = 8;
    struct {
      kfd::SvmArgs args;
      std::array<kfd::SvmAttribute, most> attributes;
    } call{};
    const std::uint8_t kind = in_.byte();
    call.args.start_addr = kind % 8 == 0 ? interesting(in_.byte(), in_.byte(), handle_)
                                         : address(memory().arena) + in_.byte() % 32 * page_bytes;
    call.args.size =
        kind % 16 == 1 ? interesting(3, in_.byte(), handle_) : (in_.byte() % 8 + 1) * page_bytes;
    call.args.op = kind / 16 % 3;
    call.args.nattr = in_.byte() % (most + 2);
    for (kfd::SvmAttribute& attribute : call.attributes)
      attribute = {in_.byte() % 10u, in_.byte() % 2 != 0 ? gpu_ids[in_.byte() % 2] : in_.byte()};
    const std::size_t size = sizeof call.args + in_.byte() % (most + 1) * sizeof call.attributes[0];
    const auto result = process_->ioctl(
        _IOC(_IOC_READ | _IOC_WRITE, 'K', static_cast<unsigned>(kfd::Ioctl::svm), size), &call);
    require(result || (result.error().error > 0 && result.error().error < 4096));
  }

  void any() {
    alignas(8) std::array<std::uint64_t, 64> argument{};
    const auto all = kfd::ioctls();
    const kfd::IoctlInfo& info = all[in_.byte() % all.size()];
    const std::uint8_t odd = in_.byte();
    const std::size_t size = odd < 16 ? odd * 30u : info.size;
    in_.bytes(argument.data(), std::min<std::size_t>(size, in_.byte()));
    for (std::uint8_t patches = in_.byte() % 6; patches > 0; --patches) {
      const std::size_t word = in_.byte() % std::max<std::size_t>(1, (info.size + 7) / 8);
      const std::uint8_t kind = in_.byte();
      if (kind % 4 == 3) {
        auto* half = reinterpret_cast<std::uint32_t*>(&argument[word]) + (kind & 64 ? 1 : 0);
        *half = kind & 128 ? gpu_ids[in_.byte() % 2] : in_.byte();
      } else {
        argument[word] = interesting(kind / 4, in_.byte(), handle_);
      }
    }
    // An address that happens to be the fuzzer's own would be its crash and not the driver's.
    for (std::uint64_t& word : argument) {
      if (word >= 0x7FFF'0000 && word < 1ull << 47 && word != 1ull << 40 && word < handle_ - 4 &&
          !ours(word))
        word |= 1ull << 62;
      if (word >= 0x7FFF'0000 && word < 1ull << 47 && word > handle_ && !ours(word))
        word |= 1ull << 62;
    }
    const unsigned long request =
        _IOC(_IOC_READ | _IOC_WRITE, 'K', static_cast<unsigned>(info.nr), size);
    const auto result = process_->ioctl(request, odd == 255 ? nullptr : argument.data());
    require(result || (result.error().error > 0 && result.error().error < 4096));
  }

  Input& in_;
  Devices devices_;
  World world_;
  std::unique_ptr<kernel::KfdProcess> process_;
  std::uint64_t handle_ = 1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Session session(input);
  for (int steps = 0; steps < 200 && !input.empty(); ++steps) session.step();
  return 0;
}
