// Records what a program does with its devices: $ROCDRILL_TRACE names the file.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "sim/interpose/engine/kernel_names.hpp"
#include "sim/interpose/trace/records.hpp"
#include "sim/interpose/trace/writer.hpp"
#include "sim/kernel/process/device_file.hpp"
#include "sim/kernel/process/device_service.hpp"
#include "sim/kernel/process/observer.hpp"

namespace rocdrill::interpose {

class Tracer final : public kernel::ProcessObserver {
 public:
  /// nullptr without the variable; and, with a line on standard error, if the file cannot be
  /// written.
  static std::unique_ptr<Tracer> start(const kernel::DeviceFacts& facts);

  // --- ProcessObserver ---
  void doorbell(std::uint32_t queue, std::uint64_t value) override;
  void packet(const kernel::ObservedPacket& packet) override;
  void signalled(std::uint32_t event_id) override;

  /// Around a call: `call` returns its result or -errno.
  template <class Call>
  std::int64_t ioctl(std::uint64_t request, void* argument, const kernel::OpenDevice* drm_file,
                     Call call) {
    auto record = begin_ioctl(request, argument, drm_file);
    const std::int64_t result = call();
    end_ioctl(std::move(record), request, argument, result);
    return result;
  }
  template <class Call>
  std::int64_t drm(std::string_view device, std::uint64_t request, void* argument, Call call) {
    const auto before = argument_bytes(request, argument);
    const std::int64_t result = call();
    end_drm(device, request, before, result);
    return result;
  }
  void mapped(trace::Mapping mapping, std::int64_t result);

 private:
  explicit Tracer(std::unique_ptr<trace::Writer> writer) : writer_(std::move(writer)) {}
  trace::IoctlRecord begin_ioctl(std::uint64_t request, void* argument,
                                 const kernel::OpenDevice* drm_file);
  void end_ioctl(trace::IoctlRecord record, std::uint64_t request, void* argument,
                 std::int64_t result);
  void end_drm(std::string_view device, std::uint64_t request, const std::vector<std::byte>& before,
               std::int64_t result);
  static std::vector<std::byte> argument_bytes(std::uint64_t request, void* argument);
  void write(const trace::Json& record);
  /// Queues and the runtime's list of code objects, from the calls that tell of them.
  void note_call(std::uint64_t request, void* argument);

  std::unique_ptr<trace::Writer> writer_;
  std::mutex mutex_;  ///< calls and packets come from several threads
  KernelNames names_;
  std::map<std::uint32_t, std::uint64_t> read_pointers_;  ///< of AQL queues, by queue_id
};

}  // namespace rocdrill::interpose
