#include "sim/tools/call.hpp"

#include <algorithm>

namespace rocdrill::sim::tools {

std::string Call::line() const {
  std::string text = name;
  for (const std::string& word : args) text += " " + word;
  return text;
}

Process& Call::process() {
  if (!process_) process_ = node.access.spawn(spec);
  return *process_;
}

const FileTree& Call::accounts() {
  if (!in_container()) return node.os.files;
  if (!accounts_) {
    accounts_ = std::make_unique<FileTree>();
    for (const char* file : {"/etc/passwd", "/etc/group"})
      accounts_->write(file, process().read_file(file).value_or(""), no_event);
  }
  return *accounts_;
}

EventId Call::command_event() {
  if (command_event_ == no_event) {
    const std::string user = spec.identity.user;
    command_event_ = node.os.journal.record(Layer::host, Severity::info, "command", line(),
                                            {{"user", std::string_view(user)}}, no_event);
  }
  return command_event_;
}

int Call::refuse(std::string_view what) {
  complain("{}: {} is not modelled by rocdrill\n", name, what);
  event = node.os.journal.unmodelled(Layer::host, fmt::format("{}: {}", name, what),
                                     "exit status 2", no_event);
  return 2;
}

std::string Call::path(std::string_view word) const {
  if (word.starts_with('/')) return std::string(word);
  if (!spec.cwd.empty()) return join(spec.cwd, word);
  if (in_container()) return join("/", word);
  const auto user = find_user(node.os.files, spec.identity.uid);
  return join(user ? user->home : "/", word);
}

std::optional<std::string> Options::value(std::string_view name) const {
  for (auto at = given_.rbegin(); at != given_.rend(); ++at) {
    if (at->first == name) return at->second;
  }
  return std::nullopt;
}

std::vector<std::string> Options::values(std::string_view name) const {
  std::vector<std::string> list;
  for (const auto& [given, value] : given_) {
    if (given == name) list.push_back(value);
  }
  return list;
}

std::string Options::value_or(std::string_view name, std::string_view fallback) const {
  return value(name).value_or(std::string(fallback));
}

namespace {

const Option* find_option(std::span<const Option> known, std::string_view name) {
  const auto at = std::ranges::find(known, name, &Option::name);
  return at == known.end() ? nullptr : &*at;
}

/// Where the parser stands: the words, and what it found so far.
struct Parser {
  Call& call;
  std::span<const Option> known;
  std::size_t at = 0;
  std::vector<std::pair<std::string, std::string>> given = {};

  bool add(const Option& option, std::optional<std::string> value) {
    if (option.takes_value && !value) {
      if (++at >= call.args.size()) {
        call.complain("{}: option requires an argument -- '{}'\n", call.name, option.name);
        return false;
      }
      value = call.args[at];
    }
    given.emplace_back(option.means.empty() ? option.name : option.means, value.value_or(""));
    return true;
  }

  bool long_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const Option* option = find_option(known, name);
    if (!option || (equals != std::string::npos && !option->takes_value)) {
      call.refuse_option(name);
      return false;
    }
    if (equals == std::string::npos) return add(*option, std::nullopt);
    return add(*option, word.substr(equals + 1));
  }

  /// "-k VALUE", "-kVALUE", "-rnv"; tools with long options behind one dash ("-ver") list those.
  bool short_options(const std::string& word) {
    if (const Option* whole = find_option(known, word)) return add(*whole, std::nullopt);
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name = std::string("-") + word[i];
      const Option* option = find_option(known, name);
      if (!option) {
        call.refuse_option(name);
        return false;
      }
      if (option->takes_value && i + 1 < word.size()) return add(*option, word.substr(i + 1));
      if (!add(*option, std::nullopt)) return false;
    }
    return true;
  }
};

}  // namespace

std::optional<Options> parse(Call& call, std::span<const Option> known, bool in_order) {
  Options options;
  Parser parser{call, known};
  for (; parser.at < call.args.size(); ++parser.at) {
    const std::string& word = call.args[parser.at];
    if (word == "--") {
      ++parser.at;
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      if (in_order) break;
      options.operands.push_back(word);
    } else if (!(word.starts_with("--") ? parser.long_option(word) : parser.short_options(word))) {
      return std::nullopt;
    }
  }
  for (; parser.at < call.args.size(); ++parser.at)
    options.operands.push_back(call.args[parser.at]);
  options.given_ = std::move(parser.given);
  return options;
}

bool permitted(const FileStat& stat, const Identity& who, unsigned bits) {
  if (who.uid == 0) return true;
  const unsigned shift = who.uid == stat.uid ? 6 : who.in_group(stat.gid) ? 3 : 0;
  return (stat.mode >> shift & bits) == bits;
}

bool may_change_directory(const Node& node, const Identity& who, std::string_view path) {
  const auto above = node.os.files.stat(parent(path));
  return above ? permitted(*above, who, 3) : who.uid == 0;
}

bool is_virtual(std::string_view path) {
  for (const std::string_view prefix : {"/dev", "/proc", "/sys"}) {
    if (path == prefix || (path.starts_with(prefix) && path[prefix.size()] == '/')) return true;
  }
  return false;
}

}  // namespace rocdrill::sim::tools
