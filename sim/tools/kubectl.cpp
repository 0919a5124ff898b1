// kubectl over sim/cluster: get, describe, logs, label, exec. Formats: kubectl 1.30. Ages are not
// modelled and printed as "<unknown>", which is what kubectl prints for an object without a time.
#include <algorithm>

#include "sim/cluster/cluster.hpp"
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

using cluster::Cluster;
using cluster::Pod;

constexpr std::string_view age = "<unknown>";
constexpr std::string_view kubelet = "v1.30.4";

struct Kubectl {
  Call& call;
  Cluster cluster;
  std::string space;  ///< -n
  bool all_spaces = false;
  std::string form;  ///< -o

  const std::string& node() const { return call.node.os.hostname; }
};

/// The operator's pods, and the user's.
std::vector<Pod> pods_of(const Kubectl& kubectl) {
  std::vector<Pod> list;
  if (kubectl.cluster.has_plugin()) {
    for (const char* name : {"default-device-plugin-x7k2p", "default-metrics-exporter-q9d4w",
                             "default-node-labeller-m5t8z"}) {
      Pod pod;
      pod.spec.name = name;
      pod.space = cluster::operator_namespace;
      pod.running = true;
      list.push_back(std::move(pod));
    }
  }
  for (const Pod& pod : kubectl.cluster.pods()) list.push_back(pod);
  std::erase_if(list,
                [&](const Pod& pod) { return !kubectl.all_spaces && pod.space != kubectl.space; });
  return list;
}

std::string labels_text(const Kubectl& kubectl, std::string_view between) {
  std::vector<std::string> words;
  for (const auto& [key, value] : kubectl.cluster.labels()) words.push_back(key + "=" + value);
  return fmt::format("{}", fmt::join(words, between));
}

Json node_json(const Kubectl& kubectl) {
  Json amounts{{"cpu", std::to_string(kubectl.call.node.spec().cpu_sockets *
                                      kubectl.call.node.spec().cpu_cores_per_socket)},
               {"memory", fmt::format("{}Ki", kubectl.call.node.spec().memory_bytes >> 10)},
               {"pods", "110"}};
  if (const auto gpus = kubectl.cluster.capacity())
    amounts[cluster::resource] = std::to_string(*gpus);
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata", {{"name", kubectl.node()}, {"labels", kubectl.cluster.labels()}}},
          {"status", {{"allocatable", amounts}, {"capacity", amounts}}}};
}

Json pod_json(const Kubectl& kubectl, const Pod& pod) {
  Json container{{"name", pod.spec.name}, {"image", pod.spec.image}, {"command", pod.spec.command}};
  if (pod.spec.gpus > 0) {
    const Json amount{{cluster::resource, std::to_string(pod.spec.gpus)}};
    container["resources"] = {{"limits", amount}, {"requests", amount}};
  }
  Json json{{"apiVersion", "v1"},
            {"kind", "Pod"},
            {"metadata", {{"name", pod.spec.name}, {"namespace", pod.space}}},
            {"spec", {{"containers", Json::array({container})}}},
            {"status", {{"phase", pod.running ? "Running" : "Pending"}}}};
  if (pod.running) json["spec"]["nodeName"] = kubectl.node();
  return json;
}

int no_such(Call& call, std::string_view kind, std::string_view name) {
  return call.fail(1, "Error from server (NotFound): {} \"{}\" not found\n", kind, name);
}

