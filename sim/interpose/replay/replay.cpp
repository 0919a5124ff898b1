#include "sim/interpose/replay/replay.hpp"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sim/interpose/replay/client.hpp"
#include "sim/interpose/replay/packets.hpp"
#include "sim/interpose/trace/ioctl_fields.hpp"
#include "sim/kernel/process/user_memory.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::replay {
namespace {

using kfd::Ioctl;
using trace::Json;
using trace::number_of;
using trace::Record;
using trace::RecordType;
using trace::Way;

std::string errno_text(std::uint64_t error) {
  if (error == 0) return "success";
  const char* name = ::strerrorname_np(static_cast<int>(error));
  return name ? name : fmt::format("errno {}", error);
}

/// Arrays that the argument points at, where the process part reads and writes them.
struct Arrays {
  std::vector<std::uint32_t> words;
  std::vector<kfd::EventData> events;
  std::vector<kfd::ProcessDeviceApertures> apertures;
};

template <class Args, class Member, class T>
void point(std::vector<std::byte>& argument, Member Args::* member, const std::vector<T>& list) {
  if (argument.size() < sizeof(Args)) return;
  Args args{};
  std::memcpy(&args, argument.data(), sizeof args);
  args.*member = list.empty() ? 0 : reinterpret_cast<std::uintptr_t>(list.data());
  std::memcpy(argument.data(), &args, sizeof args);
}

class Replayer {
 public:
  Replayer(const trace::Process& process, kernel::DeviceService& devices, sim::Os& os)
      : recorded_(process), client_(devices, os, process.pid, process.command) {
    for (const Record& record : process.records) note_packet(record);
  }

  Outcome run() {
    for (const Record& record : recorded_.records) {
      step(record);
      if (outcome_.divergence || !outcome_.stopped.empty()) break;
    }
    return std::move(outcome_);
  }

 private:
  void note_packet(const Record& record);
  void prepare_errors(const Json& create, std::uint32_t queue_id);
  void signalled(const Record& record);
  void step(const Record& record);
  void ioctl(const Record& record);
  void compare_ioctl(const Record& record, Ioctl nr, const std::vector<std::byte>& argument);
  void succeeded(const Record& record, Ioctl nr, const std::vector<std::byte>& argument);
  void prepare(const Record& record, Ioctl nr, std::vector<std::byte>& argument, Arrays& arrays);
  void mmap(const Record& record);
  bool stops_at(const Record& record);
  void packet(const Record& record);
  void after_packet(const Record& record);
  Producer* producer(const Record& record);
  void differ(const Record& record, std::string what, std::string recorded, std::string replayed) {
    outcome_.divergence = Divergence{recorded_.pid,   record.seq,          record.line,
                                     std::move(what), std::move(recorded), std::move(replayed)};
  }

