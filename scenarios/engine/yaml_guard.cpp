#include "scenarios/engine/yaml_guard.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <string_view>

namespace rocdrill::scenarios {
namespace {

using YAML::anchor_t;
using YAML::Mark;

/// Whether the quoted scalar at `at` ends; true if there is none. yaml-cpp lets the end of the file
/// close a quote.
bool is_closed(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return true;
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text[at] == quote) {
      if (quote == '"' || at + 1 >= text.size() || text[at + 1] != quote) return true;
      ++at;
    }
  }
  return false;
}

/// Thrown out of the parser where going on would be pointless or dangerous.
struct GiveUp {};

class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Problems& problems) : problems_(problems) {}

  bool has_root() const { return has_root_; }
  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const Mark& mark) override {
    if (++documents_ == 1) return;
    problems_.add(offset(mark), "a second YAML document starts here",
                  "one file holds one: check the indentation, or remove the '---' before it");
    throw GiveUp{};
  }
  void OnDocumentEnd() override {}

  void OnNull(const Mark& mark, anchor_t) override {
    YamlNode node;
    node.offset = offset(mark);
    put(std::move(node));
  }

  void OnAlias(const Mark& mark, anchor_t) override {
    problems_.add(offset(mark), "YAML aliases (*name) are not allowed", "write the value out");
    OnNull(mark, 0);
  }

  void OnAnchor(const Mark& mark, const std::string& name) override {
    problems_.add(offset(mark),
                  fmt::format("YAML anchors are not allowed: {}", in_quotes("&" + name)),
                  "remove the anchor; write the value out where it is used");
  }

  void OnScalar(const Mark& mark, const std::string& tag, anchor_t,
                const std::string& value) override {
    refuse_tag(mark, tag);
    YamlNode node;
    node.kind = YamlNode::Kind::scalar;
    node.text = value;
    node.plain = tag == "?";
    node.offset = offset(mark);
    if (!node.plain && !is_closed(problems_.source().text(), node.offset)) {
      problems_.add(node.offset, "this quote is not closed");
    }
    put(std::move(node));
  }

  void OnSequenceStart(const Mark& mark, const std::string& tag, anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const Mark& mark, const std::string& tag, anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, YamlNode::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    YamlNode node;
    bool expects_value = false;
    std::map<std::string, std::size_t, std::less<>> seen;  ///< keys of a map
  };

  static std::size_t offset(const Mark& mark) {
    return mark.pos < 0 ? 0 : static_cast<std::size_t>(mark.pos);
  }

  void refuse_tag(const Mark& mark, std::string tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    constexpr std::string_view standard = "tag:yaml.org,2002:";
    if (tag.starts_with(standard)) tag.replace(0, standard.size(), "!!");
    problems_.add(offset(mark), fmt::format("YAML tags are not allowed: {}", in_quotes(tag)),
                  "remove the tag; put text in quotes");
  }

  void open(const Mark& mark, const std::string& tag, YamlNode::Kind kind) {
    refuse_tag(mark, tag);
    if (open_.size() == max_yaml_depth) {
      problems_.add(offset(mark),
                    fmt::format("lists and maps are nested deeper than {}", max_yaml_depth));
      throw GiveUp{};
    }
    Open opened;
    opened.node.kind = kind;
    opened.node.offset = offset(mark);
    open_.push_back(std::move(opened));
  }

  void close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    put(std::move(node));
  }

  void put(YamlNode node) {
    if (++nodes_ > max_yaml_nodes) {
      problems_.add(node.offset, fmt::format("more than {} values in one file", max_yaml_nodes));
      throw GiveUp{};
    }
    if (open_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::map && !parent.expects_value) {
      put_key(parent, node);
      return;
    }
    parent.expects_value = false;
    if (node.kind == YamlNode::Kind::null) {
      // yaml-cpp marks an empty value where the next thing starts.
      node.offset = parent.node.keys.empty() ? parent.node.offset : parent.node.keys.back().offset;
    }
    parent.node.items.push_back(std::move(node));
  }

  void put_key(Open& map, const YamlNode& key) {
    map.expects_value = true;
    map.node.keys.push_back({key.text, key.offset});
    if (key.kind != YamlNode::Kind::scalar) {
      problems_.add(key.offset, "a key must be text");
      return;
    }
    const auto [first, is_new] = map.seen.emplace(key.text, key.offset);
    if (is_new) return;
    problems_.add(key.offset, fmt::format("duplicate key {}", in_quotes(key.text)),
                  fmt::format("it is already set in line {}; keep one of the two",
                              problems_.source().mark(first->second).line));
  }

  Problems& problems_;
  YamlNode root_;
  bool has_root_ = false;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::vector<Open> open_;
};

