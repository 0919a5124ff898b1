#include "sim/interpose/engine/tracer.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "sim/kernel/process/user_memory.hpp"
#include "stack/formats/drm_uapi.hpp"

namespace rocdrill::interpose {
namespace {

constexpr char variable[] = "ROCDRILL_TRACE";

std::string command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) c = c == '\0' ? ' ' : c;
  return text;
}

int thread_id() { return static_cast<int>(::syscall(SYS_gettid)); }

bool read_memory(void* to, std::uint64_t from, std::size_t bytes) {
  return kernel::copy_from_user(to, from, bytes);
}

trace::SignalState state_of(const aql::AmdSignal& signal) {
  return {__atomic_load_n(&signal.value, __ATOMIC_RELAXED), signal.event_mailbox_ptr,
          signal.event_id};
}

/// The name of the kernel that a launched packet dispatches; "" for any other.
std::string kernel_of(const kernel::ObservedPacket& packet, KernelNames& names) {
  aql::Packet bytes;
  if (packet.sdma || packet.what != kernel::ObservedPacket::What::launched ||
      packet.bytes.size() != sizeof bytes)
    return {};
  std::memcpy(bytes.bytes.data(), packet.bytes.data(), sizeof bytes);
  if (bytes.header().type() != aql::PacketType::kernel_dispatch) return {};
  return names.at(bytes.as<aql::KernelDispatch>().kernel_object);
}

/// _IOC_SIZE.
std::size_t size_of_request(std::uint64_t request) { return request >> 16 & 0x3FFF; }

}  // namespace

std::unique_ptr<Tracer> Tracer::start(const kernel::DeviceFacts& facts) {
  const char* file = std::getenv(variable);
  if (!file || !*file) return nullptr;
  trace::TracedProcess process{
      ::getpid(), command_line(), fmt::format("{}.{}", kfd::interface_major, facts.era.minor), {}};
  for (const kernel::GpuFacts& gpu : facts.gpus)
    process.gpus.push_back({gpu.gpu_id, gpu.render_minor, gpu.gfx_target_version});
  auto writer = trace::Writer::open(file, process);
  if (!writer) {
    std::fprintf(stderr, "rocdrill: no trace of this program: %s\n", writer.error().c_str());
    return nullptr;
  }
  return std::unique_ptr<Tracer>(new Tracer(std::move(*writer)));
}

void Tracer::write(const trace::Json& record) {
  if (!writer_->write(record))
    std::fprintf(stderr, "rocdrill: the trace ends here: %s\n", std::strerror(errno));
}

void Tracer::doorbell(std::uint32_t queue, std::uint64_t value) {
  write(trace::doorbell_record(queue, value));
}

void Tracer::packet(const kernel::ObservedPacket& packet) {
  using What = kernel::ObservedPacket::What;
  trace::PacketNote note;
  note.type = packet.what == What::launched    ? "packet"
              : packet.what == What::completed ? "completion"
                                               : "failure";
  note.queue = packet.queue;
  note.sdma = packet.sdma;
  note.index = packet.index;
  note.dwords = packet.dwords;
  note.bytes = packet.bytes;
  note.reason = packet.reason;
  if (packet.completion) note.signal = state_of(*packet.completion);
  std::string kernel;
  {
    const std::lock_guard lock(mutex_);
    kernel = kernel_of(packet, names_);
    const auto pointer = read_pointers_.find(packet.queue);
    std::uint64_t index = 0;
    if (!packet.sdma && pointer != read_pointers_.end() &&
        kernel::copy_from_user(&index, pointer->second, sizeof index))
      note.read_index = index;
  }
  note.kernel = kernel;
  const auto& path = packet.error_path;
  if (path.inactive) note.inactive = state_of(*path.inactive);
  note.inactive_signal = path.inactive_signal;
  note.reason_address = path.reason_address;
  note.reason_event = path.event_id;
  write(trace::packet_record(note));
}

void Tracer::signalled(std::uint32_t event_id) { write(trace::signalled_record(event_id)); }

std::vector<std::byte> Tracer::argument_bytes(std::uint64_t request, void* argument) {
  std::vector<std::byte> bytes(size_of_request(request));
  if (bytes.empty() || !kernel::copy_from_user(
                           bytes.data(), reinterpret_cast<std::uintptr_t>(argument), bytes.size()))
    bytes.clear();
  return bytes;
}

trace::IoctlRecord Tracer::begin_ioctl(std::uint64_t request, void* argument,
                                       const kernel::OpenDevice* drm_file) {
  trace::IoctlRecord record(request, argument_bytes(request, argument), thread_id(), read_memory);
  if (drm_file) {
    record.add_in("drm_file", trace::hex(drm_file->file));
    record.add_in("render_minor", drm_file->render_minor);
  }
  return record;
}

void Tracer::end_ioctl(trace::IoctlRecord record, std::uint64_t request, void* argument,
                       std::int64_t result) {
  const int error = result < 0 ? static_cast<int>(-result) : 0;
  if (error == 0) note_call(request, argument);
  write(record.finish(error, argument_bytes(request, argument), read_memory));
}

void Tracer::note_call(std::uint64_t request, void* argument) {
  const auto asked = kfd::decode_request(request);
  const auto from = reinterpret_cast<std::uintptr_t>(argument);
  if (!asked) return;
  const std::lock_guard lock(mutex_);
  const auto nr = static_cast<kfd::Ioctl>(asked->nr);
  if (kfd::CreateQueueArgs queue{};
      nr == kfd::Ioctl::create_queue &&
      kernel::copy_from_user(&queue, from, kfd::create_queue_args_size_1_11)) {
    if (queue.queue_type == static_cast<std::uint32_t>(kfd::QueueType::compute_aql))
      read_pointers_[queue.queue_id] = queue.read_pointer_address;
  } else if (kfd::DestroyQueueArgs gone{};
             nr == kfd::Ioctl::destroy_queue && kernel::copy_from_user(&gone, from, sizeof gone)) {
    read_pointers_.erase(gone.queue_id);
  } else if (kfd::RuntimeEnableArgs runtime{};
             nr == kfd::Ioctl::runtime_enable &&
             kernel::copy_from_user(&runtime, from, sizeof runtime) && runtime.mode_mask != 0) {
    names_.set_list(runtime.r_debug);
  }
}

void Tracer::end_drm(std::string_view device, std::uint64_t request,
                     const std::vector<std::byte>& before, std::int64_t result) {
  const int error = result < 0 ? static_cast<int>(-result) : 0;
  std::vector<std::byte> reply;
  if ((request & 0xFF) == drm::info_command && before.size() >= sizeof(drm::InfoRequest)) {
    constexpr std::uint32_t longest = 65536;
    drm::InfoRequest info{};
    std::memcpy(&info, before.data(), sizeof info);
    reply.resize(std::min(info.return_size, longest));
    if (!kernel::copy_from_user(reply.data(), info.return_pointer, reply.size())) reply.clear();
  }
  write(trace::drm_record(device, request, before, error, reply, thread_id()));
}

void Tracer::mapped(trace::Mapping mapping, std::int64_t result) {
  if (result < 0)
    mapping.error = static_cast<int>(-result);
  else
    mapping.address = static_cast<std::uint64_t>(result);
  write(trace::mapping_record(mapping, thread_id()));
}

}  // namespace rocdrill::interpose
