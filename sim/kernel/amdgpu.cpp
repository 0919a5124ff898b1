// Ring-buffer lines in the wording of the 6.x drivers; which of them are verified is listed in
// docs/fidelity.md. Durations on the virtual clock are assumed.
#include "sim/kernel/amdgpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "sim/firmware/gates.hpp"
#include "sim/kernel/drm_info.hpp"
#include "sim/kernel/modprobe.hpp"
#include "sim/kernel/resources.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint64_t line_time = 4 * sim::ms;
constexpr std::uint32_t last_vmid = 15;

/// amdgpu_xcp.c: GPUs that can be partitioned take eight DRM minors in every mode.
std::uint32_t minors_of(const GpuProduct& product) { return product.partitions.empty() ? 1 : 8; }

bool is_fatal(const firmware::BlobResult& result, const sim::Os& os) {
  return result.error != 0 && firmware::is_required(*result.blob, os.kernel_release);
}

}  // namespace

void Amdgpu::log(int level, std::string text, EventId event) {
  os_.log(level, std::move(text), event);
  os_.clock.advance(line_time);
}

void Amdgpu::log_device(const silicon::Gpu& gpu, int level, std::string_view text, EventId event) {
  log(level, fmt::format("amdgpu {}: amdgpu: {}", gpu.bdf.text(), text), event);
}

void Amdgpu::page_fault(std::uint32_t gpu, const VmFault& fault, EventId event) {
  const GpuProduct& product = *board_.gpus()[gpu].product;
  const PrintkLimit::Answer allowed = printk_limit_.ask(os_.clock.now());
  if (allowed.suppressed != 0) {
    os_.log(
        4,
        fmt::format("{}: {} callbacks suppressed", vm_fault_handler(product), allowed.suppressed),
        event);
  }
  if (!allowed.print) return;
  VmFault told = fault;
  const std::uint32_t first = first_kfd_vmid(product);
  told.vmid = first + fault.vmid % (last_vmid + 1 - first);
  const auto at = std::ranges::find(devices_, gpu, &GpuDevice::gpu);
  if (at != devices_.end() && at->compute_mode == ComputeMode::cpx) {
    // Two XCDs share the VMIDs: 4 to 9 and 10 to 15 (kfd_device.c).
    told.vmid = (fault.partition % 2 == 0 ? 4 : 10) + fault.vmid % 6;
  }
  // amdgpu_vm_get_task_info_pasid() came with 6.9, and into dkms drivers of that year.
  const bool task_line = version_.empty() ? sim::compare_versions(os_.kernel_release, "6.9") >= 0
                                          : sim::compare_versions(version_, "6.8") >= 0;
  for (const std::string& line : vm_fault_lines(product, told, task_line)) {
    os_.log(3, fmt::format("amdgpu {}: amdgpu: {}", board_.gpus()[gpu].bdf.text(), line), event);
  }
}

bool Amdgpu::noretry(const GpuProduct& product) const {
  if (noretry_ >= 0) return noretry_ != 0;
  // amdgpu_gmc_noretry_set(): off by default on these, on elsewhere.
  const IpVersion gc = product.gc;
  return gc >= IpVersion{10, 3, 0} || gc == IpVersion{9, 0, 1} ||
         (gc >= IpVersion{9, 4, 0} && gc <= IpVersion{9, 5, 0});
}

const GpuDevice* Amdgpu::by_render_minor(std::uint32_t minor) const {
  const auto at = std::ranges::find_if(devices_, [&](const GpuDevice& device) {
    return device.state == GpuDevice::State::bound && minor >= device.render_minor &&
           minor < device.render_minor + device.minors;
  });
  return at == devices_.end() ? nullptr : &*at;
}

std::vector<std::vector<firmware::BlobResult>> Amdgpu::load_firmware(
    const std::vector<std::uint32_t>& gpus) const {
  std::vector<std::vector<firmware::BlobResult>> results(gpus.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < gpus.size();) {
      results[i] = firmware::request_all(os_, *board_.gpus()[gpus[i]].product);
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads_; ++i) helpers.emplace_back(work);
  work();
  return results;  // helpers join here
}

void Amdgpu::announce(const LoadedModule& module) {
  log(6, "[drm] amdgpu kernel modesetting enabled.", module.event);
  if (!module.version.empty()) {
    log(6, "[drm] amdgpu version: " + module.version, module.event);
    log(6, "[drm] OS DRM version: " + os_.kernel_release.substr(0, os_.kernel_release.find('-')),
        module.event);
  }
  log(6, "amdgpu: Virtual CRAT table created for CPU", module.event);
  log(6, "amdgpu: Topology: Add CPU node", module.event);
}

