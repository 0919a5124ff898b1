// The board's firmware as far as operating systems depend on it: Secure Boot with the keys that
// shim trusts, and settings of the setup menu.
#pragma once

#include <set>
#include <string>

#include "stack/event.hpp"

namespace rocdrill::sim {

struct Uefi {
  bool secure_boot = false;
  bool shim_validates = true;   ///< mokutil --disable-validation turns it off
  std::set<std::string> mok;    ///< names (CN) of the keys that their owner enrolled
  std::set<std::string> asked;  ///< mokutil --import: MokManager enrolls them at the next boot
  bool shim_change = false;     ///< mokutil --disable- or --enable-validation, until the next boot
  bool sriov = false;           ///< setup menu: room for virtual functions behind each GPU
  bool acs = false;             ///< setup menu: Access Control Services on every port
  EventId event = no_event;     ///< that changed the setup last

  /// Whether kernels see Secure Boot.
  bool enforces() const { return secure_boot && shim_validates; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive("secure_boot", secure_boot);
    archive("shim_validates", shim_validates);
    archive("mok", mok);
    archive("asked", asked);
    archive("shim_change", shim_change);
    archive("sriov", sriov);
    archive("acs", acs);
    archive("event", event);
  }
};

}  // namespace rocdrill::sim
