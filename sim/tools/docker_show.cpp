// docker ps, images, inspect.
#include <algorithm>

#include "sim/tools/docker.hpp"

namespace rocdrill::sim::tools {
namespace {

using containers::Container;
using containers::State;
using Row = std::vector<std::string>;

/// Columns as Go's tabwriter sets them: three blanks apart.
void print_table(Call& call, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i + 1 < row.size() ? fmt::format("{:<{}}", row[i], widths[i] + 3) : row[i];
    call.print("{}\n", line);
  }
}

std::string status(const Container& container) {
  if (container.state == State::created) return "Created";
  return container.state == State::running ? "Up" : fmt::format("Exited ({})", container.exit_code);
}

std::string command_text(const Container& container) {
  std::string text = fmt::format("{}", fmt::join(container.command, " "));
  if (text.size() > 19) text = text.substr(0, 18) + "…";
  return "\"" + text + "\"";
}

std::string size_text(std::uint64_t bytes) {
  return bytes >= 1'000'000'000 ? fmt::format("{:.3g}GB", static_cast<double>(bytes) / 1e9)
                                : fmt::format("{:.3g}MB", static_cast<double>(bytes) / 1e6);
}

/// What Go's templates print of a value.
std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& item : value) parts.push_back(plain(item));
    return fmt::format("[{}]", fmt::join(parts, " "));
  }
  if (value.is_object()) {
    std::vector<std::string> parts;
    for (const auto& [key, item] : value.items()) parts.push_back(key + ":" + plain(item));
    return fmt::format("map[{}]", fmt::join(parts, " "));
  }
  return value.is_null() ? "<no value>" : value.dump();
}

/// "{{.HostConfig.Devices}}", "{{json .State}}"; nothing for any other template.
std::optional<std::string> filled(const std::string& form, const Json& json) {
  std::string text = form;
  if (!text.starts_with("{{") || !text.ends_with("}}")) return std::nullopt;
  auto words = words_of(text.substr(2, text.size() - 4));
  const bool as_json = words.size() == 2 && words[0] == "json";
  if (as_json) words.erase(words.begin());
  if (words.size() != 1 || !words[0].starts_with('.')) return std::nullopt;
  const Json* at = &json;
  std::string path = words[0].substr(1);
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const auto next = at->find(path.substr(0, dot));
    if (!at->is_object() || next == at->end()) return std::nullopt;
    at = &*next;
    path.erase(0, dot + 1);
  }
  return as_json ? at->dump() : plain(*at);
}

/// Without what rocdrill keeps for itself.
Json shown(const Container& container) {
  Json json = to_json(container);
  json["State"].erase("Boot");
  json.erase("Log");
  json.erase("Process");
  return json;
}

}  // namespace

int docker_ps(DockerCall& docker) {
  Call& call = docker.call;
  const auto options =
      parse(call, {{"-a"}, {"--all", false, "-a"}, {"-q"}, {"--quiet", false, "-q"}});
  if (!options) return 2;
  auto list = docker.engine.containers();
  std::ranges::reverse(list);
  std::vector<Row> rows{{"CONTAINER ID", "IMAGE", "COMMAND", "STATUS", "NAMES"}};
  for (const Container& each : list) {
    if (each.state != State::running && !options->has("-a")) continue;
    if (options->has("-q")) call.print("{}\n", each.short_id());
    rows.push_back({each.short_id(), each.image, command_text(each), status(each), each.name});
  }
  if (!options->has("-q")) print_table(call, rows);
  return 0;
}

int docker_images(DockerCall& docker) {
  const auto options = parse(docker.call, {});
  if (!options) return 2;
  std::vector<Row> rows{{"REPOSITORY", "TAG", "IMAGE ID", "SIZE"}};
  for (const containers::Image& image : docker.engine.images()) {
    const std::size_t colon = image.name.rfind(':');
    rows.push_back({image.name.substr(0, colon), image.name.substr(colon + 1),
                    image.id.substr(0, 12), size_text(image.bytes)});
  }
  print_table(docker.call, rows);
  return 0;
}

int docker_inspect(DockerCall& docker) {
  Call& call = docker.call;
  const auto options = parse(call, {{"-f", true}, {"--format", true, "-f"}});
  if (!options) return 2;
  if (options->operands.empty())
    return call.fail(
        1, "\"docker inspect\" requires at least 1 argument.\nSee 'docker inspect --help'.\n");
  Json list = Json::array();
  int code = 0;
  for (const std::string& name : options->operands) {
    const auto container = docker.engine.find(name);
    if (!container) {
      call.complain("Error: No such object: {}\n", name);
      code = 1;
      continue;
    }
    list.push_back(shown(*container));
  }
  const auto form = options->value("-f");
  if (!form) {
    call.print("{}\n", list.dump(4));
    return code;
  }
  for (const Json& each : list) {
    const auto text = filled(*form, each);
    if (!text) return call.refuse("the template '" + *form + "'");
    call.print("{}\n", *text);
  }
  return code;
}

}  // namespace rocdrill::sim::tools
