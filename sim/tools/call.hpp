// One command being run: what a tool gets, and how it answers.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/tools/tools.hpp"

namespace rocdrill::sim::tools {

class Call {
 public:
  Call(Node& in, std::string called, std::vector<std::string> arguments, ProcessSpec as,
       std::string standard_input)
      : node(in),
        name(std::move(called)),
        args(std::move(arguments)),
        spec(std::move(as)),
        input(std::move(standard_input)) {
    spec.command = name;
  }

  Node& node;
  std::string name;
  std::vector<std::string> args;  ///< without the name
  ProcessSpec spec;               ///< who runs it, in which view
  std::string input;              ///< standard input
  std::string out;
  std::string err;
  EventId event = no_event;  ///< behind a failure
  bool found = true;
  bool waits_for_ever = false;

  bool root() const { return spec.identity.uid == 0; }
  /// The words, joined.
  std::string line() const;
  /// The process that runs the command; made when first asked for.
  Process& process();
  bool in_container() const { return !spec.root.empty(); }
  /// passwd and group as this process reads them: the node's, or its image's.
  const FileTree& accounts();
  /// The ROCm of this process: the node's, or its image's.
  rocr::Installation rocm() { return node.rocm(process()); }
  /// The `command` event of a command that changes state: the cause of what it changes.
  EventId command_event();

  template <class... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    out += fmt::format(format, std::forward<T>(values)...);
  }
  template <class... T>
  void complain(fmt::format_string<T...> format, T&&... values) {
    err += fmt::format(format, std::forward<T>(values)...);
  }
  /// Prints to standard error and returns `code`.
  template <class... T>
  int fail(int code, fmt::format_string<T...> format, T&&... values) {
    complain(format, std::forward<T>(values)...);
    return code;
  }
  /// The command does not end by itself (CommandResult::waits_for_ever). Returns what timeout(1)
  /// makes of that.
  int wait_for_ever() {
    waits_for_ever = true;
    return 124;
  }
  /// Exit status 2: the real command can do `what`, this one cannot ("option '-x'").
  int refuse(std::string_view what);
  int refuse_option(std::string_view option) { return refuse(fmt::format("option '{}'", option)); }

  /// An absolute path: a relative one starts at the working directory, by default the user's home.
  std::string path(std::string_view word) const;

 private:
  std::unique_ptr<Process> process_;
  EventId command_event_ = no_event;
  std::unique_ptr<FileTree> accounts_;
};

/// An option that a tool understands: "-v" or "--verbose", and whether a value follows it.
struct Option {
  std::string_view name;
  bool takes_value = false;
  std::string_view means = {};  ///< canonical name if this is a synonym
};

class Options {
 public:
  bool has(std::string_view name) const { return value(name).has_value(); }
  /// The last value given; "" for an option without one.
  std::optional<std::string> value(std::string_view name) const;
  std::string value_or(std::string_view name, std::string_view fallback) const;
  /// Every value given, in order.
  std::vector<std::string> values(std::string_view name) const;
  std::vector<std::string> operands;

 private:
  friend std::optional<Options> parse(Call&, std::span<const Option>, bool);
  std::vector<std::pair<std::string, std::string>> given_;
};

/// Splits the arguments as getopt_long does (clusters "-rv", "-kVALUE", "--level=err", "--"). For
/// an option that is not listed it refuses and returns nothing: the tool then returns 2.
/// `in_order`: the first operand ends the options (sudo, env).
std::optional<Options> parse(Call& call, std::span<const Option> known, bool in_order = false);
inline std::optional<Options> parse(Call& call, std::initializer_list<Option> known,
                                    bool in_order = false) {
  return parse(call, std::span(known.begin(), known.size()), in_order);
}

struct Tool {
  ToolInfo info;
  int (*run)(Call&);  ///< returns the exit status
};

/// The table of every file of this folder, in one list.
std::vector<Tool> all_tools();
/// Runs the words as another command of the same node: for sudo, env.
CommandResult run_words(Node& node, std::vector<std::string> words, ProcessSpec spec,
                        std::string input);
/// The same in a container: the program is a file of its image.
CommandResult run_contained(Node& node, std::vector<std::string> words, ProcessSpec spec,
                            std::string input);

// The tables.
std::span<const Tool> boot_tools();
std::span<const Tool> collective_tools();
std::span<const Tool> dkms_tools();
std::span<const Tool> docker_tools();
std::span<const Tool> environment_tools();
std::span<const Tool> file_tools();
std::span<const Tool> identity_tools();
std::span<const Tool> kubectl_tools();
std::span<const Tool> list_tools();
std::span<const Tool> log_tools();
std::span<const Tool> module_tools();
std::span<const Tool> mount_tools();
std::span<const Tool> network_tools();
std::span<const Tool> package_tools();
std::span<const Tool> pci_tools();
std::span<const Tool> permission_tools();
std::span<const Tool> python_tools();
std::span<const Tool> refused_tools();
std::span<const Tool> rocm_tools();
std::span<const Tool> rocminfo_tools();
std::span<const Tool> process_tools();
std::span<const Tool> secure_boot_tools();
std::span<const Tool> session_tools();
std::span<const Tool> smi_tools();
std::span<const Tool> systemd_tools();
std::span<const Tool> text_tools();
std::span<const Tool> udev_tools();

/// Whether the VFS would let `who` do it (bits 4 read, 2 write, 1 execute).
bool permitted(const FileStat& stat, const Identity& who, unsigned bits);
/// Whether `who` may make, replace or remove names in the directory of `path`.
bool may_change_directory(const Node& node, const Identity& who, std::string_view path);

/// A device node, or what the kernel makes up: no file that a command may create or remove.
bool is_virtual(std::string_view path);

}  // namespace rocdrill::sim::tools