int Amdgpu::init(const LoadedModule& module, EventId cause) {
  const auto modeset = module.parameters.find("modeset");
  if (sim::cmdline_value(os_.cmdline, "nomodeset") ||
      (modeset != module.parameters.end() && modeset->second == "0")) {
    return EINVAL;
  }
  version_ = module.version;
  const auto noretry = module.parameters.find("noretry");
  noretry_ = noretry == module.parameters.end() ? -1 : std::atoi(noretry->second.c_str());
  const auto mode = module.parameters.find("user_partt_mode");
  user_mode_ = mode == module.parameters.end() ? -2 : std::atoi(mode->second.c_str());
  const auto threshold = module.parameters.find("bad_page_threshold");
  bad_page_threshold_ =
      threshold == module.parameters.end() ? -1 : std::atoi(threshold->second.c_str());
  parameters_event_ = module.parameters_event;
  const EventId configured = read_modprobe_config(os_).options_from["amdgpu"];
  user_mode_event_ = configured != no_event ? configured : module.event;
  announce(module);
  start_kfd(module, cause);
  std::vector<std::uint32_t> gpus;
  for (std::uint32_t i = 0; i < board_.gpus().size(); ++i) {
    const sim::PciDevice* on_bus = os_.pci.find(board_.gpus()[i].bdf);
    if (on_bus && on_bus->driver.empty()) gpus.push_back(i);
  }
  std::ranges::sort(gpus, {}, [&](std::uint32_t i) { return board_.gpus()[i].bdf; });
  const auto firmware = load_firmware(gpus);
  std::uint32_t minor = 0;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    GpuDevice device{
        .gpu = gpus[i], .card_minor = minor, .render_minor = 128 + minor, .firmware = {}};
    probe(device, firmware[i], cause);
    if (device.state == GpuDevice::State::bound) minor += device.minors;
    devices_.push_back(std::move(device));
  }
  if (kfd_.present() && kfd_.nodes().empty()) {
    // What was said of the last device explains it: its failed probe, or why KFD skipped it.
    EventId last = devices_.empty() ? no_event : devices_.back().event;
    for (const EventId skipped : os_.timeline.find({.kind_prefix = "kfd.skipped"}))
      last = std::max(last, skipped);
    for (const silicon::Gpu& gpu : board_.gpus()) {  // another driver came first
      const sim::PciDevice* on_bus = os_.pci.find(gpu.bdf);
      if (on_bus && !on_bus->driver.empty() && on_bus->driver != "amdgpu")
        last = std::max(last, on_bus->event);
    }
    const EventId event =
        os_.journal.record(Layer::kernel, Severity::error, "kfd.no_gpu_nodes", "kfd",
                           {{field::got, "no GPU was initialised"},
                            {field::did, "the topology holds CPU nodes only"},
                            {field::see, "grep -H . /sys/class/kfd/kfd/topology/nodes/*/gpu_id"}},
                           last != no_event ? last : cause);
    kfd_.explain(event);
  }
  return 0;
}

EventId Amdgpu::report_missing(const silicon::Gpu& gpu,
                               const std::vector<firmware::BlobResult>& blobs, EventId cause) {
  const std::string bdf = gpu.bdf.text();
  EventId last = no_event;
  for (const firmware::BlobResult& result : blobs) {
    if (packs_too_much(result)) last = report_packed(gpu, result, cause);
    if (!is_fatal(result, os_)) continue;
    const std::string file = "amdgpu/" + std::string(result.blob->file);
    const std::string shows =
        fmt::format("amdgpu {}: Direct firmware load for {} failed with error -2", bdf, file);
    last = os_.journal.record(Layer::firmware, Severity::error,
                              result.error == ENOENT ? "firmware.missing" : "firmware.invalid",
                              result.blob->file,
                              {{"device", std::string_view(bdf)},
                               {field::asked, std::string_view(file)},
                               {field::got, result.error == ENOENT ? "ENOENT" : "EINVAL"},
                               {field::did, "the IP block cannot be set up"},
                               {field::shows, std::string_view(shows)},
                               {field::see, "dmesg"}},
                              result.why != no_event ? result.why : cause);
    if (result.error == ENOENT) log(4, shows, last);
    log(3,
        fmt::format("[drm:amdgpu_device_ip_early_init [amdgpu]] *ERROR* early_init of IP block "
                    "<{}> failed {}",
                    result.blob->block, result.error == ENOENT ? -ENODEV : -EINVAL),
        last);
  }
  return last;
}

/// psp_init_sos_microcode(): the header says how many images are packed into the file, and the
/// driver has room for so many (UCODE_MAX_PSP_PACKAGING; since which release for more is assumed).
bool Amdgpu::packs_too_much(const firmware::BlobResult& result) const {
  const std::uint32_t room = since("6.12", "6.14") ? 64 : 8;
  return result.error == 0 && result.blob->file.ends_with("_sos.bin") && result.interface > room;
}

