#include "sim/cluster/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rocdrill::cluster {
namespace {

using sim::Json;

Json read_store(const sim::Os& os) { return Json::parse(os.files.text(store), nullptr, false); }

std::map<std::string, std::string> labels_in(const Json& json) {
  return json.at("labels").get<std::map<std::string, std::string>>();
}

std::vector<PodSpec> pods_in(const Json& json) {
  std::vector<PodSpec> pods;
  for (const Json& pod : json.at("pods")) {
    pods.push_back({pod.at("name"), pod.at("image"),
                    pod.at("command").get<std::vector<std::string>>(), pod.at("gpus")});
  }
  return pods;
}

}  // namespace

std::optional<Cluster> Cluster::of(sim::Os& os) {
  const Json json = read_store(os);
  if (!json.is_object()) return std::nullopt;
  Cluster cluster;
  cluster.labels_ = labels_in(json);
  const auto selected = cluster.labels_.find(gpu_label);
  cluster.has_plugin_ = selected != cluster.labels_.end() && selected->second == "true";
  if (cluster.has_plugin_) {
    cluster.plugin_ = run_device_plugin(os);
    for (const auto& [key, value] : node_labels(os)) cluster.labels_[key] = value;
  }
  cluster.labels_["kubernetes.io/hostname"] = os.hostname;
  cluster.labels_["kubernetes.io/os"] = "linux";
  cluster.schedule(os, pods_in(json));
  return cluster;
}

/// Pods get GPUs in the order in which they were made. The words are those of kube-scheduler.
void Cluster::schedule(sim::Os& os, const std::vector<PodSpec>& specs) {
  std::size_t next = 0;
  for (const PodSpec& spec : specs) {
    Pod pod;
    pod.spec = spec;
    if (spec.gpus == 0 || (capacity() && plugin_.gpus.size() - next >= spec.gpus)) {
      pod.running = true;
      for (std::uint32_t i = 0; i < spec.gpus; ++i) pod.gpus.push_back(plugin_.gpus[next++]);
    } else {
      pod.message = fmt::format(
          "0/1 nodes are available: 1 Insufficient {}. preemption: 0/1 nodes are available: 1 No "
          "preemption victims found for incoming pod.",
          resource);
      pod.event = has_plugin_ ? plugin_.event : os.files.why(store);
    }
    pods_.push_back(std::move(pod));
  }
}

std::optional<std::size_t> Cluster::capacity() const {
  if (!has_plugin_ || !plugin_.registered) return std::nullopt;
  return plugin_.gpus.size();
}

std::size_t Cluster::requested() const {
  std::size_t sum = 0;
  for (const Pod& pod : pods_) sum += pod.gpus.size();
  return sum;
}

const Pod* Cluster::find(const std::string& name) const {
  const auto at = std::ranges::find(pods_, name,
                                    [](const Pod& pod) { return std::string_view(pod.spec.name); });
  return at == pods_.end() ? nullptr : &*at;
}

void Cluster::write(sim::Os& os, const std::map<std::string, std::string>& labels,
                    const std::vector<PodSpec>& pods, EventId event) {
  Json list = Json::array();
  for (const PodSpec& pod : pods) {
    list.push_back(
        {{"name", pod.name}, {"image", pod.image}, {"command", pod.command}, {"gpus", pod.gpus}});
  }
  os.files.write(store, Json{{"labels", labels}, {"pods", list}}.dump(2) + "\n", event,
                 {.mode = 0600});
}

EventId Cluster::set_label(sim::Os& os, const std::string& key, const std::string& value,
                           EventId cause) {
  const Json json = read_store(os);
  auto labels = labels_in(json);
  if (value.empty())
    labels.erase(key);
  else
    labels[key] = value;
  const std::string subject = value.empty() ? key + "-" : key + "=" + value;
  const EventId event = os.journal.record(Layer::host, Severity::info, "node.labelled", subject,
                                          {{field::see, "kubectl get nodes --show-labels"}}, cause);
  write(os, labels, pods_in(json), event);
  return event;
}

containers::Options Cluster::options_of(const Pod& pod) {
  containers::Options options;
  if (!pod.gpus.empty()) options.devices.push_back({"/dev/kfd", "/dev/kfd", "rw"});
  for (const OfferedGpu& gpu : pod.gpus) {
    for (const std::string& node : {gpu.card, gpu.render}) {
      if (!node.empty()) options.devices.push_back({node, node, "rw"});
    }
  }
  options.binds = {{"/srv/job", "/srv/job"}};
  return options;
}

}  // namespace rocdrill::cluster
