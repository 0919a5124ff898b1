#include "sim/libraries/rocblas.hpp"

#include <fmt/format.h>

namespace rocdrill::libraries {

std::string tensile_index(std::string_view gfx) {
  return fmt::format("TensileLibrary_lazy_{}.dat", gfx);
}
std::string tensile_kernels(std::string_view gfx) {
  return fmt::format("Kernels.so-000-{}.hsaco", gfx);
}

std::string Rocblas::gfx(int device) {
  const auto properties = hip_.properties(device);
  if (!properties) return {};
  return properties->gcn_arch_name.substr(0, properties->gcn_arch_name.find(':'));
}

std::string Rocblas::folder() const {
  const std::string set = process_.env(tensile_libpath);
  return set.empty() ? directory_ : set;
}

std::expected<void, LibraryFailure> Rocblas::create(int device) {
  const std::string target = gfx(device);
  const std::string directory = folder();
  const std::string index = directory + "/" + tensile_index(target);
  auto stat = process_.stat(index);
  if (stat) return {};
  // The message names TensileLibrary.dat; what is missing is the file of the target.
  std::string text = fmt::format(
      "rocBLAS error: Cannot read {}/TensileLibrary.dat: {} for GPU arch : {}\n List of available "
      "TensileLibrary Files : \n",
      directory, process_.exists(directory) ? "Illegal seek" : "No such file or directory", target);
  if (auto names = process_.list(directory)) {
    for (const std::string& name : *names) {
      if (name.starts_with("TensileLibrary")) text += fmt::format("\"{}/{}\"\n", directory, name);
    }
  }
  const std::string shows = text.substr(0, text.find('\n'));
  const EventId event = journal_.record(
      Layer::libraries, Severity::error, "rocblas.no_data", target,
      {{field::asked, std::string_view(index)},
       {field::got, "ENOENT"},
       {field::did, "the process ends"},
       {field::shows, std::string_view(shows)}},
      directory == directory_ ? process_.why(index) : process_.why_env(tensile_libpath));
  return std::unexpected(LibraryFailure{std::move(text), event, true, false});
}

std::expected<void, LibraryFailure> Rocblas::gemm(int device, std::uint64_t c, std::uint64_t a,
                                                  std::uint64_t b, std::uint32_t n) {
  constexpr std::uint32_t tile = 16;  // of matmul_tiled
  if (auto ready = create(device); !ready) return ready;
  const std::string kernels = folder() + "/" + tensile_kernels(gfx(device));
  HipLaunch how{.grid = {n / tile, n / tile, 1}, .block = {tile, tile, 1}, .arguments = {}};
  auto launched = hip_.launch(device, kernels, "matmul_tiled", how.with(c).with(a).with(b).with(n));
  if (launched) return {};
  const HipFailure& failure = launched.error();
  const std::string status = name(failure.error);
  const EventId event = journal_.record(
      Layer::libraries, failure.unmodelled ? Severity::unmodelled : Severity::error,
      "rocblas.gemm_failed", "rocblas_gemm_ex",
      {{field::asked, std::string_view(kernels)}, {field::got, std::string_view(status)}},
      failure.event);
  return std::unexpected(LibraryFailure{"rocblas_status_internal_error", event, false,
                                        failure.unmodelled, failure.waits_for_ever});
}

}  // namespace rocdrill::libraries
