// Recordings made by hand: a process whose addresses, handles, pid and threads are its own, as
// those of each run are.
#pragma once

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "sim/interpose/trace/reader.hpp"
#include "sim/interpose/trace/records.hpp"
#include "sim/interpose/trace/writer.hpp"
#include "stack/formats/aql.hpp"

namespace rocdrill::trace {

inline std::string temporary_file(const std::string& name) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("rocdrill-" + std::to_string(::getpid()) + "-" + name);
  std::filesystem::remove(path);
  return path.string();
}

inline std::string read_all(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What differs from run to run.
struct RunValues {
  int pid = 100;
  std::uint64_t base = 0x7f00'0000'0000;
  std::uint64_t handles = 0x6f5d'0000'0001;
  int waits = 1;
};

class Recording {
 public:
  explicit Recording(const RunValues& run, const std::string& name = "trace.jsonl")
      : run_(run), file_(temporary_file(name)) {
    auto opened = Writer::open(file_, {run.pid, "client", "1.14", {{28509, 128, 90010}}});
    if (!opened) throw std::runtime_error(opened.error());
    writer_ = std::move(*opened);
  }
  ~Recording() { std::filesystem::remove(file_); }

  template <class Args>
  void ioctl(kfd::Ioctl nr, Args before, Args after, int error = 0, int thread_offset = 0) {
    IoctlRecord record(kfd::make_request(nr), std::as_bytes(std::span(&before, 1)),
                       run_.pid + thread_offset, memory());
    writer_->write(record.finish(error, std::as_bytes(std::span(&after, 1)), memory()));
  }
  void alloc(std::uint64_t at, std::uint64_t size, std::uint64_t handle, int thread_offset = 0) {
    kfd::AllocMemoryOfGpuArgs in{};
    in.va_addr = run_.base + at;
    in.size = size;
    in.gpu_id = 28509;
    in.flags = kfd::alloc_flag::gtt | kfd::alloc_flag::writable;
    auto out = in;
    out.handle = run_.handles + handle;
    ioctl(kfd::Ioctl::alloc_memory_of_gpu, in, out, 0, thread_offset);
  }
  void free(std::uint64_t handle) {
    const kfd::FreeMemoryOfGpuArgs args{run_.handles + handle};
    ioctl(kfd::Ioctl::free_memory_of_gpu, args, args);
  }
  void wait() {
    for (int i = 0; i < run_.waits; ++i) {
      kfd::WaitEventsArgs args{};
      ioctl(kfd::Ioctl::wait_events, args, args, 0, 1);
    }
  }
  void create_queue(std::uint64_t ring) {
    kfd::CreateQueueArgs in{};
    in.gpu_id = 28509;
    in.queue_type = static_cast<std::uint32_t>(kfd::QueueType::compute_aql);
    in.ring_base_address = run_.base + ring;
    in.ring_size = 4096;
    auto out = in;
    out.queue_id = 0;
    ioctl(kfd::Ioctl::create_queue, in, out);
  }
  void barrier(std::uint64_t index, std::uint64_t dependency, std::uint64_t completion) {
    const aql::Packet packet = aql::barrier_and(
        {dependency == 0 ? 0 : run_.base + dependency, 0, 0, 0, 0}, run_.base + completion);
    PacketNote note;
    note.type = "packet";
    note.index = index;
    note.bytes = packet.bytes;
    note.signal = SignalState{1, run_.base + 64, 5};
    writer_->write(packet_record(note));
    PacketNote done;
    done.type = "completion";
    done.index = index;
    writer_->write(packet_record(done));
  }
  Writer& writer() { return *writer_; }
  const std::string& file() const { return file_; }
  std::string text() const { return read_all(file_); }
  Trace trace() const {
    auto parsed = parse(text());
    if (!parsed) throw std::runtime_error(parsed.error().text(file_));
    return std::move(*parsed);
  }

 private:
  static ReadMemory memory() {
    return [](void*, std::uint64_t, std::size_t) { return false; };
  }
  RunValues run_;
  std::string file_;
  std::unique_ptr<Writer> writer_;
};

/// A program of four allocations, two threads, a queue and three packets.
inline void small_program(Recording& to) {
  to.alloc(0x1000, 0x1000, 0);
  to.alloc(0x9000, 0x1000, 7, 2);
  to.alloc(0x2000, 0x1000, 1);
  to.create_queue(0x2000);
  to.wait();
  to.barrier(0, 0, 0x1040);
  to.barrier(1, 0x1040, 0x1080);
  to.free(0);
  to.alloc(0x1000, 0x800, 2);
  to.barrier(2, 0, 0x1040);
  to.writer().write(signalled_record(5));
  to.writer().write(doorbell_record(0, 2));
}

}  // namespace rocdrill::trace