  const trace::Process& recorded_;
  Client client_;
  Outcome outcome_;
  std::map<std::uint32_t, std::vector<const Record*>> packets_;  ///< of each queue
  std::map<std::uint32_t, Producer> producers_;
  std::map<std::uint64_t, std::uint64_t> handles_;  ///< recorded -> replayed
  struct Place {
    std::uint64_t offset, bytes;
  };
  std::map<std::uint64_t, Place> offsets_;  ///< recorded -> replayed
  std::map<std::uint32_t, std::uint64_t> signals_;
};

void Replayer::note_packet(const Record& record) {
  if (record.type != RecordType::packet && record.type != RecordType::failure) return;
  auto& list = packets_[static_cast<std::uint32_t>(number_of(record.json, "queue"))];
  // A packet that failed after its launch is there already.
  const bool known = record.type == RecordType::failure && !list.empty() &&
                     number_of(list.back()->json, "index") == number_of(record.json, "index");
  if (!known) list.push_back(&record);
}

void Replayer::step(const Record& record) {
  switch (record.type) {
    case RecordType::ioctl:
      return ioctl(record);
    case RecordType::mmap:
      return mmap(record);
    case RecordType::drm:
      ++outcome_.skipped;
      return;
    case RecordType::doorbell:
      if (Producer* queue = producer(record)) queue->ring(number_of(record.json, "value"));
      return;
    case RecordType::packet:
      return packet(record);
    case RecordType::completion:
    case RecordType::failure:
      return after_packet(record);
    case RecordType::signalled:
      return signalled(record);
  }
}

/// Whether it is a queue's error that the runtime learns of through this event.
bool tells_by(const Record& record, std::uint32_t event_id) {
  if (record.type != RecordType::failure) return false;
  for (const char* path : {"inactive_signal", "error_reason"}) {
    if (record.json.contains(path) && number_of(record.json.at(path), "event_id") == event_id)
      return true;
  }
  return false;
}

void Replayer::signalled(const Record& record) {
  const auto id = static_cast<std::uint32_t>(number_of(record.json, "event_id"));
  const std::uint64_t count = ++signals_[id];
  client_.run();
  if (client_.signals(id) >= count) return;
  // A queue's error is signalled before it is recorded, and calls of other threads may come
  // between.
  const auto next = std::ranges::upper_bound(recorded_.records, record.seq, {}, &Record::seq);
  const auto failure = std::find_if(next, recorded_.records.end(),
                                    [id](const Record& later) { return tells_by(later, id); });
  if (failure != recorded_.records.end()) {
    after_packet(*failure);
    if (outcome_.divergence || !outcome_.stopped.empty()) return;
  }
  if (client_.signals(id) < count) {
    differ(record, fmt::format("event {}", id), fmt::format("signalled {} times", count),
           fmt::format("signalled {} times", client_.signals(id)));
  }
}

Producer* Replayer::producer(const Record& record) {
  const auto at = producers_.find(static_cast<std::uint32_t>(number_of(record.json, "queue")));
  return at == producers_.end() ? nullptr : &at->second;
}

// --- calls ---------------------------------------------------------------------------------

void Replayer::ioctl(const Record& record) {
  const auto& name = record.json.at("name").get_ref<const std::string&>();
  const std::uint64_t expected = number_of(record.json, "errno");
  ++outcome_.calls;
  if (name == "unknown") {
    std::vector<std::byte> argument(0x4000);
    const auto result = client_.process.ioctl(number_of(record.json, "request"), argument.data());
    const int error = result ? 0 : result.error().error;
    if (static_cast<std::uint64_t>(error) != expected)
      differ(record, "ioctl " + record.json.at("request").get<std::string>(), errno_text(expected),
             errno_text(error));
    return;
  }
  const auto known = kfd::ioctls();
  const kfd::IoctlInfo& info = *std::ranges::find(known, name, &kfd::IoctlInfo::name);
  if (info.nr == Ioctl::smi_events) {
    --outcome_.calls;
    ++outcome_.skipped;
    return;
  }
  const std::size_t size = number_of(record.json, "size");
  std::vector<std::byte> argument = trace::encode(info.nr, record.json.at("in"), size);
  Arrays arrays;
  prepare(record, info.nr, argument, arrays);
  const unsigned long request = (kfd::make_request(info.nr) & ~(0x3FFFul << 16)) | size << 16;
  client_.run();
  const auto result = client_.process.ioctl(request, argument.data());
  const int error = result ? 0 : result.error().error;
  if (static_cast<std::uint64_t>(error) != expected)
    return differ(record, name, errno_text(expected), errno_text(error));
  if (error != 0) return;
  compare_ioctl(record, info.nr, argument);
  if (!outcome_.divergence) succeeded(record, info.nr, argument);
}

/// The client's memory and handles for the call.
void Replayer::prepare(const Record& record, Ioctl nr, std::vector<std::byte>& argument,
                       Arrays& arrays) {
  const Json& in = record.json.at("in");
  const auto words = [&](const char* key) {
    for (const Json& one : in.contains(key) ? in.at(key) : Json::array())
      arrays.words.push_back(static_cast<std::uint32_t>(number_of(one)));
  };
  for (const trace::FieldInfo& field : trace::fields_of(nr)) {
    if (field.kind != trace::Kind::handle || field.way == Way::out ||
        field.offset + field.size > argument.size())
      continue;
    const auto at = handles_.find(number_of(in, field.name));
    if (at != handles_.end()) std::memcpy(argument.data() + field.offset, &at->second, field.size);
  }
  switch (nr) {
    case Ioctl::map_memory_to_gpu:
    case Ioctl::unmap_memory_from_gpu:
      words("device_ids");
      return point(argument, &kfd::MapMemoryToGpuArgs::device_ids_array_ptr, arrays.words);
    case Ioctl::set_cu_mask:
      words("cu_mask");
      return point(argument, &kfd::SetCuMaskArgs::cu_mask_ptr, arrays.words);
    case Ioctl::get_process_apertures_new:
      arrays.apertures.resize(std::min<std::uint64_t>(number_of(in, "num_of_nodes"), 4096));
      return point(argument, &kfd::GetProcessAperturesNewArgs::kfd_process_device_apertures_ptr,
                   arrays.apertures);
    case Ioctl::wait_events: {
      for (const Json& one : in.contains("events") ? in.at("events") : Json::array()) {
        kfd::EventData event{};
        event.event_id = static_cast<std::uint32_t>(number_of(one, "event_id"));
        event.signal_event_data.last_event_age = number_of(one, "last_event_age");
        arrays.events.push_back(event);
      }
      point(argument, &kfd::WaitEventsArgs::events_ptr, arrays.events);
      constexpr std::uint32_t now = 0;
      if (argument.size() >= sizeof(kfd::WaitEventsArgs))
        std::memcpy(argument.data() + offsetof(kfd::WaitEventsArgs, timeout), &now, sizeof now);
      return;
    }
    case Ioctl::acquire_vm:
      client_.drm_file.reset();
      if (in.contains("drm_file") && in.contains("render_minor")) {
        client_.drm_file = kernel::OpenDevice{
            number_of(in, "drm_file"), static_cast<std::uint32_t>(number_of(in, "render_minor"))};
      }
      return;
    case Ioctl::alloc_memory_of_gpu: {
      if (number_of(record.json, "errno") != 0 ||
          (number_of(in, "flags") & kfd::alloc_flag::userptr) == 0)
        return;
      const std::uint64_t user = number_of(in, "mmap_offset");
      return client_.memory.claim(user != 0 ? user : number_of(in, "va_addr"),
                                  number_of(in, "size"));
    }
    default:
      return;
  }
}

void Replayer::compare_ioctl(const Record& record, Ioctl nr,
                             const std::vector<std::byte>& argument) {
  if (nr == Ioctl::wait_events) return;  // whether it had to wait is a matter of time
  const auto& name = record.json.at("name").get_ref<const std::string&>();
  const Json& recorded = record.json.at("out");
  Json replayed = trace::decode(nr, argument, Way::out);
  replayed.update(trace::pointed_at(nr, argument, Way::out, kernel::copy_from_user));
  for (const auto& [key, value] : replayed.items()) {
    const trace::FieldInfo* field = trace::find_field(nr, key);
    if (field && !trace::is_stable(field->kind)) continue;
    const Json before = recorded.contains(key) ? recorded.at(key) : Json();
    // A handle is the GPU's id and a number that counts calls, whose order among threads is not
    // recorded.
    const bool equal = field && field->kind == trace::Kind::handle
                           ? number_of(before) >> 32 == number_of(value) >> 32
                           : before == value;
    if (!equal) return differ(record, name + ": " + key, before.dump(), value.dump());
  }
}

void Replayer::succeeded(const Record& record, Ioctl nr, const std::vector<std::byte>& argument) {
  const Json& in = record.json.at("in");
  const Json& out = record.json.at("out");
  if (nr == Ioctl::alloc_memory_of_gpu && argument.size() >= sizeof(kfd::AllocMemoryOfGpuArgs)) {
    kfd::AllocMemoryOfGpuArgs args{};
    std::memcpy(&args, argument.data(), sizeof args);
    handles_[number_of(out, "handle")] = args.handle;
    if ((args.flags & (kfd::alloc_flag::vram | kfd::alloc_flag::gtt)) != 0)
      offsets_[number_of(out, "mmap_offset")] = {args.mmap_offset, number_of(in, "size")};
  }
  if (nr == Ioctl::create_queue && argument.size() >= kfd::create_queue_args_size_1_11) {
    const auto id = static_cast<std::uint32_t>(number_of(out, "queue_id"));
    prepare_errors(record.json, id);
    producers_.erase(id);
    producers_.emplace(id, Producer(client_, record.json, packets_[id]));
  }
  if (nr == Ioctl::destroy_queue)
    producers_.erase(static_cast<std::uint32_t>(number_of(in, "queue_id")));
}

/// The places where the runtime wants to be told of the queue's error, if the record has one.
void Replayer::prepare_errors(const Json& create, std::uint32_t queue_id) {
  const auto store = [this](std::uint64_t address, std::uint64_t value, std::size_t bytes) {
    client_.memory.store(address, std::as_bytes(std::span(&value, 1)).first(bytes));
  };
  for (const Record* failed : packets_[queue_id]) {
    if (failed->type != RecordType::failure) continue;
    const Json& json = failed->json;
    if (json.contains("inactive_signal")) {
      const Json& signal = json.at("inactive_signal");
      const std::uint64_t address = number_of(signal, "address");
      const std::uint64_t amd_queue = number_of(create.at("in"), "write_pointer_address") -
                                      offsetof(aql::AmdQueue, write_dispatch_id);
      store(amd_queue + offsetof(aql::AmdQueue, queue_inactive_signal), address, 8);
      store(address + offsetof(aql::AmdSignal, kind), 1, 8);
      store(address + offsetof(aql::AmdSignal, event_mailbox_ptr), number_of(signal, "mailbox"), 8);
      store(address + offsetof(aql::AmdSignal, event_id), number_of(signal, "event_id"), 4);
    }
    const std::uint64_t save_area = number_of(create.at("in"), "ctx_save_restore_address");
    if (json.contains("error_reason") && save_area != 0) {
      constexpr std::uint64_t reason_pointer = 24, event_id = 32;  // kfd_context_save_area_header
      store(save_area + reason_pointer, number_of(json.at("error_reason"), "address"), 8);
      store(save_area + event_id, number_of(json.at("error_reason"), "event_id"), 4);
    }
  }
}

void Replayer::mmap(const Record& record) {
  const Json& json = record.json;
  ++outcome_.calls;
  const std::uint64_t expected = number_of(json, "errno");
  const std::uint64_t offset = number_of(json, "offset");
  int error = 0;
  if (json.at("device") == "kfd") {
    const auto mapped = client_.process.mmap(number_of(json, "length"),
                                             static_cast<int>(number_of(json, "prot")), offset);
    error = mapped ? 0 : mapped.error().error;
  } else {
    auto at = offsets_.upper_bound(offset);
    const bool known =
        at != offsets_.begin() && offset - std::prev(at)->first < std::prev(at)->second.bytes;
    if (known && expected != 0) return;  // it failed for a reason of the client's memory
    error = EINVAL;
    if (known) {
      --at;
      error = client_.memory.map(number_of(json, "address"), number_of(json, "length"),
                                 at->second.offset + (offset - at->first));
    }
  }
  if (static_cast<std::uint64_t>(error) != expected)
    differ(record, "mmap of " + json.at("device").get<std::string>(), errno_text(expected),
           errno_text(error));
}

// --- packets -------------------------------------------------------------------------------

std::string place(const Json& json) {
  return fmt::format(
      "queue {}, packet {}{}", number_of(json, "queue"), number_of(json, "index"),
      json.contains("name") ? " (" + json.at("name").get<std::string>() + ")" : std::string());
}

std::string state_of(const Client::Seen& seen) {
  if (seen.failed) return "failed: " + *seen.failed;
  if (seen.completed) return "completed";
  return seen.launched ? "launched, not completed" : "not launched";
}

/// Ends the replay at a packet that needs more than what is recorded.
bool Replayer::stops_at(const Record& record) {
  if (!is_kernel_dispatch(record)) return false;
  outcome_.stopped = fmt::format(
      "record {}: {}: the kernel's code and arguments are the program's memory, which is not recorded",
      record.seq, place(record.json));
  return true;
}

void Replayer::packet(const Record& record) {
  if (stops_at(record)) return;
  ++outcome_.packets;
  const auto queue_id = static_cast<std::uint32_t>(number_of(record.json, "queue"));
  const std::uint64_t index = number_of(record.json, "index");
  if (Producer* queue = producer(record)) queue->offer(index);
  const Client::Seen& seen = client_.seen(queue_id, index);
  if (!seen.launched) differ(record, place(record.json), "launched", state_of(seen));
}

void Replayer::after_packet(const Record& record) {
  if (stops_at(record)) return;
  const auto queue_id = static_cast<std::uint32_t>(number_of(record.json, "queue"));
  const std::uint64_t index = number_of(record.json, "index");
  client_.run();
  Producer* queue = producer(record);
  if (record.type == RecordType::failure && queue && !client_.seen(queue_id, index).failed)
    queue->offer(index);
  const Client::Seen& seen = client_.seen(queue_id, index);
  if (record.type == RecordType::failure) {
    const auto reason = record.json.at("reason").get<std::string>();
    if (!seen.failed || *seen.failed != reason)
      differ(record, place(record.json), "failed: " + reason, state_of(seen));
    return;
  }
  if (!seen.completed) return differ(record, place(record.json), "completed", state_of(seen));
  // What a completion signal is decremented by is the hardware's: always 1.
  if (seen.decrement.value_or(1) != 1)
    differ(record, place(record.json) + ": completion signal", "decremented by 1",
           fmt::format("decremented by {}", *seen.decrement));
}

}  // namespace

Outcome replay(const trace::Process& process, kernel::DeviceService& devices, sim::Os& os) {
  return Replayer(process, devices, os).run();
}

}  // namespace rocdrill::replay
