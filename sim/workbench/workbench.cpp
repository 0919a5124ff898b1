#include "sim/workbench/workbench.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "sim/code_objects/compressed.hpp"
#include "sim/code_objects/fat_binary.hpp"
#include "sim/code_objects/loader.hpp"
#include "sim/silicon/isa/run.hpp"
#include "sim/silicon/isa/workgroup.hpp"
#include "stack/formats/offload_bundle.hpp"

namespace rocdrill::workbench {
namespace {

using code_objects::Kernel;

// Where KFD puts them for a process (kfd_flat_memory.c).
constexpr std::uint64_t shared_base = 0x1000000000000;
constexpr std::uint64_t private_base = 0x2000000000000;
constexpr std::size_t page = 4096;
constexpr std::uint32_t most_work_items = 1024;
constexpr std::uint32_t lds_bytes = 65536;

std::size_t whole_pages(std::size_t bytes) {
  return std::max<std::size_t>((bytes + page - 1) / page, 1) * page;
}

std::string processor_of(std::string_view target) {
  if (const std::size_t at = target.rfind("--"); at != std::string_view::npos)
    target.remove_prefix(at + 2);
  return std::string(target.substr(0, target.find(':')));
}

isa::Shape shape_of(const std::string& processor) {
  isa::Shape shape{.processor = processor};
  if (processor.starts_with("gfx94")) {  // MI300X in SPX
    shape.xccs = 8;
    shape.compute_units = 304;
  }
  return shape;
}

std::uint64_t monotonic(void*) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count()) / 10;  // 100 MHz
}

/// The V# that ROCr makes for scratch (amd_gpu_agent's queues): swizzled, 4-byte elements, 64
/// lanes, the lane added by hardware.
std::array<std::uint32_t, 4> scratch_descriptor(std::uint64_t va, std::uint64_t bytes) {
  constexpr std::uint32_t swizzle_enable = 1u << 31;
  constexpr std::uint32_t element_4 = 1u << 19;
  constexpr std::uint32_t index_stride_64 = 3u << 21;
  constexpr std::uint32_t add_tid = 1u << 23;
  constexpr std::uint32_t format = 4u << 15 | 4u << 12;  // DATA_FORMAT_32, NUM_FORMAT_UINT
  constexpr std::uint32_t selects = 4u | 5u << 3 | 6u << 6 | 7u << 9;
  return {static_cast<std::uint32_t>(va),
          static_cast<std::uint32_t>(va >> 32 & 0xFFFF) | swizzle_enable,
          static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, 0xFFFFFFFF)),
          selects | format | element_4 | index_stride_64 | add_tid};
}

struct Picked {
  std::span<const std::byte> bytes;
  std::string error;
};

Picked pick(std::span<const std::byte> file, std::string_view processor) {
  const auto binary = code_objects::extract(file);
  if (!binary) return {{}, binary.error().what};
  std::string has;
  for (const code_objects::FatEntry& entry : binary->entries) {
    const std::string own = processor_of(entry.id);
    if (own.empty() || entry.size == 0 || entry.id.starts_with("host")) continue;
    has += (has.empty() ? "" : ", ") + own;
    const bool wanted = processor.empty() ? isa::executes(own) : own == processor_of(processor);
    if (wanted) return {code_objects::contents(file, entry), {}};
  }
  if (has.empty()) return {{}, "it holds no device code"};
  return {{},
          processor.empty()
              ? fmt::format("it has code for {} only; executed are gfx90a, gfx942 and the older "
                            "gfx9 data centre GPUs",
                            has)
              : fmt::format("it has no code for {}, but for {}", processor, has)};
}

}  // namespace

std::expected<std::unique_ptr<Workbench>, std::string> Workbench::open(
    std::span<const std::byte> file, std::string_view processor, const WorkbenchOptions& options) {
  std::vector<std::byte> plain;
  if (offload_bundle::is_compressed(file)) {
    auto expanded = code_objects::expand(file);
    if (!expanded) return std::unexpected(expanded.error().what);
    plain = std::move(*expanded);
    file = plain;
  }
  const Picked picked = pick(file, processor);
  if (picked.bytes.empty()) return std::unexpected(picked.error);
  auto object = code_objects::read_code_object(picked.bytes);
  if (!object) return std::unexpected(object.error().what);
  const std::string own = object->target.processor;
  if (!isa::executes(own)) return std::unexpected("instructions of " + own + " are not executed");
  std::unique_ptr<Workbench> bench(new Workbench);
  bench->object_ = std::move(*object);
  bench->file_.assign(picked.bytes.begin(), picked.bytes.end());
  bench->dispatcher_ = std::make_unique<isa::Dispatcher>(
      shape_of(own), std::make_shared<isa::CodeCache>(own, options.level), options.threads);
  if (auto loaded = bench->load(bench->file_); !loaded) return std::unexpected(loaded.error());
  return bench;
}

