#include "scenarios/engine/node_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "scenarios/engine/reader.hpp"
#include "stack/formats/target_id.hpp"

namespace rocdrill::scenarios {
namespace {

using sim::NodeSpec;

constexpr std::int64_t current_schema = 1;
constexpr std::int64_t most_gpus = 64;
constexpr std::uint64_t gib = std::uint64_t{1} << 30u;

std::string path_of(const Value& value) {
  std::string path = value.text();
  if (!path.empty() && !path.starts_with('/')) value.complain("must be an absolute path");
  return path;
}

sim::Bdf bdf_of(const Value& value) {
  const std::string text = value.text();
  const auto bdf = parse_bdf(text);
  if (!bdf && !text.empty()) {
    value.complain(fmt::format("cannot be {}", in_quotes(text)),
                   "a PCI address as lspci -D prints it: '0000:1b:00.0'");
  }
  return bdf.value_or(sim::Bdf{});
}

std::string product_of(const Value& value, const Knowledge& knowledge) {
  std::string product = value.text();
  if (!product.empty() && knowledge.known_product && !knowledge.known_product(product)) {
    value.complain(fmt::format("is {}, which is not in the catalogue", in_quotes(product)),
                   suggest(product, knowledge.products, "products"));
  }
  return product;
}

std::uint64_t unique_id_of(const Value& value) {
  const std::string text = value.text();
  std::uint64_t id = 0;
  const char* end = text.data() + text.size();
  const bool hex = text.starts_with("0x") && text.size() > 2;
  const auto [stop, error] = std::from_chars(text.data() + (hex ? 2 : 0), end, id, 16);
  if (!text.empty() && (!hex || error != std::errc{} || stop != end)) {
    value.complain(fmt::format("cannot be {}", in_quotes(text)),
                   "a number like 0x3cbe05d3e1e1b23d");
  }
  return id;
}

sim::GpuSpec read_gpu(const Value& value, const Knowledge& knowledge) {
  MapReader map(value);
  sim::GpuSpec gpu;
  gpu.product = product_of(map.required("product"), knowledge);
  gpu.bdf = bdf_of(map.required("bdf"));
  gpu.numa_node = static_cast<std::uint32_t>(map.optional("numa_node").integer(0, 63));
  if (const Value id = map.optional("unique_id")) gpu.unique_id = unique_id_of(id);
  return gpu;
}

/// {product, count, bdfs, numa_nodes}: equal GPUs in one go.
std::vector<sim::GpuSpec> read_gpu_set(const Value& value, const Knowledge& knowledge) {
  MapReader map(value);
  const std::string product = product_of(map.required("product"), knowledge);
  const Value count_value = map.required("count");
  const auto count = static_cast<std::size_t>(count_value.integer(1, most_gpus));
  const Value bdf_value = map.required("bdfs");
  const std::vector<Value> bdfs = bdf_value.list();
  const Value numa_value = map.optional("numa_nodes");
  const std::vector<Value> numa_nodes = numa_value.list();
  if (count_value && bdf_value.is_list() && bdfs.size() != count) {
    bdf_value.complain(fmt::format("has {} entries for {} GPUs", bdfs.size(), count));
  }
  if (count_value && numa_value.is_list() && numa_nodes.size() != count) {
    numa_value.complain(fmt::format("has {} entries for {} GPUs", numa_nodes.size(), count));
  }
  std::vector<sim::GpuSpec> gpus;
  for (std::size_t i = 0; i < bdfs.size(); ++i) {
    sim::GpuSpec gpu{product, bdf_of(bdfs[i]), 0, 0};
    if (i < numa_nodes.size()) {
      gpu.numa_node = static_cast<std::uint32_t>(numa_nodes[i].integer(0, 63));
    }
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

void read_gpus(const Value& value, NodeSpec& spec, const Knowledge& knowledge) {
  if (value.is_map()) {
    spec.gpus = read_gpu_set(value, knowledge);
  } else {
    for (const Value& item : value.list()) spec.gpus.push_back(read_gpu(item, knowledge));
  }
  std::vector<sim::Bdf> seen;
  for (const sim::GpuSpec& gpu : spec.gpus) {
    if (gpu.bdf == sim::Bdf{}) continue;  // has been complained about
    if (std::ranges::find(seen, gpu.bdf) != seen.end()) {
      value.complain(fmt::format("has two GPUs at {}", gpu.bdf.text()));
    }
    seen.push_back(gpu.bdf);
    if (gpu.numa_node >= spec.cpu_sockets) {
      value.complain(fmt::format("has a GPU on NUMA node {}, but there are {} (one per socket)",
                                 gpu.numa_node, spec.cpu_sockets));
    }
  }
}

void read_kernels(const Value& value, NodeSpec& spec) {
  bool any_installed = false;
  for (const Value& item : value.list()) {
    MapReader map(item);
    sim::KernelSpec kernel;
    const Value release = map.required("release");
    kernel.release = release.text();
    kernel.installed = map.optional("installed").flag(true);
    kernel.headers = map.optional("headers").flag(true);
    kernel.in_tree_amdgpu = map.optional("in_tree_amdgpu").flag(false);
    any_installed |= kernel.installed;
    if (std::ranges::find(spec.kernels, kernel.release, &sim::KernelSpec::release) !=
            spec.kernels.end() &&
        release) {
      release.complain(fmt::format("repeats {}", in_quotes(kernel.release)));
    }
    spec.kernels.push_back(std::move(kernel));
  }
  if (value.is_list() && !any_installed) {
    value.complain("has no installed kernel", "the node must be able to boot");
  }
}

void read_users(const Value& users, const Value& user, NodeSpec& spec) {
  std::vector<std::string> names;
  for (const Value& item : users.list()) {
    MapReader map(item);
    const Value name = map.required("name");
    const Value uid = map.required("uid");
    const sim::UserSpec read{name.text(), static_cast<std::uint32_t>(uid.integer(1000, 59999)),
                             map.optional("groups").texts()};
    if (name && std::ranges::find(names, read.name) != names.end()) {
      name.complain(fmt::format("repeats {}", in_quotes(read.name)));
    }
    if (uid && std::ranges::find(spec.users, read.uid, &sim::UserSpec::uid) != spec.users.end()) {
      uid.complain(fmt::format("repeats {}", read.uid));
    }
    names.push_back(read.name);
    spec.users.push_back(read);
  }
  spec.user = user.text();
  if (!spec.user.empty() && std::ranges::find(names, spec.user) == names.end()) {
    user.complain(fmt::format("is {}, who is not among the users", in_quotes(spec.user)),
                  did_you_mean(spec.user, names));
  }
}

void read_driver(const Value& value, NodeSpec& spec) {
  static const std::vector<std::string> words{"in-tree"};
  if (!value.is_map()) {
    value.choice(words);
  } else {
    MapReader map(value);
    spec.driver.dkms_version = map.required("dkms_version").text();
    return;
  }
  for (const sim::KernelSpec& kernel : spec.kernels) {
    if (!value || !kernel.installed || kernel.in_tree_amdgpu) continue;
    value.complain(fmt::format("is in-tree, but kernel {} has no amdgpu", kernel.release),
                   "set its in_tree_amdgpu, or give the driver a dkms_version");
  }
}

std::vector<std::string> targets_of(const Value& value) {
  std::vector<std::string> targets = value.texts();
  const std::vector<Value> items = value.is_list() ? value.list() : std::vector<Value>{};
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (targets[i].empty()) continue;
    const auto parsed = TargetId::parse(targets[i]);
    if (!parsed) items[i].complain("is no target ID: " + parsed.error().detail);
  }
  return targets;
}

void read_torch(const Value& value, NodeSpec& spec) {
  if (!value) return;
  MapReader map(value);
  spec.torch.version = map.required("version").text();
  spec.torch.hip_version = map.required("hip_version").text();
  spec.torch.directory = path_of(map.required("directory"));
  spec.torch.targets = targets_of(map.required("targets"));
}

void read_apps(const Value& value, NodeSpec& spec) {
  for (const Value& item : value.list()) {
    MapReader map(item);
    const Value path = map.required("path");
    sim::AppSpec app{path_of(path), map.required("source").text(),
                     targets_of(map.required("targets"))};
    if (path && std::ranges::find(spec.apps, app.path, &sim::AppSpec::path) != spec.apps.end()) {
      path.complain(fmt::format("repeats {}", in_quotes(app.path)));
    }
    spec.apps.push_back(std::move(app));
  }
}

void read_host(MapReader& map, NodeSpec& spec) {
  static const std::vector<std::string> distros{"debian", "ubuntu"};
  spec.hostname = map.required("hostname").text();
  if (const Value distro = map.required("distro")) {
    MapReader inner(distro);
    const std::string name = inner.required("name").choice(distros);
    spec.distro = name == "debian" ? sim::Distro::debian : sim::Distro::ubuntu;
    spec.distro_release = inner.required("release").text();
  }
  if (const Value cpu = map.required("cpu")) {
    MapReader inner(cpu);
    spec.cpu_model = inner.required("model").text();
    spec.cpu_sockets = static_cast<std::uint32_t>(inner.required("sockets").integer(1, 64));
    spec.cpu_cores_per_socket =
        static_cast<std::uint32_t>(inner.required("logical_cpus_per_socket").integer(1, 4096));
  }
  spec.memory_bytes =
      static_cast<std::uint64_t>(map.required("memory_gib").integer(1, 1 << 20)) * gib;
  spec.cmdline = map.optional("cmdline").text_or_empty();
  spec.xgmi = map.optional("xgmi").flag(true);
}

void read_software(MapReader& map, NodeSpec& spec) {
  read_kernels(map.required("kernels"), spec);
  const Value users = map.required("users");
  read_users(users, map.required("user"), spec);
  read_driver(map.required("driver"), spec);
  if (const Value firmware = map.required("firmware")) {
    MapReader inner(firmware);
    spec.firmware = {inner.required("package").text(), inner.required("version").text(),
                     path_of(inner.required("directory"))};
  }
  if (const Value rocm = map.required("rocm")) {
    MapReader inner(rocm);
    spec.rocm = {inner.required("version").text(), path_of(inner.required("prefix"))};
  }
  read_torch(map.optional("torch"), spec);
  read_apps(map.optional("apps"), spec);
  for (const auto& [key, value] : map.optional("environment").entries()) {
    spec.environment[key.text] = value.text_or_empty();
  }
}

void read_root(const Value& root, NodeSpec& spec, std::string_view stem,
               const Knowledge& knowledge) {
  MapReader map(root);
  const Value schema = map.required("schema");
  const bool is_number = schema.is_scalar() && as_integer(*schema.node());
  const std::int64_t version = schema.integer(0, std::int64_t{1} << 32u);
  if (is_number && version != current_schema) {
    schema.complain(fmt::format("is {}, but this rocdrill reads {}", version, current_schema));
  }
  const Value id = map.required("id");
  spec.id = id.text();
  if (!spec.id.empty() && spec.id != stem) {
    id.complain(fmt::format("is {}, but the file is called '{}.yaml'", in_quotes(spec.id), stem),
                "rename one of the two");
  }
  spec.title = map.required("title").text();
  read_host(map, spec);
  read_gpus(map.required("gpus"), spec, knowledge);
  read_software(map, spec);
}

}  // namespace

std::optional<sim::Bdf> parse_bdf(std::string_view text) {
  // "0000:1b:00.0"
  constexpr std::string_view shape = "hhhh:hh:hh.h";
  if (text.size() != shape.size()) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool hex = (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f');
    if (shape[i] == 'h' ? !hex : text[i] != shape[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t length) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + length, value, 16);
    return value;
  };
  if (number(8, 2) > 0x1f || number(11, 1) > 7) return std::nullopt;
  return sim::Bdf{static_cast<std::uint16_t>(number(0, 4)), static_cast<std::uint8_t>(number(5, 2)),
                  static_cast<std::uint8_t>(number(8, 2)),
                  static_cast<std::uint8_t>(number(11, 1))};
}

Loaded<NodeSpec> parse_node(std::string file, std::string text, std::string_view stem,
                            const Knowledge& knowledge) {
  const Source source(std::move(file), std::move(text));
  Problems problems(source);
  NodeSpec spec;
  if (const auto tree = parse_yaml(source, problems)) {
    read_root(Value(&*tree, tree->offset, "", problems), spec, stem, knowledge);
  }
  if (!problems.empty()) return std::unexpected(problems.take());
  return spec;
}

}  // namespace rocdrill::scenarios
