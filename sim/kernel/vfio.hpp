// vfio-pci: holds devices for virtual machines. It takes those whose ids it was given.
#pragma once

#include <string>
#include <vector>

#include "sim/kernel/modules.hpp"

namespace rocdrill::kernel {

class Vfio {
 public:
  explicit Vfio(Os& os) : os_(os) {}

  /// module_init: binds every device of parameter ids (VENDOR:DEVICE, in hex) that has no driver.
  int init(const LoadedModule& module, EventId cause);
  int exit(EventId cause);
  void reset() { ids_.clear(); }
  bool claims(const sim::PciDevice& device) const;
  int bind(const sim::Bdf& bdf, EventId cause);
  int unbind(const sim::Bdf& bdf, EventId cause);

  template <class Archive>
  void serialize(Archive& archive) {
    archive("ids", ids_);
  }

 private:
  Os& os_;
  std::vector<std::string> ids_;  ///< "1002:740f"
};

}  // namespace rocdrill::kernel
