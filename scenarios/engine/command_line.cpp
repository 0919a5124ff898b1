#include "scenarios/engine/command_line.hpp"

#include <fmt/format.h>

#include "scenarios/engine/diagnostic.hpp"

namespace rocdrill::scenarios {
namespace {

class Splitter {
 public:
  explicit Splitter(std::string_view line) : line_(line) {}

  std::expected<std::vector<std::string>, CommandError> run() {
    while (at_ < line_.size() && ok()) {
      switch (const char c = line_[at_]; c) {
        case ' ':
        case '\t':
          end_word();
          ++at_;
          break;
        case '\'':
          single_quoted();
          break;
        case '"':
          double_quoted();
          break;
        case '\\':
          escaped();
          break;
        case '$':
          reference();
          break;
        default:
          ordinary(c);
          break;
      }
    }
    if (ok()) end_word();
    if (ok() && words_.empty()) fail(0, "the command is empty");
    if (!ok()) return std::unexpected(error_);
    return std::move(words_);
  }

 private:
  bool ok() const { return error_.message.empty(); }

  void fail(std::size_t offset, std::string message, std::string hint = {}) {
    error_ = {offset, std::move(message), std::move(hint)};
  }

  void add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  void single_quoted() {
    const std::size_t end = line_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return fail(at_, "this quote is not closed");
    word_ += line_.substr(at_ + 1, end - at_ - 1);
    in_word_ = true;
    at_ = end + 1;
  }

  void double_quoted() {
    const std::size_t start = at_++;
    in_word_ = true;
    while (at_ < line_.size() && line_[at_] != '"' && ok()) {
      if (line_[at_] == '$') {
        reference();
      } else if (line_[at_] == '`') {
        return fail(at_, "command substitution is not possible here");
      } else {
        // Within double quotes a backslash protects these four only.
        const bool protects =
            line_[at_] == '\\' && at_ + 1 < line_.size() &&
            std::string_view("\"\\$`").find(line_[at_ + 1]) != std::string_view::npos;
        if (protects) ++at_;
        add(line_[at_++]);
      }
    }
    if (ok() && at_ >= line_.size()) return fail(start, "this quote is not closed");
    ++at_;
  }

  void escaped() {
    if (at_ + 1 >= line_.size()) return fail(at_, "a backslash at the end protects nothing");
    add(line_[at_ + 1]);
    at_ += 2;
  }

  /// `${name}`, or `$${` for a literal `${`: left to the drill's variables.
  void reference() {
    const std::string_view rest = line_.substr(at_);
    const std::size_t dollars = rest.starts_with("$${") ? 2 : rest.starts_with("${") ? 1 : 0;
    const std::size_t end = rest.find('}');
    if (dollars == 0 || end == std::string_view::npos) {
      return fail(at_, "'$' needs a shell, which the node does not use here",
                  "write ${name} for a variable of the drill, or put the '$' in single quotes");
    }
    word_ += rest.substr(0, end + 1);
    in_word_ = true;
    at_ += end + 1;
  }

  void ordinary(char c) {
    if (c == '\n' || c == '\r') {
      return fail(at_, "a command must stand in one line", "write one list item per command");
    }
    const bool starts_word = !in_word_;
    const bool special = std::string_view("|&;<>()`*?[").find(c) != std::string_view::npos;
    if (special || (starts_word && (c == '#' || c == '~'))) {
      return fail(at_, fmt::format("'{}' needs a shell, which the node does not use here", c),
                  "write plain commands, one per list item; put a literal character in quotes");
    }
    add(c);
    ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::string word_;
  bool in_word_ = false;
  std::vector<std::string> words_;
  CommandError error_;
};

}  // namespace

std::expected<std::vector<std::string>, CommandError> split_command(std::string_view line) {
  return Splitter(line).run();
}

}  // namespace rocdrill::scenarios
