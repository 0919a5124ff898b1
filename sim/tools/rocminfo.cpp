// rocminfo: the checks that it makes before hsa_init, and then what the runtime lists.
// Texts, colours and exit statuses: rocminfo.cc of ROCm 6.x; where 5.2.3 differs it says so.
#include <fcntl.h>

#include <algorithm>

#include "sim/tools/call.hpp"
#include "sim/tools/rocminfo_print.hpp"

namespace rocdrill::sim::tools {
namespace {

constexpr std::string_view red = "\x1B[31m", white = "\x1B[37m", reset = "\033[0m";

/// /sys/module/amdgpu: false if there is no live driver.
bool check_module(Call& call, int major) {
  Process& process = call.process();
  const auto state = process.read_file("/sys/module/amdgpu/initstate");
  if (!state) {
    if (major >= 6 && process.exists("/sys/module/amdgpu")) return true;  // built in
    call.event = state.error().event;
    call.print("{}ROCk module is NOT loaded, possibly no GPU devices{}\n", red, reset);
    return false;
  }
  if (state->find("live") == std::string::npos) {
    call.event = process.why("/sys/module/amdgpu");
    // 5.2.3 looks for the word "live" only.
    call.print("{}ROCk module is NOT {}, possibly no GPU devices{}\n", red,
               major >= 6 ? "live" : "loaded", reset);
    return false;
  }
  const auto version = process.read_file("/sys/module/amdgpu/version");
  if (version && major >= 6) {
    call.print("{}ROCk module version {} is loaded{}\n", white,
               version->substr(0, version->find('\n')), reset);
  } else {
    call.print("{}ROCk module is loaded{}\n", white, reset);
  }
  return true;
}

/// Why /dev/kfd cannot be opened, as far as the group database can tell. It looks a user up in the
/// database, not in the session.
void explain_groups(Call& call) {
  const FileTree& files = call.accounts();
  std::string name = "video";
  if (const auto stat = call.process().stat("/dev/kfd")) {
    const std::uint32_t gid = id_inside(call.spec.gid_map, stat->gid);
    if (const auto owner = find_group(files, gid)) name = owner->name;
  }
  // Before 6.0 it asks getlogin_r() who it is, and a container has no login.
  if (call.in_container() && call.rocm().major() < 6) {
    call.print("{}Failed to get user name to check for {} group membership{}\n", red, name, reset);
    return;
  }
  const auto group = find_group(files, name);
  if (!group) {
    call.print("{}Failed to get group info to check for {} group membership{}\n", red, name, reset);
    return;
  }
  const std::string& user = call.spec.identity.user;
  const auto known = login(files, user);
  if (!known) {
    call.print("{}Failed to find pwd entry for user {}{}\n", red, user, reset);
  } else if (known->in_group(group->gid)) {
    call.print("{}{} is member of {} group{}\n", white, user, name, reset);
  } else {
    call.print(
        "{0}{1} is not member of \"{2}\" group, the default DRM access group. Users must be a member of the "
        "\"{2}\" group or another DRM access group in order for ROCm applications to run successfully{3}.\n",
        red, user, name, reset);
  }
}

bool check_kfd(Call& call) {
  const auto fd = call.process().open("/dev/kfd", O_RDWR);
  if (fd) {
    static_cast<void>(call.process().close(*fd));
    return true;
  }
  call.event = fd.error().event;
  call.print("{}Unable to open /dev/kfd read-write: {}{}\n", red, errno_text(fd.error().error),
             reset);
  explain_groups(call);
  return false;
}

/// The path that the package's build left in __FILE__, and the line of hsa_init in it.
std::string_view source_line(int major) {
  return major >= 6
             ? "/long_pathname_so_that_rpms_can_package_the_debug_info/src/rocminfo/rocminfo.cc:1306"
             : "./rocminfo.cc:1148";
}

int run_rocminfo(Call& call) {
  const rocr::Installation rocm = call.rocm();
  if (!call.process().exists(rocm.prefix + "/bin/rocminfo")) {
    call.found = false;
    return 127;
  }
  if (!parse(call, {})) return 2;
  if (!call.args.empty()) return call.refuse("'" + call.args.front() + "'");
  if (!check_module(call, rocm.major()) || !check_kfd(call)) return 1;
  auto runtime = call.node.open_runtime(call.process());
  if (!runtime) {
    call.event = runtime.error().event;
    call.print("{0}hsa api call failure at: {1}\n{0}Call returned {2}\n{3}", red,
               source_line(rocm.major()), text(runtime.error().status), reset);
    return static_cast<int>(runtime.error().status) & 0xFF;
  }
  call.out += rocminfo_text(call.node, call.process(), **runtime);
  return 0;
}

constexpr Tool table[] = {
    {{"rocminfo", "rocminfo", "Lists the agents of the HSA runtime."}, run_rocminfo},
};

}  // namespace

std::span<const Tool> rocminfo_tools() { return table; }

}  // namespace rocdrill::sim::tools