EventId Amdgpu::report_packed(const silicon::Gpu& gpu, const firmware::BlobResult& result,
                              EventId cause) {
  const std::string bdf = gpu.bdf.text();
  const std::string got = fmt::format("{} packed images", result.interface);
  const EventId event =
      os_.journal.record(Layer::firmware, Severity::error, "firmware.too_new", result.blob->file,
                         {{"device", std::string_view(bdf)},
                          {field::asked, "a file that this driver can read"},
                          {field::got, std::string_view(got)},
                          {field::did, "the PSP cannot be set up"},
                          {field::shows, "packed SOS count exceeds maximum limit"},
                          {field::see, "dmesg"}},
                         result.why != no_event ? result.why : cause);
  log_device(gpu, 3, "packed SOS count exceeds maximum limit", event);
  log(3,
      fmt::format("[drm:amdgpu_device_ip_early_init [amdgpu]] *ERROR* early_init of IP block "
                  "<psp> failed {}",
                  -EINVAL),
      event);
  return event;
}

EventId Amdgpu::probe_failed(const silicon::Gpu& gpu, std::string_view asked, int error,
                             EventId cause) {
  const std::string bdf = gpu.bdf.text();
  const std::string shows = fmt::format("amdgpu: probe of {} failed with error -{}", bdf, error);
  const std::string got = errno_name(error);
  const EventId event =
      os_.journal.record(Layer::kernel, Severity::error, "amdgpu.probe_failed", bdf,
                         {{field::asked, asked},
                          {field::got, std::string_view(got)},
                          {field::did, "the device has no driver"},
                          {field::shows, std::string_view(shows)},
                          {field::see, "dmesg"}},
                         cause);
  log(4, shows, event);
  return event;
}

void Amdgpu::probe(GpuDevice& device, const std::vector<firmware::BlobResult>& blobs,
                   EventId cause) {
  const silicon::Gpu& gpu = board_.gpus()[device.gpu];
  const std::string bdf = gpu.bdf.text();
  if (!has_minor(os_, device.card_minor)) {  // drm_dev_init()
    device.state = GpuDevice::State::failed;
    device.error = ENOSPC;
    const std::string shows = fmt::format("amdgpu: probe of {} failed with error -{}", bdf, ENOSPC);
    device.event = os_.journal.record(Layer::kernel, Severity::error, "amdgpu.probe_failed", bdf,
                                      {{field::asked, "a DRM minor"},
                                       {field::got, "ENOSPC"},
                                       {field::did, "the device has no driver"},
                                       {field::shows, std::string_view(shows)},
                                       {field::see, "dmesg"}},
                                      cause);
    log(4, shows, device.event);
    return;
  }
  log(6,
      fmt::format("[drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x{0:04X} "
                  "0x1002:0x{0:04X} 0x{1:02X}).",
                  gpu.product->device_id, gpu.product->pci_rev),
      cause);
  if (const sim::PciDevice* on_bus = os_.pci.find(gpu.bdf); on_bus && !has_registers(*on_bus)) {
    device.state = GpuDevice::State::failed;
    device.error = ENOMEM;
    device.event = probe_failed(gpu, "the registers behind BAR 5", ENOMEM, on_bus->event);
    return;
  }
  if (!boots(gpu, device, cause)) return;
  log_device(gpu, 6, "Fetched VBIOS from platform", cause);
  if (const EventId missing = report_missing(gpu, blobs, cause); missing != no_event) {
    const bool invalid = std::ranges::any_of(
        blobs, [this](const auto& blob) { return blob.error == EINVAL || packs_too_much(blob); });
    device.state = GpuDevice::State::failed;
    device.error = invalid ? EINVAL : ENODEV;
    log_device(gpu, 3, "Fatal error during GPU init", missing);
    log_device(gpu, 6, "finishing device.", missing);
    device.event = probe_failed(gpu, "the firmware of every IP block", device.error, missing);
    return;
  }
  if (!accept_bad_pages(device, cause)) {
    log_device(gpu, 3, "Fatal error during GPU init", device.event);
    log_device(gpu, 6, "finishing device.", device.event);
    device.state = GpuDevice::State::failed;
    device.error = EINVAL;
    device.event = probe_failed(gpu, "an EEPROM with few bad pages", EINVAL, device.event);
    return;
  }
  for (const firmware::BlobResult& result : blobs) {
    if (result.error == 0) device.firmware[std::string(result.blob->file)] = result.version;
  }
  device.state = GpuDevice::State::bound;
  device.event =
      os_.journal.record(Layer::kernel, Severity::info, "amdgpu.probed", bdf,
                         {{"product", gpu.product->product},
                          {"render_minor", static_cast<std::int64_t>(device.render_minor)},
                          {field::see, "lspci -k"}},
                         cause);
  os_.pci.bind(gpu.bdf, "amdgpu", device.event);
  take_minors(device);
  start_smu(gpu, blobs, device.event);
  choose_mode(device);
  if (atomics_suffice(gpu, firmware::mec_version(blobs), device.event)) {
    add_to_kfd(device, device.event, true);
  }
  log(6,
      fmt::format("[drm] Initialized amdgpu 3.{}.0 20150101 for {} on minor {}",
                  drm_version(os_.kernel_release, version_).minor, bdf, device.card_minor),
      device.event);
  if (gpu.defects.hot) throttled(device.gpu, gpu.defects.event);
}

