#include "sim/frameworks/torch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "sim/host/files.hpp"
#include "sim/libraries/rocblas.hpp"

namespace rocdrill::frameworks {
namespace {

/// Rows and columns of what the model multiplies. Bring-up scripts take 4096: the same kernels run
/// here on fewer workgroups.
constexpr std::uint32_t size = 128;
constexpr std::uint32_t elements = size * size;

class Torch final : public Framework {
 public:
  Torch(Process& process, sim::Journal& journal, std::unique_ptr<Hip> hip, TorchInstallation torch)
      : process_(process),
        journal_(journal),
        hip_(std::move(hip)),
        directory_(std::move(torch.directory)),
        found_because_(torch.event) {}

  FrameworkResult import() override;
  FrameworkResult is_available() override;
  int device_count() override;
  FrameworkResult randn() override;
  FrameworkResult empty(std::uint64_t bytes) override;
  FrameworkResult matmul() override;

 private:
  std::string device_code() const { return directory_ + "/" + std::string(torch_device_code); }
  FrameworkResult raise(std::string_view subject, std::string text, EventId cause, bool unmodelled);
  FrameworkResult no_rocm(std::string_view subject);
  EventId why_this_build() const;
  std::optional<FrameworkResult> unusable(std::string_view subject);
  FrameworkResult hangs(std::string_view subject, EventId cause);
  FrameworkResult hip_error(std::string_view subject, const HipFailure& failure);
  FrameworkResult blas_error(const libraries::LibraryFailure& failure);
  HipResult<std::uint64_t> random_matrix();
  HipResult<std::uint64_t> tensor(std::size_t bytes);
  std::string out_of_memory();