void print_json(Kubectl& kubectl, std::vector<Json> items, bool one) {
  if (one) {
    kubectl.call.print("{}\n", items.front().dump(4));
    return;
  }
  kubectl.call.print("{}\n",
                     Json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", items}}.dump(4));
}

int get_nodes(Kubectl& kubectl, const std::string& name, bool labels) {
  Call& call = kubectl.call;
  if (!name.empty() && name != kubectl.node()) return no_such(call, "nodes", name);
  if (kubectl.form == "json") {
    print_json(kubectl, {node_json(kubectl)}, !name.empty());
    return 0;
  }
  std::string head = fmt::format("{:<{}}   STATUS   ROLES           AGE         VERSION", "NAME",
                                 kubectl.node().size());
  std::string row =
      fmt::format("{}   Ready    control-plane   {}   {}", kubectl.node(), age, kubelet);
  if (kubectl.form == "wide") {
    head += "   KERNEL-VERSION";
    row += "   " + call.node.os.kernel_release;
  }
  if (labels) {
    head += "   LABELS";
    row += "   " + labels_text(kubectl, ",");
  }
  call.print("{}\n{}\n", head, row);
  return 0;
}

int get_pods(Kubectl& kubectl, const std::string& name) {
  Call& call = kubectl.call;
  auto pods = pods_of(kubectl);
  if (!name.empty()) {
    std::erase_if(pods, [&](const Pod& pod) { return pod.spec.name != name; });
    if (pods.empty()) return no_such(call, "pods", name);
  }
  if (kubectl.form == "json") {
    std::vector<Json> items;
    for (const Pod& pod : pods) items.push_back(pod_json(kubectl, pod));
    print_json(kubectl, std::move(items), !name.empty());
    return 0;
  }
  if (pods.empty()) {
    call.complain("No resources found in {} namespace.\n", kubectl.space);
    return 0;
  }
  std::size_t wide = 4;
  for (const Pod& pod : pods) wide = std::max(wide, pod.spec.name.size());
  const bool where = kubectl.form == "wide";
  call.print("{}{:<{}}   READY   STATUS    RESTARTS   AGE{}\n",
             kubectl.all_spaces ? "NAMESPACE      " : "", "NAME", wide,
             where ? "         NODE" : "");
  for (const Pod& pod : pods) {
    call.print("{}{:<{}}   {}     {:<7}   0          {}{}\n",
               kubectl.all_spaces ? fmt::format("{:<15}", pod.space) : "", pod.spec.name, wide,
               pod.running ? "1/1" : "0/1", pod.running ? "Running" : "Pending", age,
               where ? "   " + (pod.running ? kubectl.node() : std::string("<none>")) : "");
  }
  return 0;
}

int get_events(Kubectl& kubectl) {
  bool any = false;
  for (const Pod& pod : pods_of(kubectl)) {
    if (pod.running) continue;
    if (!any) kubectl.call.print("LAST SEEN   TYPE      REASON             OBJECT      MESSAGE\n");
    any = true;
    kubectl.call.print("{}   Warning   FailedScheduling   pod/{}   {}\n", age, pod.spec.name,
                       pod.message);
  }
  if (!any) kubectl.call.complain("No events found in {} namespace.\n", kubectl.space);
  return 0;
}

int describe_node(Kubectl& kubectl, const std::string& name) {
  Call& call = kubectl.call;
  if (!name.empty() && name != kubectl.node()) return no_such(call, "nodes", name);
  call.print("Name:               {}\nRoles:              control-plane\nLabels:             {}\n",
             kubectl.node(), labels_text(kubectl, "\n                    "));
  const Json amounts = node_json(kubectl).at("status").at("capacity");
  for (const char* heading : {"Capacity", "Allocatable"}) {
    call.print("{}:\n", heading);
    for (const char* key : {cluster::resource, "cpu", "memory", "pods"}) {
      if (amounts.contains(key))
        call.print("  {:<19} {}\n", std::string(key) + ":", amounts.at(key).get<std::string>());
    }
  }
  call.print("System Info:\n  Kernel Version:             {}\n  Kubelet Version:            {}\n",
             call.node.os.kernel_release, kubelet);
  const std::size_t used = kubectl.cluster.requested();
  if (kubectl.cluster.capacity()) {
    call.print(
        "Allocated resources:\n  Resource           Requests    Limits\n  --------           "
        "--------    ------\n  {:<18} {:<11} {}\n",
        cluster::resource, used, used);
  }
  return 0;
}

int describe_pod(Kubectl& kubectl, const std::string& name) {
  Call& call = kubectl.call;
  const auto pods = pods_of(kubectl);
  const auto pod = std::ranges::find(pods, name, [](const Pod& each) { return each.spec.name; });
  if (pod == pods.end()) return no_such(call, "pods", name);
  call.print("Name:         {}\nNamespace:    {}\nNode:         {}\nStatus:       {}\n", name,
             pod->space, pod->running ? kubectl.node() : "<none>",
             pod->running ? "Running" : "Pending");
  call.print("Containers:\n  {}:\n    Image:      {}\n", name, pod->spec.image);
  if (pod->spec.gpus > 0) {
    for (const char* heading : {"Limits", "Requests"})
      call.print("    {}:\n      {}:  {}\n", heading, cluster::resource, pod->spec.gpus);
  }
  if (pod->running) {
    call.print("Events:       <none>\n");
  } else {
    call.event = pod->event;
    call.print(
        "Events:\n  Type     Reason            Age        From               Message\n  ----     "
        "------            ---        ----               -------\n  Warning  FailedScheduling  "
        "{}  default-scheduler  {}\n",
        age, pod->message);
  }
  return 0;
}

int logs(Kubectl& kubectl, const std::string& name) {
  const auto pods = pods_of(kubectl);
  const auto pod = std::ranges::find(pods, name, [](const Pod& each) { return each.spec.name; });
  if (pod == pods.end()) return no_such(kubectl.call, "pods", name);
  if (name.starts_with("default-device-plugin")) {
    kubectl.call.out += kubectl.cluster.plugin().log;
    kubectl.call.event = kubectl.cluster.plugin().event;
    return 0;
  }
  if (pod->space == cluster::operator_namespace) return kubectl.call.refuse("the log of " + name);
  return 0;  // the user's pods print nothing
}

int label(Kubectl& kubectl, std::vector<std::string> words) {
  Call& call = kubectl.call;
  if (words.size() < 3 || (words[0] != "node" && words[0] != "nodes"))
    return call.refuse("labelling anything but 'node NAME KEY=VALUE' or 'KEY-'");
  if (words[1] != kubectl.node()) return no_such(call, "nodes", words[1]);
  words.erase(words.begin(), words.begin() + 2);
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool removes = equals == std::string::npos && word.ends_with('-');
    if (equals == std::string::npos && !removes)
      return call.fail(1, "error: invalid label spec: {}\n", word);
    const std::string key = removes ? word.substr(0, word.size() - 1) : word.substr(0, equals);
    const auto& labels = kubectl.cluster.labels();
    if (!removes && labels.contains(key) && labels.at(key) != word.substr(equals + 1) &&
        !kubectl.form.starts_with("overwrite"))
      return call.fail(1, "error: '{}' already has a value ({}), and --overwrite is false\n", key,
                       labels.at(key));
    Cluster::set_label(call.node.os, key, removes ? "" : word.substr(equals + 1),
                       call.command_event());
  }
  call.print("node/{} {}\n", kubectl.node(),
             words.front().ends_with('-') ? "unlabeled" : "labeled");
  return 0;
}