void Amdgpu::start_smu(const silicon::Gpu& gpu, const std::vector<firmware::BlobResult>& blobs,
                       EventId event) {
  const auto smu =
      std::ranges::find_if(blobs, [](const auto& blob) { return blob.blob->block == "smu"; });
  if (smu == blobs.end() || smu->error != 0) return;  // MP1's firmware lies in the IFWI
  const std::uint32_t v = smu->version;
  if (smu->interface != firmware::smu_driver_interface) {
    log_device(
        gpu, 6,
        fmt::format(
            "smu driver if version = {:#010x}, smu fw if version = {:#010x}, smu fw program = 0, "
            "smu fw version = {:#010x} ({}.{}.{})",
            firmware::smu_driver_interface, smu->interface, v, v >> 16 & 0xFF, v >> 8 & 0xFF,
            v & 0xFF),
        event);
    log_device(gpu, 4, "SMU driver if version not matched", event);
  }
  log_device(gpu, 6, "SMU is initialized successfully!", event);
}

std::uint32_t Amdgpu::free_minor(const GpuProduct& product) const {
  for (std::uint32_t minor = 0;; ++minor) {
    const bool taken = std::ranges::any_of(devices_, [&](const GpuDevice& other) {
      return other.state == GpuDevice::State::bound && minor < other.card_minor + other.minors &&
             other.card_minor < minor + minors_of(product);
    });
    if (!taken) return minor;
  }
}

int Amdgpu::bind(const sim::Bdf& bdf, EventId cause) {
  const auto gpu = std::ranges::find(board_.gpus(), bdf, &silicon::Gpu::bdf);
  if (gpu == board_.gpus().end()) return ENODEV;
  const auto index = static_cast<std::uint32_t>(gpu - board_.gpus().begin());
  std::erase_if(devices_, [&](const GpuDevice& device) { return device.gpu == index; });
  const std::uint32_t minor = free_minor(*gpu->product);
  GpuDevice device{.gpu = index, .card_minor = minor, .render_minor = 128 + minor, .firmware = {}};
  probe(device, load_firmware({index}).front(), cause);
  const int error = device.error;
  devices_.push_back(std::move(device));
  return error;
}

int Amdgpu::unbind(const sim::Bdf& bdf, EventId cause) {
  const auto device = std::ranges::find_if(devices_, [&](const GpuDevice& each) {
    return each.state == GpuDevice::State::bound && board_.gpus()[each.gpu].bdf == bdf;
  });
  if (device == devices_.end()) return ENODEV;
  const std::vector<KfdNode> nodes = kfd_.nodes_of(device->gpu);
  if (std::ranges::any_of(
          nodes, [&](const KfdNode& node) { return !kfd_.holders(node.gpu_id).empty(); })) {
    os_.journal.unmodelled(Layer::kernel, "unbinding a GPU that a process holds", "EBUSY", cause);
    return EBUSY;
  }
  const EventId event = os_.journal.record(
      Layer::kernel, Severity::warning, "amdgpu.unbound", bdf.text(),
      {{field::did, "the device has no driver and is no KFD node"}, {field::see, "lspci -k"}},
      cause);
  log_device(board_.gpus()[device->gpu], 6, "finishing device.", event);
  for (const KfdNode& node : nodes) kfd_.remove(node.gpu_id);
  os_.pci.bind(bdf, "", event);
  devices_.erase(device);
  if (kfd_.nodes().empty()) kfd_.explain(event);
  return 0;
}

int Amdgpu::exit(EventId cause) {
  if (!kfd_.holders().empty()) return EBUSY;
  apply_memory_requests(cause);
  for (const GpuDevice& device : devices_) {
    if (device.state == GpuDevice::State::bound)
      os_.pci.bind(board_.gpus()[device.gpu].bdf, "", cause);
  }
  devices_.clear();
  reset_ = {};
  kfd_.stop(cause);
  return 0;
}

void Amdgpu::reset() {
  devices_.clear();
  reset_ = {};
  ras_events_ = 0;
  kfd_.stop(no_event);
}

}  // namespace rocdrill::kernel
