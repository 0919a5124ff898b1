// mokutil. Texts: mokutil 0.6. Passwords are not modelled: whoever is asked for one knows it.
#include <algorithm>

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

/// The name in a certificate file; nothing if it is none.
std::optional<std::string> key_in(Call& call, const std::string& word) {
  const auto text = call.process().read_file(call.path(word));
  if (!text) {
    call.complain("Failed to open {}\n", word);
    return std::nullopt;
  }
  const std::string name = text->substr(0, text->find('\n'));
  if (name.ends_with(" key")) return name;
  call.complain("Abort!!! {} is not a valid x509 certificate in DER format\n", word);
  return std::nullopt;
}

int show_state(Call& call) {
  const Uefi& uefi = call.node.os.uefi;
  call.print("SecureBoot {}\n", uefi.secure_boot ? "enabled" : "disabled");
  if (uefi.secure_boot && !uefi.shim_validates)
    call.print("SecureBoot validation is disabled in shim\n");
  return 0;
}

int list(Call& call, const std::set<std::string>& keys, std::string_view what) {
  if (keys.empty()) call.print("{} is empty\n", what);
  std::size_t number = 0;
  for (const std::string& name : keys) {
    call.print("{}[key {}]\nIssuer: CN={}\nSubject: CN={}\n", number == 0 ? "" : "\n", number + 1,
               name, name);
    ++number;
  }
  return 0;
}

int import(Call& call, const std::string& word) {
  Uefi& uefi = call.node.os.uefi;
  const auto name = key_in(call, word);
  if (!name) return 255;
  if (uefi.mok.contains(*name) || uefi.asked.contains(*name)) {
    call.print("SKIP: {} is already {}\n", word,
               uefi.mok.contains(*name) ? "enrolled" : "in the enrollment request");
    return 0;
  }
  call.command_event();
  call.print("input password: \ninput password again: \n");
  uefi.asked.insert(*name);
  return 0;
}

int test_key(Call& call, const std::string& word) {
  const auto name = key_in(call, word);
  if (!name) return 255;
  const bool enrolled = call.node.os.uefi.mok.contains(*name);
  call.print("{} is {}enrolled\n", word, enrolled ? "already " : "not ");
  return enrolled ? 1 : 0;
}

/// Asked for now, done by MokManager at the next boot.
int validation(Call& call, bool on) {
  Uefi& uefi = call.node.os.uefi;
  call.command_event();
  call.print("password length: 8~16\ninput password: \ninput password again: \n");
  uefi.shim_change = uefi.shim_validates != on;
  return 0;
}

int run_mokutil(Call& call) {
  const auto options = parse(call, {{"--sb-state"},
                                    {"--list-enrolled"},
                                    {"-l", false, "--list-enrolled"},
                                    {"--list-new"},
                                    {"-N", false, "--list-new"},
                                    {"--import", true},
                                    {"-i", true, "--import"},
                                    {"--test-key", true},
                                    {"-t", true, "--test-key"},
                                    {"--disable-validation"},
                                    {"--enable-validation"}});
  if (!options) return 2;
  const Uefi& uefi = call.node.os.uefi;
  if (options->has("--sb-state")) return show_state(call);
  if (options->has("--list-enrolled")) return list(call, uefi.mok, "MokListRT");
  if (options->has("--list-new")) return list(call, uefi.asked, "MokNew");
  if (const auto file = options->value("--test-key")) return test_key(call, *file);
  const auto file = options->value("--import");
  if (!file && !options->has("--disable-validation") && !options->has("--enable-validation"))
    return call.fail(255, "Usage:\n  mokutil OPTIONS [ARGS...]\n");
  if (!call.root()) return call.fail(255, "This command must be run as root\n");
  if (file) return import(call, *file);
  return validation(call, options->has("--enable-validation"));
}

constexpr Tool table[] = {
    {{"mokutil",
      "mokutil --sb-state | --list-enrolled | --list-new | --test-key FILE | --import FILE | "
      "--disable-validation | --enable-validation",
      "Shows Secure Boot and its owner's keys; what it asks for happens at the next boot.", true,
      true},
     run_mokutil},
};

}  // namespace

std::span<const Tool> secure_boot_tools() { return table; }

}  // namespace rocdrill::sim::tools
