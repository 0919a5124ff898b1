#include "sim/device_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/frameworks/torch.hpp"
#include "sim/node.hpp"
#include "stack/formats/offload_bundle.hpp"

namespace rocdrill::sim {
namespace {

constexpr std::string_view device_prefix = "hipv4-amdgcn-amd-amdhsa--";

std::span<const std::byte> as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string write(const std::vector<offload_bundle::Input>& inputs) {
  const auto bundle = offload_bundle::write(inputs);
  return {reinterpret_cast<const char*>(bundle.data()), bundle.size()};
}

std::string target_of(const std::string& id) {
  return id.starts_with(device_prefix) ? id.substr(device_prefix.size()) : std::string();
}

}  // namespace

std::vector<std::string> targets_in(const std::string& fat_binary) {
  std::vector<std::string> targets;
  if (const auto bundle = offload_bundle::read(as_bytes(fat_binary))) {
    for (const auto& entry : bundle->entries) {
      if (const std::string target = target_of(entry.id); !target.empty())
        targets.push_back(target);
    }
  }
  return targets;
}

std::string make_fat_binary(const NodeSpec& spec, const std::string& source,
                            const std::vector<std::string>& targets) {
  std::vector<offload_bundle::Input> inputs{{"host-x86_64-unknown-linux--", {}}};
  const auto known = spec.code_objects.find(source);
  for (const std::string& target : targets) {
    if (known == spec.code_objects.end() || !known->second.contains(target)) {
      throw std::runtime_error(fmt::format("node '{}': no code object of '{}' for {} was built",
                                           spec.id, source, target));
    }
    inputs.push_back({std::string(device_prefix) + target, as_bytes(known->second.at(target))});
  }
  return write(inputs);
}

void release(Node& node, const AppSpec& app, const std::string& source, EventId cause) {
  Journal& journal = node.os.journal;
  const EventId changed =
      journal.record(Layer::code_objects, Severity::info, "source.changed", source, {}, cause);
  const std::string targets = fmt::format("{}", fmt::join(app.targets, " "));
  const EventId built =
      journal.record(Layer::code_objects, Severity::info, "fat_binary.rebuilt", app.path,
                     {{"targets", std::string_view(targets)}, {field::see, "roc-obj-ls"}}, changed);
  node.os.files.write(app.path, make_fat_binary(node.spec(), source, app.targets), built,
                      {.mode = 0755});
}

std::string without_targets(const std::string& fat_binary, const std::vector<std::string>& drop) {
  const auto bundle = offload_bundle::read(as_bytes(fat_binary));
  if (!bundle) return fat_binary;
  std::vector<offload_bundle::Input> inputs;
  for (const auto& entry : bundle->entries) {
    if (std::ranges::find(drop, target_of(entry.id)) != drop.end()) continue;
    inputs.push_back({entry.id, offload_bundle::contents(as_bytes(fat_binary), entry)});
  }
  return write(inputs);
}

std::string torch_fat_binary(const NodeSpec& spec) {
  return spec.torch.directory + "/" + std::string(frameworks::torch_device_code);
}

std::string rccl_library(const NodeSpec& spec) { return spec.rocm.prefix + "/lib/librccl.so.1"; }

std::string torch_rccl_library(const NodeSpec& spec) {
  return spec.torch.directory + "/lib/librccl.so";
}

std::vector<std::string> programs_of(const NodeSpec& spec) {
  std::vector<std::string> programs;
  if (!spec.torch.version.empty()) programs.push_back(torch_fat_binary(spec));
  for (const AppSpec& app : spec.apps) programs.push_back(app.path);
  return programs;
}

}  // namespace rocdrill::sim
