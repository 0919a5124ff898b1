#include "sim/host/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/host/files.hpp"

namespace rocdrill::sim {
namespace {

/// "10.20.0.7/24"
void add(std::vector<Interface>& list, const std::string& name, const std::string& address) {
  const std::size_t slash = address.find('/');
  Interface made{name, address.substr(0, slash)};
  if (slash != std::string::npos) made.prefix = std::atoi(address.c_str() + slash + 1);
  list.push_back(std::move(made));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<Interface> interfaces(const FileTree& files) {
  std::vector<Interface> list{{"lo", "127.0.0.1", 8}};
  std::string name;
  for (const std::string& line : lines_of(files.text("/etc/netplan/50-cloud-init.yaml"))) {
    const auto words = words_of(line);
    if (words.empty()) continue;
    if (words.size() == 1 && words[0].ends_with(':'))
      name = words[0].substr(0, words[0].size() - 1);
    if (words.size() == 2 && words[0] == "addresses:" && words[1].starts_with('['))
      add(list, name, words[1].substr(1, words[1].size() - 2));
  }
  for (const std::string& line : lines_of(files.text("/etc/network/interfaces"))) {
    const auto words = words_of(line);
    if (words.size() >= 2 && words[0] == "iface") name = words[1];
    if (words.size() == 2 && words[0] == "address") add(list, name, words[1]);
  }
  return list;
}

std::string host_address(std::string_view hostname) {
  unsigned sum = 0;
  for (const char c : hostname) sum = sum * 31 + static_cast<unsigned char>(c);
  return fmt::format("10.20.{}.{}", sum / 250 % 16, 2 + sum % 250);
}

}  // namespace rocdrill::sim
