// Names of the kernels that this program's runtime has loaded, by the address of their descriptors:
// what a debugger reads from ROCr's list of loaded code objects (_amdgpu_r_debug, in the form of
// glibc's r_debug; URIs "file://PATH#offset=N&size=N" and "memory://PID#offset=N&size=N").
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace rocdrill::interpose {

class KernelNames {
 public:
  /// Where the list is; 0 (nobody has said so): where the dynamic linker finds it.
  void set_list(std::uint64_t r_debug) { list_ = r_debug; }
  /// "" if no loaded code object has a kernel there. Looks into the program's memory and files,
  /// with care: neither has to be what it seems.
  std::string at(std::uint64_t kernel_object);

 private:
  void read_list();

  std::uint64_t list_ = 0;
  std::map<std::uint64_t, std::string> names_;
  std::set<std::string> seen_;  ///< code objects: URI and load address
  int misses_ = 0;
};

/// Symbols "NAME.kd" of a code object (ELF64): names by their values. Empty for what is none.
std::map<std::uint64_t, std::string> kernel_descriptors(std::string_view elf);

}  // namespace rocdrill::interpose