int exec(Kubectl& kubectl, std::vector<std::string> words) {
  Call& call = kubectl.call;
  std::erase(words, "--");
  if (words.size() < 2)
    return call.fail(1, "error: you must specify at least one command for the container\n");
  const Pod* pod = kubectl.cluster.find(words.front());
  if (!pod) return no_such(call, "pods", words.front());
  if (!pod->running)
    return call.fail(1, "error: pod {} does not have a host assigned\n", words.front());
  const auto view = call.node.host().job();
  if (!view) return call.fail(1, "error: {}\n", view.error().text);
  words.erase(words.begin());
  const std::string program = words.front();
  CommandResult result = run_words(call.node, std::move(words), *view, std::move(call.input));
  call.out += result.out;
  call.err += result.err;
  call.event = result.event;
  call.waits_for_ever = result.waits_for_ever;
  if (result.found) return result.exit_code;
  return call.fail(
      126,
      "error: Internal error occurred: exec: \"{}\": executable file not found in $PATH: unknown\n",
      program);
}

int run_kubectl(Call& call) {
  if (!call.args.empty() && call.args.front().starts_with('-'))
    return call.refuse_option(call.args.front());
  const auto cluster = Cluster::of(call.node.os);
  if (!cluster)
    return call.fail(
        1,
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?\n");
  if (call.args.empty()) return call.refuse("the list of commands");
  const std::string verb = call.args.front();
  call.args.erase(call.args.begin());
  const bool in_order = verb == "exec";
  const auto options = parse(call,
                             {{"-n", true},
                              {"--namespace", true, "-n"},
                              {"-A"},
                              {"--all-namespaces", false, "-A"},
                              {"-o", true},
                              {"--output", true, "-o"},
                              {"--show-labels"},
                              {"--overwrite"},
                              {"-i"},
                              {"-t"}},
                             in_order);
  if (!options) return 2;
  Kubectl kubectl{call, *cluster, options->value_or("-n", "default"), options->has("-A"),
                  options->has("--overwrite") ? "overwrite" : options->value_or("-o", "")};
  if (verb == "get" && !kubectl.form.empty() && kubectl.form != "wide" && kubectl.form != "json")
    return call.refuse("-o " + kubectl.form);
  const auto& words = options->operands;
  std::string kind = words.empty() ? "" : words[0], name = words.size() > 1 ? words[1] : "";
  if (const std::size_t slash = kind.find('/'); slash != std::string::npos) {
    name = kind.substr(slash + 1);
    kind.resize(slash);
  }
  const bool nodes = kind == "node" || kind == "nodes" || kind == "no";
  const bool pods = kind == "pod" || kind == "pods" || kind == "po";
  if (verb == "get" && nodes) return get_nodes(kubectl, name, options->has("--show-labels"));
  if (verb == "get" && pods) return get_pods(kubectl, name);
  if (verb == "get" && (kind == "events" || kind == "ev")) return get_events(kubectl);
  if (verb == "describe" && nodes) return describe_node(kubectl, name);
  if (verb == "describe" && pods) return describe_pod(kubectl, name);
  if (verb == "logs" && words.size() == 1) return logs(kubectl, kind == "pod" ? name : words[0]);
  if (verb == "label") return label(kubectl, words);
  if (verb == "exec") return exec(kubectl, words);
  return call.refuse("'" + call.name + " " + verb + (kind.empty() ? "" : " " + kind) + "'");
}

constexpr Tool table[] = {
    {{"kubectl",
      "kubectl get|describe nodes|pods|events, logs POD, label node NAME KEY=VALUE, exec POD -- COMMAND",
      "What the cluster of the node knows of its GPUs and pods.", true},
     run_kubectl},
};

}  // namespace

std::span<const Tool> kubectl_tools() { return table; }

}  // namespace rocdrill::sim::tools