Workbench::~Workbench() {
  for (const Buffer& buffer : buffers_) ::munmap(buffer.data_, whole_pages(buffer.size_));
}

std::expected<void, std::string> Workbench::load(std::span<const std::byte> file) {
  image_ = allocate(code_objects::image_bytes(object_));
  if (auto done = code_objects::load_image(object_, file, image_.va(), image_.bytes()); !done)
    return std::unexpected(done.error().what);
  // Code is executed, the rest is data; both lie in one piece as far as the page tables go.
  space_.remove(image_.va());
  space_.add(image_.va(), whole_pages(image_.size_),
             {.read = true, .write = true, .execute = true});
  packet_ = allocate(sizeof(aql::KernelDispatch));
  return {};
}

Buffer Workbench::allocate(std::size_t bytes, cp::Permissions permissions) {
  void* memory = ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  Buffer buffer;
  buffer.data_ = static_cast<std::byte*>(memory);
  buffer.size_ = bytes;
  space_.add(buffer.va(), std::max<std::size_t>(bytes, 1), permissions);
  buffers_.push_back(buffer);
  return buffer;
}

std::uint64_t Workbench::symbol(std::string_view name) const {
  const auto found = code_objects::find_symbol(file_, name);
  return found && *found ? image_.va() + **found : 0;
}

std::expected<isa::Launch, std::string> Workbench::prepare(const KernelLaunch& request,
                                                           Buffer& kernarg) {
  const Kernel* kernel = object_.find_kernel(request.kernel);
  if (kernel == nullptr) {
    std::string names;
    for (const Kernel& one : object_.kernels) names += " " + one.name;
    return std::unexpected(fmt::format("no kernel '{}'; there are:{}", request.kernel, names));
  }
  if (!kernel->descriptor)
    return std::unexpected("kernel " + kernel->name + " has no descriptor in a loaded segment");
  code_objects::Geometry geometry = request.geometry;
  geometry.shared_base = shared_base;
  geometry.private_base = private_base;
  geometry.dynamic_lds = static_cast<std::uint32_t>(request.dynamic_lds);
  std::uint64_t items = 1;
  for (unsigned n = 0; n < 3; ++n) {
    if (geometry.group[n] == 0 || geometry.grid[n] == 0)
      return std::unexpected("a grid or block of 0 work-items");
    items *= geometry.group[n];
  }
  const std::uint64_t most =
      kernel->max_flat_workgroup_size != 0
          ? std::min<std::uint64_t>(kernel->max_flat_workgroup_size, most_work_items)
          : most_work_items;
  if (items > most)
    return std::unexpected(
        fmt::format("a block of {} work-items; {} allows {}", items, kernel->name, most));
  const std::uint64_t lds = kernel->group_segment_fixed_size + request.dynamic_lds;
  if (lds > lds_bytes)
    return std::unexpected(fmt::format("{} bytes of LDS; a workgroup has {}", lds, lds_bytes));
  auto bytes = code_objects::make_kernarg(*kernel, request.arguments, geometry);
  if (!bytes) return std::unexpected(bytes.error().what);
  kernarg = allocate(std::max<std::size_t>(bytes->size(), 1));
  std::ranges::copy(*bytes, kernarg.bytes().begin());

  isa::Launch launch;
  launch.counts_traffic = request.counts_traffic;
  launch.most_slices = request.most_slices;
  launch.descriptor = *kernel->descriptor;
  launch.entry_va = image_.va() + kernel->descriptor_address +
                    static_cast<std::uint64_t>(launch.descriptor.kernel_code_entry_byte_offset);
  launch.environment.shared_base = shared_base;
  launch.environment.private_base = private_base;
  launch.environment.clock = monotonic;
  aql::KernelDispatch& packet = launch.packet;
  packet.setup = static_cast<std::uint16_t>(geometry.dimensions);
  packet.workgroup_size_x = geometry.group[0];
  packet.workgroup_size_y = geometry.group[1];
  packet.workgroup_size_z = geometry.group[2];
  packet.grid_size_x = geometry.grid[0];
  packet.grid_size_y = geometry.grid[1];
  packet.grid_size_z = geometry.grid[2];
  packet.group_segment_size = static_cast<std::uint32_t>(lds);
  packet.private_segment_size = static_cast<std::uint32_t>(kernel->private_segment_fixed_size);
  if (kernel->uses_dynamic_stack)
    packet.private_segment_size = std::max<std::uint32_t>(packet.private_segment_size, 16384);
  packet.kernel_object = image_.va() + kernel->descriptor_address;
  packet.kernarg_address = kernarg.va();
  std::memcpy(packet_.data_, &packet, sizeof packet);
  launch.packet_va = packet_.va();
  if (packet.private_segment_size != 0) {
    const isa::Shape& shape = dispatcher_->shape();
    launch.scratch.wave_bytes = (packet.private_segment_size * 64ull + 1023) / 1024 * 1024;
    launch.scratch.slots = std::min(shape.compute_units * 32u, 1024u);
    const std::uint64_t total = launch.scratch.wave_bytes * launch.scratch.slots;
    if (scratch_.size_ < total) scratch_ = allocate(total);
    launch.scratch.va = scratch_.va();
    launch.scratch.descriptor = scratch_descriptor(scratch_.va(), scratch_.size_);
  }
  return launch;
}

