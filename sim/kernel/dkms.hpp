// dkms: the out-of-tree amdgpu module, built for each kernel. All of its state is files, as on
// a real machine: /usr/src/amdgpu-<v>, /var/lib/dkms/amdgpu/<v>/..., /lib/modules/<k>/updates/dkms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/kernel/modules.hpp"

namespace rocdrill::kernel {

enum class DkmsState : std::uint8_t { absent, added, built, installed };

/// Class-wide modaliases that amdgpu claims: VGA, other display and processing accelerators.
const std::vector<std::string>& amdgpu_aliases();
/// Modules of the out-of-tree driver besides amdgpu itself; `amdgpu` depends on them.
const std::vector<std::string>& dkms_companions();

/// Where the key is that modules are signed with; its text is the owner's name for it.
inline constexpr std::string_view signing_key = "/var/lib/shim-signed/mok/MOK.der";

/// What the out-of-tree driver takes from the kernel, one symbol a line, and a kernel's
/// Module.symvers, which lists what it exports; `without` are left out. The last step of a build
/// (modpost) compares the two. A few symbols stand for the thousands of the real files.
std::string imports_text();
std::string symvers_text(const std::vector<std::string>& without);

class Dkms {
 public:
  explicit Dkms(Os& os) : os_(os) {}

  struct Outcome {
    int exit_code = 0;
    std::string output;
    EventId event = no_event;
  };

  /// Versions registered in /var/lib/dkms/amdgpu, oldest first.
  std::vector<std::string> versions() const;
  DkmsState state(const std::string& version, const std::string& kernel) const;
  /// `dkms status`: one line per version and kernel. Like every action it ends with an error if the
  /// source of any version is gone.
  Outcome status() const;

  Outcome add(const std::string& version, EventId cause);
  Outcome build(const std::string& version, const std::string& kernel, EventId cause);
  /// Builds first if need be; copies the modules to updates/dkms and runs depmod.
  Outcome install(const std::string& version, const std::string& kernel, EventId cause);
  Outcome uninstall(const std::string& version, const std::string& kernel, EventId cause);
  /// For every kernel: uninstalls it and forgets what was built; the source stays added.
  Outcome unbuild(const std::string& version, EventId cause);
  Outcome remove(const std::string& version, EventId cause);  ///< --all
  /// What the kernel's postinst hook runs: every version with AUTOINSTALL for one kernel.
  Outcome autoinstall(const std::string& kernel, EventId cause);

  /// The package hook of dkms and amdgpu-dkms (kernel images and headers, the driver itself).
  void on_package(const sim::Package& package, bool installed, EventId cause, std::string& output);

 private:
  std::string tree(const std::string& version) const;
  /// The first symbol that the headers' Module.symvers lacks; "" if none is missing.
  std::string missing_symbol(const std::string& version, const std::string& headers) const;
  Outcome bad_build(const std::string& version, const std::string& kernel,
                    const std::string& headers, const std::string& symbol, EventId cause);
  std::string text_of(const std::string& name, const std::string& version,
                      const std::string& kernel) const;
  /// dkms.conf of a version whose source is gone; "" if every tree is whole.
  std::string broken_tree() const;
  /// What every action ends with then.
  Outcome refuse_all(const std::string& conf, const std::string& version, const std::string& kernel,
                     EventId cause);
  bool autoinstall_enabled(const std::string& version) const;
  Outcome refuse(const std::string& version, const std::string& kernel, std::string text,
                 std::string_view asked, EventId cause, int exit_code,
                 std::string_view got = "ENOENT");
  Os& os_;
};

}  // namespace rocdrill::kernel
