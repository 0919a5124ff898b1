// PoCL, the Portable Computing Language: the corpus' own OpenCL source on this CPU. Optional:
// without OpenCL's headers at build time, or without PoCL at run time, its column says so.
#include "bench/kernels/contestant.hpp"

#ifdef ROCDRILL_WITH_OPENCL

#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <map>
#include <stdexcept>

namespace rocdrill::bench {
namespace {

[[noreturn]] void fail(const std::string& what, cl_int error) {
  throw std::runtime_error("PoCL: " + what + ": OpenCL error " + std::to_string(error));
}
void check(cl_int error, const std::string& what) {
  if (error != CL_SUCCESS) fail(what, error);
}

/// The device, and the programs that have been built for it.
class Device {
 public:
  static Device& get() {
    static Device device;
    return device;
  }
  const std::string& absent() const { return absent_; }
  const std::string& description() const { return description_; }
  cl_context context() const { return context_; }
  cl_command_queue queue() const { return queue_; }

  cl_program program(const std::string& source) {
    if (const auto at = programs_.find(source); at != programs_.end()) return at->second;
    const std::string text =
        "#pragma OPENCL FP_CONTRACT OFF\n#define ROCDRILL_OPENCL\n#include \"" + source + ".cl\"\n";
    const char* pointer = text.c_str();
    cl_int error = CL_SUCCESS;
    cl_program program = clCreateProgramWithSource(context_, 1, &pointer, nullptr, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &id_,
                           "-cl-std=CL2.0 -w -cl-fp32-correctly-rounded-divide-sqrt "
                           "-I" ROCDRILL_KERNEL_SOURCES,
                           nullptr, nullptr);
    if (error != CL_SUCCESS) {
      std::string log(16384, '\0');
      std::size_t size = 0;
      clGetProgramBuildInfo(program, id_, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), &size);
      log.resize(std::min(size, log.size()));
      throw std::runtime_error("PoCL does not build " + source + ".cl: " + log);
    }
    return programs_[source] = program;
  }

 private:
  Device() {
    cl_uint count = 0;
    clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (count != 0) clGetPlatformIDs(count, platforms.data(), nullptr);
    for (cl_platform_id platform : platforms)
      if (text(platform, CL_PLATFORM_NAME).find("Portable Computing Language") != std::string::npos)
        platform_ = platform;
    if (platform_ == nullptr) {
      absent_ = "PoCL is not installed (Debian's pocl-opencl-icd)";
      return;
    }
    if (clGetDeviceIDs(platform_, CL_DEVICE_TYPE_CPU, 1, &id_, nullptr) != CL_SUCCESS) {
      absent_ = "PoCL offers no CPU";
      return;
    }
    cl_int error = CL_SUCCESS;
    context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &error);
    check(error, "clCreateContext");
    queue_ = clCreateCommandQueueWithProperties(context_, id_, nullptr, &error);
    check(error, "clCreateCommandQueueWithProperties");
    std::string name(256, '\0');
    std::size_t size = 0;
    clGetDeviceInfo(id_, CL_DEVICE_NAME, name.size(), name.data(), &size);
    name.resize(size == 0 ? 0 : size - 1);
    description_ = text(platform_, CL_PLATFORM_VERSION) + " on " + name;
  }
  static std::string text(cl_platform_id platform, cl_platform_info what) {
    std::string value(512, '\0');
    std::size_t size = 0;
    clGetPlatformInfo(platform, what, value.size(), value.data(), &size);
    value.resize(size == 0 ? 0 : size - 1);
    return value;
  }

  std::string absent_;
  std::string description_;
  cl_platform_id platform_ = nullptr;
  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  std::map<std::string, cl_program> programs_;
};

class Pocl final : public Contestant {
 public:
  explicit Pocl(const Problem& problem) : device_(Device::get()) {
    cl_int error = CL_SUCCESS;
    kernel_ = clCreateKernel(device_.program(problem.source), problem.kernel.c_str(), &error);
    check(error, "clCreateKernel " + problem.kernel);
    for (unsigned n = 0; n < 3; ++n) {
      grid_[n] = problem.grid[n];
      group_[n] = problem.group[n];
    }
    cl_uint number = 0;
    for (const Argument& argument : problem.arguments) {
      const void* value = argument.bytes.data();
      std::size_t size = argument.bytes.size();
      buffers_.push_back(nullptr);
      sizes_.push_back(size);
      if (argument.is_buffer) {
        buffers_.back() =
            clCreateBuffer(device_.context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                           const_cast<void*>(value), &error);
        check(error, "clCreateBuffer");
        value = &buffers_.back();
        size = sizeof(cl_mem);
      }
      check(clSetKernelArg(kernel_, number++, size, value), "clSetKernelArg");
    }
  }
  ~Pocl() override {
    for (cl_mem buffer : buffers_)
      if (buffer != nullptr) clReleaseMemObject(buffer);
    clReleaseKernel(kernel_);
  }
  Pocl(const Pocl&) = delete;
  Pocl& operator=(const Pocl&) = delete;

  void run() override {
    check(clEnqueueNDRangeKernel(device_.queue(), kernel_, 3, nullptr, grid_, group_, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
    check(clFinish(device_.queue()), "clFinish");
  }
  std::span<const std::byte> buffer(std::size_t argument) override {
    copy_.resize(sizes_[argument]);
    check(clEnqueueReadBuffer(device_.queue(), buffers_[argument], CL_TRUE, 0, copy_.size(),
                              copy_.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    return copy_;
  }

 private:
  Device& device_;
  cl_kernel kernel_ = nullptr;
  std::size_t grid_[3] = {};
  std::size_t group_[3] = {};
  std::vector<cl_mem> buffers_;
  std::vector<std::size_t> sizes_;
  std::vector<std::byte> copy_;
};

}  // namespace

MaybeContestant pocl(const Problem& problem) {
  if (!problem.opencl) return std::unexpected("not for PoCL");
  try {
    if (const std::string& absent = Device::get().absent(); !absent.empty())
      return std::unexpected(absent);
    return std::make_unique<Pocl>(problem);
  } catch (const std::exception& error) {
    return std::unexpected(error.what());
  }
}

std::string pocl_description() {
  const Device& device = Device::get();
  return device.absent().empty() ? device.description() : device.absent();
}

}  // namespace rocdrill::bench

#else

namespace rocdrill::bench {

MaybeContestant pocl(const Problem&) { return std::unexpected(pocl_description()); }
std::string pocl_description() {
  return "PoCL is left out: built without OpenCL's headers (Debian's ocl-icd-opencl-dev)";
}

}  // namespace rocdrill::bench

#endif
