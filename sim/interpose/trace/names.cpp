#include "sim/interpose/trace/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::trace {
namespace {

bool is_ioctl(const Record& record, std::string_view name) {
  return record.type == RecordType::ioctl &&
         record.json.at("name").get_ref<const std::string&>() == name;
}

bool has_thread(const Record& record) {
  return record.type == RecordType::ioctl || record.type == RecordType::drm ||
         record.type == RecordType::mmap;
}

std::string named(std::map<std::uint64_t, std::string>& names, char letter, std::uint64_t value) {
  auto& name = names[value];
  if (name.empty()) name = fmt::format("{}{}", letter, names.size());
  return name;
}

}  // namespace

Names::Names(const Process& process) : gpus_(process.gpus) {
  find_threads(process);
  find_buffers(process);
}

void Names::find_threads(const Process& process) {
  threads_.push_back(static_cast<std::uint64_t>(process.pid));
  // Those that only wait come last: whether and when they are seen depends on time.
  for (const bool waits : {false, true}) {
    for (const Record& record : process.records) {
      if (!has_thread(record)) continue;
      if (!waits && record.type == RecordType::ioctl &&
          is_wait(record.json.at("name").get_ref<const std::string&>()))
        continue;
      const std::uint64_t thread = number_of(record.json, "thread");
      if (std::ranges::find(threads_, thread) == threads_.end()) threads_.push_back(thread);
    }
  }
}

/// Named thread by thread: how threads' calls mix is of one run only.
void Names::find_buffers(const Process& process) {
  std::map<std::uint64_t, std::size_t> alive;  // handle -> place in buffers_
  for (const Record& record : process.records) {
    const bool alloc = is_ioctl(record, "AMDKFD_IOC_ALLOC_MEMORY_OF_GPU");
    if (!alloc && !is_ioctl(record, "AMDKFD_IOC_FREE_MEMORY_OF_GPU")) continue;
    if (number_of(record.json, "errno") != 0) continue;
    const Json& in = record.json.at("in");
    if (alloc) {
      alive[number_of(record.json.at("out"), "handle")] = buffers_.size();
      buffers_.push_back({number_of(in, "va_addr"),
                          number_of(in, "size"),
                          record.seq,
                          UINT64_MAX,
                          number_of(record.json, "thread"),
                          {}});
    } else if (const auto at = alive.find(number_of(in, "handle")); at != alive.end()) {
      buffers_[at->second].until = record.seq;
      alive.erase(at);
    }
  }
  std::ranges::stable_sort(buffers_, {}, [this](const Buffer& buffer) {
    return std::ranges::find(threads_, buffer.thread) - threads_.begin();
  });
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].name = fmt::format("A{}", i + 1);
}

std::string Names::gpu(std::uint64_t gpu_id) const {
  const auto at = std::ranges::find(gpus_, gpu_id);
  return at == gpus_.end() ? fmt::format("{}", gpu_id) : fmt::format("gpu{}", at - gpus_.begin());
}

std::string Names::handle(std::uint64_t handle) {
  return handle == 0 ? "0" : named(handles_, 'h', handle);
}

std::string Names::signal(std::uint64_t address) {
  return address == 0 ? "0" : named(signals_, 's', address);
}

std::string Names::address(std::uint64_t address, std::uint64_t seq) {
  if (address == 0) return "0";
  for (const Buffer& buffer : buffers_) {
    if (seq < buffer.from || seq > buffer.until || address < buffer.start) continue;
    const std::uint64_t offset = address - buffer.start;
    if (offset < buffer.size)
      return offset == 0 ? buffer.name : fmt::format("{}+{:#x}", buffer.name, offset);
  }
  return named(others_, 'X', address);
}

std::string Names::value(std::uint64_t value, Kind kind, std::uint64_t seq) {
  switch (kind) {
    case Kind::number:
      return fmt::format("{}", value);
    case Kind::signed_number:
      return fmt::format("{}", static_cast<std::int32_t>(value));
    case Kind::alloc_flags:
      return alloc_flags(value);
    case Kind::gpu:
      return gpu(value);
    case Kind::handle:
      return handle(value);
    case Kind::address:
      return address(value, seq);
    case Kind::signal:
      return signal(value);
    case Kind::offset: {
      const auto what = kfd::MmapOffset::decode(value);
      if (what.type == kfd::MmapType::doorbell) return fmt::format("doorbell+{:#x}", what.value);
      return hex(value);
    }
    default:
      return hex(value);
  }
}

std::string alloc_flags(std::uint64_t flags) {
  namespace flag = kfd::alloc_flag;
  struct Named {
    std::uint32_t bit;
    const char* name;
  };
  constexpr Named all[] = {{flag::vram, "VRAM"},
                           {flag::gtt, "GTT"},
                           {flag::userptr, "USERPTR"},
                           {flag::doorbell, "DOORBELL"},
                           {flag::mmio_remap, "MMIO_REMAP"},
                           {flag::contiguous, "CONTIGUOUS"},
                           {flag::ext_coherent, "EXT_COHERENT"},
                           {flag::uncached, "UNCACHED"},
                           {flag::coherent, "COHERENT"},
                           {flag::aql_queue_mem, "AQL_QUEUE_MEM"},
                           {flag::no_substitute, "NO_SUBSTITUTE"},
                           {flag::host_access, "PUBLIC"},
                           {flag::executable, "EXECUTABLE"},
                           {flag::writable, "WRITABLE"}};
  std::string text;
  for (const Named& one : all) {
    if ((flags & one.bit) == 0) continue;
    text += (text.empty() ? "" : "|") + std::string(one.name);
    flags &= ~std::uint64_t{one.bit};
  }
  if (flags != 0 || text.empty()) text += (text.empty() ? "" : "|") + hex(flags);
  return text;
}

}  // namespace rocdrill::trace