  Process& process_;
  sim::Journal& journal_;
  std::unique_ptr<Hip> hip_;
  std::string directory_;
  EventId found_because_;
  TorchBuild build_;
  std::size_t segment_ = 0;  ///< that HIP was asked for last
};

/// The value of `name = '...'` in version.py; nullopt for None or nothing.
std::optional<std::string> version_value(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + " = '");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = at + name.size() + 4;
  return text.substr(begin, text.find('\'', begin) - begin);
}

std::string version_line(std::string_view name, const std::optional<std::string>& value) {
  return value ? fmt::format("{} = '{}'\n", name, *value) : fmt::format("{} = None\n", name);
}

// torch/cuda/__init__.py and torch/csrc/cuda: what the other builds say without a GPU of theirs.
constexpr std::string_view not_compiled = "AssertionError: Torch not compiled with CUDA enabled";
constexpr std::string_view no_nvidia =
    "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU "
    "and installed a driver from http://www.nvidia.com/Download/index.aspx";

FrameworkResult Torch::raise(std::string_view subject, std::string text, EventId cause,
                             bool unmodelled) {
  const std::string shows = text.substr(0, text.find('\n'));
  const EventId event = journal_.record(
      Layer::framework, unmodelled ? Severity::unmodelled : Severity::error, "torch.error", subject,
      {{field::did, "raises"}, {field::shows, std::string_view(shows)}, {field::see, "python3"}},
      cause);
  return {false, std::move(text), event, unmodelled};
}

FrameworkResult Torch::hangs(std::string_view subject, EventId cause) {
  const EventId event = journal_.record(
      Layer::framework, Severity::error, "torch.hangs", subject,
      {{field::did, "does not return"}, {field::see, "py-spy dump, rocm-smi"}}, cause);
  return {false, "", event, false, true};
}

FrameworkResult Torch::hip_error(std::string_view subject, const HipFailure& failure) {
  if (failure.waits_for_ever) return hangs(subject, failure.event);
  if (!failure.abort_text.empty()) {
    return raise(subject, failure.abort_text + "\nAborted (core dumped)", failure.event, false);
  }
  if (failure.error == HipError::out_of_memory)
    return raise(subject, out_of_memory(), failure.event, false);
  std::string text = failure.error == HipError::no_device
                         ? "RuntimeError: No HIP GPUs are available"
                         : fmt::format(
                               "RuntimeError: HIP error: {}\nHIP kernel errors might be "
                               "asynchronously reported at some other API call, so the stacktrace "
                               "below might be incorrect.\nFor debugging consider passing "
                               "AMD_SERIALIZE_KERNEL=3\nCompile with `TORCH_USE_HIP_DSA` to enable "
                               "device-side assertions.",
                               rocdrill::text(failure.error));
  return raise(subject, std::move(text), failure.event, failure.unmodelled);
}

std::string size_text(std::uint64_t bytes) {  // c10's format_size
  if (bytes <= 1024) return fmt::format("{} bytes", bytes);
  const auto value = static_cast<double>(bytes);
  if (bytes <= 1048576) return fmt::format("{:.2f} KiB", value / 1024);
  if (bytes <= 1073741824) return fmt::format("{:.2f} MiB", value / 1048576);
  return fmt::format("{:.2f} GiB", value / 1073741824);
}

/// What the caching allocator takes from HIP for a tensor (c10's get_allocation_size).
std::size_t segment_for(std::size_t bytes) {
  constexpr std::size_t mib = 1u << 20;
  if (bytes <= mib) return 2 * mib;
  if (bytes < 10 * mib) return 20 * mib;
  return (bytes + 2 * mib - 1) / (2 * mib) * (2 * mib);
}

HipResult<std::uint64_t> Torch::tensor(std::size_t bytes) {
  segment_ = segment_for(bytes);
  return hip_->allocate(0, segment_);
}

std::string Torch::out_of_memory() {
  const HipMemory memory = hip_->memory(0).value_or(HipMemory{});
  const bool two_4 = build_.version.starts_with("2.") && std::atoi(build_.version.c_str() + 2) >= 4;
  const std::string free = size_text(memory.free), total = size_text(memory.total);
  constexpr std::string_view see =
      "  See documentation for Memory Management  "
      "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)";
  if (!two_4) {
    return fmt::format(
        "torch.cuda.OutOfMemoryError: HIP out of memory. Tried to allocate {} (GPU 0; {} total "
        "capacity; 0 bytes already allocated; {} free; 0 bytes reserved in total by PyTorch) If "
        "reserved memory is >> allocated memory try setting max_split_size_mb to avoid "
        "fragmentation.  See documentation for Memory Management and PYTORCH_HIP_ALLOC_CONF",
        size_text(segment_), total, free);
  }
  return fmt::format(
      "torch.OutOfMemoryError: HIP out of memory. Tried to allocate {}. GPU 0 has a total capacity "
      "of {} of which {} is free. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 "
      "bytes is reserved by PyTorch but unallocated. If reserved but unallocated memory is large "
      "try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments:True to avoid fragmentation.{}",
      size_text(segment_), total, free, see);
}

FrameworkResult Torch::import() {
  const std::string path = directory_ + "/version.py";
  auto version = process_.read_file(path);
  if (!version) {
    return raise("import torch", "ModuleNotFoundError: No module named 'torch'",
                 version.error().event, false);
  }
  build_ = read_version_file(*version).value_or(TorchBuild{});
  if (!build_.hip) return {true, "None", why_this_build(), false};
  hip_->register_fat_binary(device_code());
  return {true, *build_.hip, no_event, false};
}

EventId Torch::why_this_build() const {
  return found_because_ == no_event ? process_.why(directory_ + "/version.py") : found_because_;
}

// c10/cuda/CUDAAllocatorConfig.cpp: read when the first tensor wants memory.
constexpr std::array allocator_options{
    "max_split_size_mb",
    "garbage_collection_threshold",
    "roundup_power2_divisions",
    "backend",
    "expandable_segments",
    "release_lock_on_cudamalloc",
    "release_lock_on_hipmalloc",
    "pinned_use_cuda_host_register",
    "pinned_use_hip_host_register",
    "pinned_num_register_threads",
};

/// What stops every use of a GPU before HIP is asked for memory.
std::optional<FrameworkResult> Torch::unusable(std::string_view subject) {
  if (!build_.hip) return no_rocm(subject);
  if (auto count = hip_->device_count(); !count) return hip_error(subject, count.error());
  for (const char* variable : {"PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_HIP_ALLOC_CONF"}) {
    std::string value = process_.env(variable);
    std::ranges::replace(value, ',', ' ');
    for (const std::string& setting : sim::words_of(value)) {
      const std::string option = setting.substr(0, setting.find(':'));
      if (std::ranges::find(allocator_options, option) != allocator_options.end()) continue;
      return raise(subject, "RuntimeError: Unrecognized CachingAllocator option: " + option,
                   process_.why_env(variable), false);
    }
  }
  return std::nullopt;
}

/// A build for other hardware: it never asks HIP.
FrameworkResult Torch::no_rocm(std::string_view subject) {
  return raise(subject, std::string(build_.cuda ? no_nvidia : not_compiled), why_this_build(),
               false);
}

FrameworkResult Torch::is_available() {
  if (!build_.hip) {
    const EventId event = journal_.record(
        Layer::framework, Severity::error, "torch.is_available", "torch.cuda",
        {{field::asked, build_.cuda ? "NVIDIA's driver" : "CUDA, which is not compiled in"},
         {field::got, "none"},
         {field::did, "torch.cuda.is_available() is False"},
         {field::shows, "False"},
         {field::see, "python3 -c 'import torch; print(torch.version.hip)'"}},
        why_this_build());
    return {false, "False", event, false};
  }
  auto count = hip_->device_count();
  if (count && *count > 0) {
    const EventId event = journal_.record(Layer::framework, Severity::info, "torch.is_available",
                                          "torch.cuda", {{field::got, "True"}}, no_event);
    return {true, "True", event, false};
  }
  if (!count && !count.error().abort_text.empty())
    return hip_error("torch.cuda.is_available()", count.error());
  const EventId cause = count ? no_event : count.error().event;
  const std::string got = count ? "0 devices" : name(count.error().error);
  const EventId event =
      journal_.record(Layer::framework, Severity::error, "torch.is_available", "torch.cuda",
                      {{field::asked, "hipGetDeviceCount"},
                       {field::got, std::string_view(got)},
                       {field::did, "torch.cuda.is_available() is False"},
                       {field::shows, "False"},
                       {field::see, "python3 -c 'import torch; print(torch.cuda.is_available())'"}},
                      cause);
  return {false, "False", event, false};
}

int Torch::device_count() { return build_.hip ? hip_->device_count().value_or(0) : 0; }

/// `to` gets numbers between -1 and 1: a kernel of the wheel adds them to the zeros that are there.
HipResult<std::uint64_t> Torch::random_matrix() {
  std::vector<float> numbers(elements);
  std::minstd_rand generator(42);
  for (float& number : numbers)
    number = static_cast<float>(generator()) / static_cast<float>(std::minstd_rand::max()) * 2 - 1;
  auto source = tensor(elements * sizeof(float));
  if (!source) return source;
  auto matrix = tensor(elements * sizeof(float));
  if (!matrix) return matrix;
  if (auto copied = hip_->copy_to_device(*source, std::as_bytes(std::span(numbers))); !copied)
    return std::unexpected(copied.error());
  constexpr std::uint32_t block = 256;
  HipLaunch how{.grid = {elements / block, 1, 1}, .block = {block, 1, 1}, .arguments = {}};
  if (auto filled = hip_->launch(0, device_code(), "saxpy",
                                 how.with(*matrix).with(*source).with(1.0f).with(elements));
      !filled)
    return std::unexpected(filled.error());
  return matrix;
}

FrameworkResult Torch::randn() {
  if (auto problem = unusable("torch.randn")) return *problem;
  if (auto matrix = random_matrix(); !matrix) return hip_error("torch.randn", matrix.error());
  return {true, "tensor", no_event, false};
}

FrameworkResult Torch::empty(std::uint64_t bytes) {
  if (auto problem = unusable("torch.empty")) return *problem;
  if (auto memory = tensor(bytes); !memory) return hip_error("torch.empty", memory.error());
  return {true, "tensor", no_event, false};
}

FrameworkResult Torch::matmul() {
  if (auto problem = unusable("torch.randn")) return *problem;
  // The operand is filled by a kernel of the wheel, the product is one of rocBLAS.
  auto operand = random_matrix();
  if (!operand && !operand.error().unmodelled) return hip_error("torch.randn", operand.error());
  libraries::Rocblas blas(process_, journal_, *hip_, directory_ + "/" + std::string(torch_rocblas));
  if (auto ready = blas.create(0); !ready) return blas_error(ready.error());
  if (!operand) return hip_error("torch.randn", operand.error());
  auto product = tensor(elements * sizeof(float));
  if (!product) return hip_error("a @ a", product.error());
  if (auto done = blas.gemm(0, *product, *operand, *operand, size); !done)
    return blas_error(done.error());
  std::vector<float> result(elements);
  if (auto copied = hip_->copy_to_host(std::as_writable_bytes(std::span(result)), *product);
      !copied)
    return hip_error("a @ a", copied.error());
  double sum = 0;
  for (const float value : result) sum += value;
  return {true, std::isfinite(sum) ? "finite" : "not finite", no_event, false};
}

FrameworkResult Torch::blas_error(const libraries::LibraryFailure& failure) {
  if (failure.waits_for_ever) return hangs("a @ a", failure.event);
  return raise("a @ a", failure.aborts ? failure.text : "RuntimeError: CUDA error: " + failure.text,
               failure.event, failure.unmodelled);
}

}  // namespace

std::string version_file(const TorchBuild& build) {
  return version_line("__version__", build.version) + version_line("cuda", build.cuda) +
         version_line("hip", build.hip);
}

std::optional<TorchBuild> read_version_file(const std::string& text) {
  const auto version = version_value(text, "__version__");
  if (!version) return std::nullopt;
  return TorchBuild{*version, version_value(text, "cuda"), version_value(text, "hip")};
}

TorchInstallation find_torch(Process& process, std::string installed) {
  constexpr std::string_view variable = "PYTHONPATH";
  std::string folders = process.env(variable);
  std::ranges::replace(folders, ':', ' ');
  for (const std::string& folder : sim::words_of(folders)) {
    const std::string package = folder + "/torch";
    if (process.exists(package + "/version.py")) return {package, process.why_env(variable)};
  }
  return {std::move(installed)};
}

std::unique_ptr<Framework> start_python(Process& process, sim::Journal& journal,
                                        std::unique_ptr<Hip> hip, TorchInstallation torch) {
  return std::make_unique<Torch>(process, journal, std::move(hip), std::move(torch));
}

}  // namespace rocdrill::frameworks