void Workbench::free(const Buffer& buffer) {
  space_.remove(buffer.va());
  ::munmap(buffer.data_, whole_pages(buffer.size_));
  std::erase_if(buffers_, [&](const Buffer& one) { return one.data_ == buffer.data_; });
}

std::expected<isa::Outcome, std::string> Workbench::run(const KernelLaunch& request,
                                                        const std::atomic<bool>* cancel) {
  Buffer kernarg;
  const auto launch = prepare(request, kernarg);
  if (!launch) return std::unexpected(launch.error());
  isa::Outcome outcome = dispatcher_->run(*launch, space_, cancel);
  free(kernarg);
  return outcome;
}

std::expected<isa::Outcome, std::string> Workbench::step(const KernelLaunch& request,
                                                         std::uint64_t workgroup,
                                                         std::uint32_t wave,
                                                         const isa::Dispatcher::Look& look) {
  Buffer kernarg;
  const auto launch = prepare(request, kernarg);
  if (!launch) return std::unexpected(launch.error());
  isa::Outcome outcome = dispatcher_->step(*launch, space_, workgroup, wave, look);
  free(kernarg);
  return outcome;
}

isa::Decoder::Text Workbench::disassemble_at(std::uint64_t va) {
  const auto extent = space_.extent(va, cp::Access::execute);
  if (!extent) return {.text = "not mapped", .mnemonic = {}, .legal = false, .executed = false};
  return dispatcher_->code().decoder().disassemble(
      {reinterpret_cast<const std::byte*>(va + extent->to_host),
       extent->bytes - (va - extent->begin)},
      va);
}

std::vector<Workbench::Line> Workbench::disassemble_range(std::uint64_t begin,
                                                          std::uint64_t bytes) {
  std::vector<Line> lines;
  const std::span<const std::byte> code = image_.bytes().subspan(begin, bytes);
  for (std::size_t at = 0; at < code.size();) {
    lines.push_back({begin + at, dispatcher_->code().decoder().disassemble(
                                     code.subspan(at), image_.va() + begin + at)});
    at += lines.back().text.bytes;
  }
  return lines;
}

std::vector<Workbench::Line> Workbench::disassemble(const Kernel& kernel) {
  if (!kernel.descriptor) return {};
  const std::uint64_t entry =
      kernel.descriptor_address +
      static_cast<std::uint64_t>(kernel.descriptor->kernel_code_entry_byte_offset);
  const isa::CodeCache::Place place = dispatcher_->code().find(image_.va() + entry, space_);
  if (place.fragment == nullptr) return {};
  return disassemble_range(entry, place.fragment->bytes.size());
}

std::vector<Workbench::Line> Workbench::disassemble_all() {
  std::vector<Line> lines;
  for (const code_objects::Segment& segment : object_.segments) {
    if (!segment.executable) continue;
    const std::vector<Line> more = disassemble_range(segment.address, segment.file_size & ~3ull);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  return lines;
}

}  // namespace rocdrill::workbench
