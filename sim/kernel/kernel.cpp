#include "sim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "sim/kernel/initramfs.hpp"
#include "sim/kernel/local_file.hpp"
#include "sim/kernel/resources.hpp"
#include "sim/silicon/catalogue.hpp"
#include "sim/silicon/telemetry.hpp"

namespace rocdrill::kernel {
namespace {

constexpr std::uint32_t drm_major = 226;
constexpr std::uint32_t kfd_major = 235;  // dynamic on a real machine

std::vector<std::uint64_t> poisoned_pages(const silicon::Gpu& gpu) {
  std::set<std::uint64_t> pages = gpu.ras.poisoned;
  pages.insert(gpu.defects.weak.begin(), gpu.defects.weak.end());
  return {pages.begin(), pages.end()};
}

}  // namespace

Kernel::Kernel(sim::Os& os, silicon::Board& board)
    : dkms(os),
      kfd(os),
      amdgpu(os, board, kfd),
      vfio(os),
      modprobe(os, modules),
      os_(os),
      board_(board),
      sysfs_(os, *this) {
  kfd.set_describe([this] { return describe(); });
  kfd.set_iommu_handler([this](std::uint32_t gpu, EventId event) {
    // The address is that of the peer's BAR, which has no page; its digits are assumed.
    os_.log(3,
            fmt::format("amdgpu {}: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x{:04x} "
                        "address=0x{:x} flags=0x0020]",
                        board_.gpus()[gpu].bdf.text(), 0x10 + gpu,
                        0x20000000000ull + (std::uint64_t{gpu} << 36)),
            event);
  });
  board.on_link_change([this] { kfd.changed(); });
  kfd.set_fault_handler([this](std::uint32_t gpu, const VmFault& fault, EventId event) {
    amdgpu.page_fault(gpu, fault, event);
  });
  kfd.set_error_handler(
      [this](int pid, const HardwareError& error) { return amdgpu.hardware_error(pid, error); });
  modprobe.set_entry("amdgpu", {[this](const LoadedModule& module, EventId cause) {
                                  return amdgpu.init(module, cause);
                                },
                                [this](EventId cause) {
                                  // An open device file holds a reference on the module.
                                  return kfd.open_files() > 0 ? EBUSY : amdgpu.exit(cause);
                                }});
  os.pci.register_driver({.name = "amdgpu",
                          .loaded = [this] { return modules.find("amdgpu") != nullptr; },
                          .matches =
                              [](const sim::PciDevice& device) {
                                const std::uint32_t kind = device.class_code >> 8;
                                return device.vendor == 0x1002 &&
                                       (kind == 0x0300 || kind == 0x0380 || kind == 0x1200);
                              },
                          .probe =
                              [this](const sim::Bdf& bdf, EventId cause) {
                                const int error = amdgpu.bind(bdf, cause);
                                uevent();
                                return error;
                              },
                          .remove =
                              [this](const sim::Bdf& bdf, EventId cause) {
                                const int error = amdgpu.unbind(bdf, cause);
                                uevent();
                                return error;
                              }});
  modprobe.set_entry("vfio_pci", {[this](const LoadedModule& module, EventId cause) {
                                    return vfio.init(module, cause);
                                  },
                                  [this](EventId cause) { return vfio.exit(cause); }});
  os.pci.register_driver(
      {.name = "vfio-pci",
       .loaded = [this] { return modules.find("vfio_pci") != nullptr; },
       .matches = [this](const sim::PciDevice& device) { return vfio.claims(device); },
       .probe = [this](const sim::Bdf& bdf, EventId cause) { return vfio.bind(bdf, cause); },
       .remove = [this](const sim::Bdf& bdf, EventId cause) { return vfio.unbind(bdf, cause); }});
  os.packages.on_change(
      [this](const sim::Package& package, bool installed, EventId cause, std::string& output) {
        dkms.on_package(package, installed, cause, output);
        constexpr std::string_view image = "linux-image-";
        if (!package.name.starts_with(image)) return;
        const std::string release = package.name.substr(image.size());
        if (!os_.files.exists("/boot/vmlinuz-" + release)) return;  // a meta package, or removed
        output += "update-initramfs: Generating " + initramfs_path(release) + "\n";
        os_.update_grub(update_initramfs(os_, release, cause));
      });
}

ModprobeResult Kernel::note(ModprobeResult result) {
  if (result.event != no_event) driver_event_ = result.event;
  return result;
}

void Kernel::boot(EventId cause) {
  modules.clear();
  amdgpu.reset();
  vfio.reset();
  driver_event_ = no_event;
  assign_resources(os_);
  sim::mount_shared_memory(os_, cpu.memory_bytes);
  if (iommu_translates(os_.cmdline)) {
    os_.log(6, "iommu: Default domain type: Translated", os_.cmdline_event);
  } else if (const auto mode = sim::cmdline_value(os_.cmdline, "iommu"); mode && *mode == "pt") {
    os_.log(6, "iommu: Default domain type: Passthrough (set via kernel command line)",
            os_.cmdline_event);
  }
  if (sim::cmdline_value(os_.cmdline, "nomodeset")) {
    os_.log(4, "Booted with the nomodeset parameter. Only the system framebuffer will be available",
            cause);
  }
  early_modules(cause);
}

void Kernel::early_modules(EventId cause) {
  const Initramfs initramfs = read_initramfs(os_, os_.kernel_release);
  modprobe.set_root(&initramfs.files);
  for (const std::string& name : initramfs.modules) load_module(name, {}, cause);
  modprobe.set_root(nullptr);
}

void Kernel::cold_plug(EventId cause) {
  // udev starts one modprobe per modalias; a second one for the same module does nothing. It does
  // so for devices that have a driver, too.
  std::set<std::string> asked;
  bool any = false;
  for (const auto& [bdf, device] : os_.pci.devices()) {
    if (device.vendor != 0x1002) continue;
    any = true;
    if (modules.find("amdgpu")) break;
    os_.clock.advance(20 * sim::ms);
    if (!asked.insert(fmt::format("{:04x}", device.device)).second) continue;
    note(modprobe.load_alias(sim::modalias(device), "amdgpu", cause));
    if (!modules.find("amdgpu")) break;  // the same answer for every other device
  }
  if (!any) driver_event_ = board_.why_silent();
  uevent();
}

ModprobeResult Kernel::load_module(const std::string& name,
                                   const std::map<std::string, std::string>& parameters,
                                   EventId cause) {
  ModprobeResult result = modprobe.load(name, parameters, cause);
  uevent();
  return name == "amdgpu" ? note(std::move(result)) : result;
}

ModprobeResult Kernel::insert_module(const std::string& path, EventId cause) {
  ModprobeResult result = modprobe.insert_file(path, {}, cause);
  uevent();
  return modules.find("amdgpu") ? note(std::move(result)) : result;
}

ModprobeResult Kernel::remove_module(const std::string& name, EventId cause) {
  ModprobeResult result = modprobe.remove(name, cause);
  uevent();
  return name == "amdgpu" ? note(std::move(result)) : result;
}

std::vector<CharDevice> Kernel::char_devices() const {
  std::vector<CharDevice> devices;
  if (kfd.present()) devices.push_back({"/dev/kfd", kfd_major, 0, kfd.event()});
  for (const GpuDevice& device : amdgpu.devices()) {
    if (device.state != GpuDevice::State::bound) continue;
    for (std::uint32_t i = 0; i < device.minors; ++i) {
      const std::uint32_t card = device.card_minor + i, render = device.render_minor + i;
      devices.push_back({fmt::format("/dev/dri/card{}", card), drm_major, card, device.event});
      devices.push_back(
          {fmt::format("/dev/dri/renderD{}", render), drm_major, render, device.event});
    }
  }
  return devices;
}

EventId Kernel::why_no_device(std::string_view path) const {
  if (path == "/dev/kfd" && kfd.present()) return no_event;
  if (path == "/dev/kfd" && modules.find("amdgpu")) return kfd.event();  // it did not start
  if (path.starts_with("/dev/kfd") || path.starts_with("/dev/dri")) return driver_event_;
  return no_event;
}

KfdEra Kernel::era() const {
  const LoadedModule* module = modules.find("amdgpu");
  if (!module || module->version.empty()) {
    // In-tree: 1.11 came with 6.1, 1.14 with 6.5 (linux/kfd_ioctl.h of these kernels).
    return {sim::compare_versions(os_.kernel_release, "6.5") < 0 ? 11u : 14u, false, false};
  }
  return {sim::compare_versions(module->version, "6.10") < 0 ? 14u : 17u, false, true};
}

SysResult<std::unique_ptr<DeviceFile>> Kernel::open(std::string_view path, const Opener& opener) {
  if (auto injected = kfd.injected_open(path); !injected) return std::unexpected(injected.error());
  if (path == "/dev/kfd") {
    if (auto may = may_open_kfd(); !may) return std::unexpected(may.error());
    return open_local_kfd(os_, kfd, opener);
  }
  for (const CharDevice& device : char_devices()) {
    if (device.path != path) continue;
    if (auto may = amdgpu.may_open_render(device.minor); !may) return std::unexpected(may.error());
    return open_local_render(kfd, device.minor, device.event);
  }
  return fail(ENXIO, why_no_device(path));
}

SysResult<void> Kernel::may_open_kfd() {
  if (!kfd.present()) return fail(ENXIO, why_no_device("/dev/kfd"));
  if (kfd.locked()) return fail(EINVAL, kfd.locked_by());  // kfd_is_locked(): a reset
  const LoadedModule* module = modules.find("amdgpu");
  // "no gpu node! Cannot create KFD process": seen with in-tree drivers; dkms 6.10.5 still opened
  // without GPU nodes. Where between 6.10.5 and 6.12 the check came is assumed.
  const bool checks =
      module && (module->version.empty() || sim::compare_versions(module->version, "6.12") >= 0);
  if (checks && kfd.nodes().empty()) {
    os_.log(3, "amdgpu: no gpu node! Cannot create KFD process", kfd.event());
    return fail(EINVAL, kfd.event());
  }
  return {};
}

/// By a link that died since the driver looked, or because addresses of a peer have no page in the
/// IOMMU's tables: it translates what devices ask for unless it is told to pass it through.
std::vector<UnreachablePeer> Kernel::unreachable_from(const KfdNode& node) const {
  std::vector<UnreachablePeer> list;
  const bool translates = iommu_translates(os_.cmdline);
  const auto dead = [](const silicon::Link& link) {
    return link.state == silicon::LinkState::dead;
  };
  if (!translates && std::ranges::none_of(board_.links(), dead)) return list;
  for (const KfdNode& peer : kfd.nodes()) {
    if (peer.gpu == node.gpu) continue;
    const silicon::Link* link = board_.link(node.gpu, peer.gpu);
    if (link && link->trained && link->state == silicon::LinkState::dead)
      list.push_back({peer.gpu_id, false, link->event});
    if (!link && translates) list.push_back({peer.gpu_id, true, os_.cmdline_event});
  }
  return list;
}

DeviceFacts Kernel::describe() const {
  DeviceFacts facts;
  facts.era = era();
  facts.queue_events = queue_events;
  facts.event = kfd.event();
  facts.injections = kfd.injections();
  for (const KfdNode& node : kfd.nodes()) {
    const GpuProduct& product = *board_.gpus()[node.gpu].product;
    const GpuDevice* device = amdgpu.by_render_minor(node.render_minor);
    const silicon::Gpu& gpu = board_.gpus()[node.gpu];
    const silicon::SdmaEngines sdma = silicon::sdma_engines(product, node.partitions);
    facts.gpus.push_back(
        {.gpu_id = node.gpu_id,
         .render_minor = node.render_minor,
         .card_minor = device ? device->card_minor + node.partition : 0,
         .vram_bytes = node.vram_bytes,
         .gfx_target_version = product.gfx_target_version,
         .sdma_engines = sdma.pcie + sdma.xgmi,
         .sdma_xgmi_engines = sdma.xgmi,
         .sdma_queues_per_engine = product.sdma_queues_per_engine,
         .compute_queues = product.num_cp_queues,
         .compute_units = node.compute_units,
         .xccs = node.xccs,
         .engine_mhz = silicon::engine_limit_mhz(gpu),
         // Of the GPU: its devices share the memory controllers in NPS1.
         .memory_bytes_per_us = memory_bytes_per_us(product) /
                                (static_cast<std::uint32_t>(board_.gpus()[node.gpu].memory_mode)),
         .xnack = product.xnack,
         .poisoned = poisoned_pages(gpu),
         .fails_under_load = gpu.defects.under_load,
         .preempts = !gpu.defects.preemption,
         .limits = {1024, product.lds_kib * 1024, product.wave_size},
         .unreachable = unreachable_from(node)});
  }
  if (!kfd.nodes().empty()) {
    facts.noretry = amdgpu.noretry(*board_.gpus()[kfd.nodes().front().gpu].product);
  }
  return facts;
}

}  // namespace rocdrill::kernel
