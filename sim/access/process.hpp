// A process of the simulated node: its descriptors, its view of files and devices, its identity.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "sim/access/devtmpfs.hpp"
#include "sim/host/os.hpp"
#include "stack/process.hpp"

namespace rocdrill::kernel {
class Kernel;
}

namespace rocdrill::access {

/// The door: makes processes whose every access passes the checks of the kernel's VFS.
class Access {
 public:
  Access(sim::Os& os, kernel::Kernel& kernel);

  std::unique_ptr<Process> spawn(const ProcessSpec& spec);
  DevTmpfs& devices() { return devices_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("devices", devices_);
  }

 private:
  sim::Os& os_;
  kernel::Kernel& kernel_;
  DevTmpfs devices_;
};

}  // namespace rocdrill::access
