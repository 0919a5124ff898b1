// A GPU on a bench: kernels of a code object run on its shader array with no node around it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/code_objects/kernarg.hpp"
#include "sim/silicon/isa/dispatcher.hpp"

namespace rocdrill::workbench {

/// GPU memory of the bench; GPU address = host address.
class Buffer {
 public:
  std::span<std::byte> bytes() const { return {data_, size_}; }
  std::uint64_t va() const { return reinterpret_cast<std::uintptr_t>(data_); }

 private:
  friend class Workbench;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

struct WorkbenchOptions {
  unsigned threads = 0;  ///< 0: one per core
  isa::Level level = isa::best_level();
};

/// What a kernel is launched with.
struct KernelLaunch {
  std::string kernel;
  code_objects::Geometry geometry;
  std::vector<std::vector<std::byte>> arguments;  ///< explicit ones, in order
  std::uint64_t dynamic_lds = 0;
  bool counts_traffic = false;    ///< isa::Launch::counts_traffic
  std::uint64_t most_slices = 0;  ///< isa::Launch::most_slices
};

class Workbench {
 public:
  /// Reads the code object for `processor` ("gfx90a", with or without features) from a code object,
  /// an offload bundle or a program. An empty processor takes that of the first entry that is
  /// executed. The error is one sentence.
  static std::expected<std::unique_ptr<Workbench>, std::string> open(
      std::span<const std::byte> file, std::string_view processor,
      const WorkbenchOptions& options = {});
  ~Workbench();

  const code_objects::CodeObject& code_object() const { return object_; }
  const isa::Shape& shape() const { return dispatcher_->shape(); }

  /// Zeroed, page-aligned; lives as long as the bench. The permissions are the GPU's: the caller
  /// may always write. Throws std::bad_alloc.
  Buffer allocate(std::size_t bytes, cp::Permissions permissions = {});
  /// The address of a device variable; 0 if there is none of that name.
  std::uint64_t symbol(std::string_view name) const;

  /// Launches and waits. The error is one sentence: no such kernel, wrong arguments, a work-group
  /// that the kernel or the device does not allow. `cancel`: when it becomes true, the waves stop
  /// and the outcome is End::cancelled.
  std::expected<isa::Outcome, std::string> run(const KernelLaunch& launch,
                                               const std::atomic<bool>* cancel = nullptr);

  /// Runs one workgroup alone and one of its waves instruction by instruction; see
  /// isa::Dispatcher::step().
  std::expected<isa::Outcome, std::string> step(const KernelLaunch& launch, std::uint64_t workgroup,
                                                std::uint32_t wave,
                                                const isa::Dispatcher::Look& look);
  /// The instruction at a VA of the image.
  isa::Decoder::Text disassemble_at(std::uint64_t va);
  std::uint64_t image_va() const { return image_.va(); }

  /// The instructions of a kernel, from its entry to where nothing goes on.
  struct Line {
    std::uint64_t offset = 0;  ///< in the code object
    isa::Decoder::Text text;
  };
  std::vector<Line> disassemble(const code_objects::Kernel& kernel);
  /// All executable segments, functions and padding included.
  std::vector<Line> disassemble_all();

 private:
  Workbench() = default;
  std::expected<isa::Launch, std::string> prepare(const KernelLaunch& launch, Buffer& kernarg);
  void free(const Buffer& buffer);
  std::vector<Line> disassemble_range(std::uint64_t begin, std::uint64_t bytes);
  std::expected<void, std::string> load(std::span<const std::byte> file);

  code_objects::CodeObject object_;
  std::vector<std::byte> file_;  ///< the code object
  std::unique_ptr<isa::Dispatcher> dispatcher_;
  cp::RangeAddressSpace space_;
  Buffer image_;
  Buffer packet_;
  Buffer scratch_;
  std::vector<Buffer> buffers_;
};

}  // namespace rocdrill::workbench