/// What usually is behind a message of yaml-cpp.
std::string hint_for(std::string_view message) {
  constexpr std::pair<std::string_view, std::string_view> hints[] = {
      {"illegal map value", "put a value that contains ': ' in quotes"},
      {"end of map not found", "check the indentation of this line and of those above it"},
      {"end of sequence not found", "check the indentation of this line and of those above it"},
      {"end of map flow not found", "a '{' is not closed"},
      {"end of sequence flow not found", "a '[' is not closed"},
      {"illegal EOF in scalar", "a quote is not closed"},
      {"unknown token", "put a value that starts with this character in quotes"},
      {"the referenced anchor is not defined", "put text that starts with '*' in quotes"},
      {"unknown escape character", "use single quotes, in which '\\' is an ordinary character"},
  };
  for (const auto& [part, hint] : hints) {
    if (message.find(part) != std::string_view::npos) return std::string(hint);
  }
  return {};
}

/// Whether the line that holds `offset` is indented with a tab.
bool has_tab_indent(const Source& source, std::size_t offset) {
  const std::string& text = source.text();
  const std::size_t before = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  std::size_t at = before == std::string::npos ? 0 : before + 1;
  while (at < text.size() && text[at] == ' ') ++at;
  return at < text.size() && text[at] == '\t';
}

bool refuse_bytes(const Source& source, Problems& problems) {
  const std::string_view text = source.text();
  if (text.size() > max_file_bytes) {
    problems.add(0, "the file is larger than 1 MiB");
  } else if (text.starts_with("\xef\xbb\xbf")) {
    problems.add(0, "the file starts with a byte order mark (BOM)", "save it as UTF-8 without BOM");
  } else if (const auto bad = find_bad_byte(text)) {
    const auto byte = static_cast<unsigned char>(text[*bad]);
    if (byte < 0x80) {
      problems.add(*bad, fmt::format("control character 0x{:02x} is not allowed", byte));
    } else {
      problems.add(*bad, fmt::format("byte 0x{:02x} is not UTF-8", byte), "save the file as UTF-8");
    }
  } else {
    return false;
  }
  return true;
}

void run_parser(const Source& source, TreeBuilder& builder, Problems& problems) {
  try {
    std::istringstream in(source.text());
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const GiveUp&) {  // NOLINT(bugprone-empty-catch): what is wrong has been added
  } catch (const YAML::Exception& error) {
    const std::size_t at = error.mark.pos < 0 ? 0 : static_cast<std::size_t>(error.mark.pos);
    const bool tab = error.msg.find("illegal tab") != std::string::npos;
    problems.add(at, "not valid YAML: " + error.msg,
                 tab || has_tab_indent(source, at) ? "this line is indented with a tab: use spaces"
                                                   : hint_for(error.msg));
  } catch (const std::exception& error) {
    problems.add(0, fmt::format("cannot parse the file: {}", error.what()));
  }
}

/// One step of offset_inside: moves `at` behind what stands for `value` in the file.
bool step(std::string_view file, std::size_t& at, char value, char style) {
  const bool blank = value == ' ' || value == '\n';
  for (; at < file.size(); ++at) {
    if (style == '"' && file[at] == '\\' && at + 1 < file.size()) {
      at += 2;  // an escape; its value is not compared
      return true;
    }
    const bool folded = blank && (file[at] == ' ' || file[at] == '\n');
    if (file[at] == value || folded) {
      at += style == '\'' && value == '\'' ? 2 : 1;
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<YamlNode> parse_yaml(const Source& source, Problems& problems) {
  if (refuse_bytes(source, problems)) return std::nullopt;
  TreeBuilder builder(problems);
  run_parser(source, builder, problems);
  if (!builder.has_root()) {
    if (problems.empty()) problems.add(0, "the file is empty");
    return std::nullopt;
  }
  return builder.take();
}

std::size_t offset_inside(const Source& source, const YamlNode& scalar, std::size_t index) {
  const std::string_view file = source.text();
  if (scalar.offset >= file.size()) return scalar.offset;
  std::size_t at = scalar.offset;
  const char style = scalar.plain ? '\0' : file[at];
  if (style == '"' || style == '\'') ++at;
  if (style == '|' || style == '>') {
    at = file.find('\n', at);
    if (at == std::string_view::npos) return scalar.offset;
    ++at;
  }
  for (std::size_t i = 0; i < index && i < scalar.text.size(); ++i) {
    if (!step(file, at, scalar.text[i], style)) return scalar.offset;
  }
  // The next character may be behind a line break and its indentation.
  std::size_t next = at;
  if (index < scalar.text.size() && step(file, next, scalar.text[index], style)) {
    const bool escape = style == '"' && file[next - 2] == '\\';
    return next - (escape || (style == '\'' && scalar.text[index] == '\'') ? 2 : 1);
  }
  return at;
}

}  // namespace rocdrill::scenarios
