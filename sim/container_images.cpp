#include "sim/container_images.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/containers/engine.hpp"
#include "sim/device_code.hpp"
#include "sim/frameworks/torch.hpp"
#include "sim/libraries/rocblas.hpp"

namespace rocdrill::sim {
namespace {

enum class Content : std::uint8_t { base, rocm, torch };

/// What is published. The group render of AMD's images has number 109 whatever the node's has
/// (ROCm/ROCm-docker, dev/Dockerfile-ubuntu-24.04); Ubuntu's own image has no such group.
struct Published {
  std::string_view name;
  Content content;
  std::string_view ubuntu;
  std::string_view rocm;
  std::string_view user;
  std::uint64_t bytes;
};
constexpr Published published[] = {
    {"ubuntu:22.04", Content::base, "22.04", "", "", 77'900'000},
    {"ubuntu:24.04", Content::base, "24.04", "", "", 78'100'000},
    {"rocm/dev-ubuntu-22.04:5.2.3", Content::rocm, "22.04", "5.2.3", "", 3'060'000'000},
    {"rocm/dev-ubuntu-22.04:6.1", Content::rocm, "22.04", "6.1.0", "", 4'180'000'000},
    {"rocm/dev-ubuntu-24.04:6.3.3", Content::rocm, "24.04", "6.3.3", "", 5'020'000'000},
    {"rocm/dev-ubuntu-24.04:latest", Content::rocm, "24.04", "6.3.3", "", 5'020'000'000},
    {"rocm/rocm-terminal:6.3.3", Content::rocm, "24.04", "6.3.3", "rocm-user", 5'100'000'000},
    {"rocm/rocm-terminal:latest", Content::rocm, "24.04", "6.3.3", "rocm-user", 5'100'000'000},
    {"rocm/pytorch:rocm6.3.3_ubuntu24.04_py3.12_pytorch_release_2.4.0", Content::torch, "24.04",
     "6.3.3", "", 42'300'000'000},
    {"rocm/pytorch:latest", Content::torch, "24.04", "6.3.3", "", 42'300'000'000},
};

const Published* find(const std::string& name) {
  const std::string wanted = containers::canonical(name);
  const auto at = std::ranges::find(published, wanted, &Published::name);
  return at == std::end(published) ? nullptr : at;
}

PackageFile file(std::string path, std::string content, std::uint32_t mode = 0644) {
  return {std::move(path), Blob{std::move(content)}, mode, false};
}

/// The programs of Ubuntu's image that rocdrill has, as the files by which they are found.
constexpr std::string_view base_programs[] = {
    "bash", "cat",      "df",   "echo",  "env",    "getent",   "grep",     "groups",
    "head", "hostname", "id",   "ls",    "ps",     "readlink", "sh",       "sleep",
    "tail", "test",     "true", "uname", "whoami", "wc",       "printenv", "false"};
constexpr std::string_view rocm_programs[] = {"rocminfo", "rocm-smi", "rocm_agent_enumerator",
                                              "hipconfig", "roc-obj-ls"};

void add_accounts(std::vector<PackageFile>& files, const Published& image) {
  std::string passwd =
      "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:"
      "/usr/sbin/nologin\n";
  std::string group = "root:x:0:\nadm:x:4:\n";
  const bool terminal = !image.user.empty();
  group += terminal ? "sudo:x:27:rocm-user\nvideo:x:44:rocm-user\n" : "sudo:x:27:\nvideo:x:44:\n";
  group += "nogroup:x:65534:\n";
  if (image.content != Content::base) group += "render:x:109:\n";
  // Since 23.04 Ubuntu's image has a user of its own; the terminal's then takes the next number.
  const bool ubuntu_user = image.ubuntu == "24.04";
  if (ubuntu_user) {
    passwd += "ubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash\n";
    group += "ubuntu:x:1000:\n";
  }
  if (terminal) {
    const int id = ubuntu_user ? 1001 : 1000;
    passwd += fmt::format("{0}:x:{1}:{1}::/home/{0}:/bin/bash\n", image.user, id);
    group += fmt::format("{}:x:{}:\n", image.user, id);
  }
  files.push_back(file("/etc/passwd", passwd));
  files.push_back(file("/etc/group", group));
}

void add_rocm(std::vector<PackageFile>& files, std::string_view release) {
  const std::string version(release), prefix = "/opt/rocm-" + version;
  files.push_back({"/opt/rocm", Blob{prefix}, 0777, true});
  files.push_back(file(prefix + "/.info/version", version + "\n"));
  files.push_back(file(prefix + "/lib/libhsa-runtime64.so.1", version + "\n"));
  files.push_back(file(prefix + "/lib/libamdhip64.so", version + "\n"));
  for (const std::string_view program : rocm_programs)
    files.push_back(file(fmt::format("{}/bin/{}", prefix, program), "", 0755));
  if (compare_versions(version, "6.0") >= 0)
    files.push_back(file(prefix + "/bin/amd-smi", "", 0755));
  for (const std::string_view program : {"lsmod", "python3", "pip"})  // kmod, python3-pip
    files.push_back(file(fmt::format("/usr/bin/{}", program), "", 0755));
}

/// The wheel inside: 2.4.0, for the GPUs whose code objects are built here.
void add_torch(std::vector<PackageFile>& files, const NodeSpec& spec) {
  const std::string folder(image_torch);
  const std::vector<std::string> targets{"gfx908", "gfx90a", "gfx942", "gfx1030", "gfx1100"};
  files.push_back(
      file(folder + "/version.py",
           frameworks::version_file({"2.4.0+rocm6.3.3", std::nullopt, "6.3.42134-a9a80e791"})));
  if (!spec.code_objects.contains("saxpy")) return;
  files.push_back(file(folder + "/" + std::string(frameworks::torch_device_code),
                       make_fat_binary(spec, "saxpy", targets)));
  const auto known = spec.code_objects.find("matmul");
  if (known == spec.code_objects.end()) return;
  const std::string blas = folder + "/" + std::string(frameworks::torch_rocblas);
  for (const std::string& gfx : targets) {
    const auto kernels = known->second.find(gfx);
    if (kernels == known->second.end()) continue;
    files.push_back(
        file(blas + "/" + libraries::tensile_index(gfx), "tensile index " + gfx + "\n"));
    files.push_back(file(blas + "/" + libraries::tensile_kernels(gfx), kernels->second));
  }
}

std::string id_of(std::string_view name) {
  std::uint64_t state = 0x9AE16A3B2F90404Full;
  for (const char c : name) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  std::string id;
  while (id.size() < 64) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    id += fmt::format("{:016x}", state);
  }
  return id;
}

}  // namespace

std::vector<std::string> registry_names() {
  std::vector<std::string> names;
  for (const Published& each : published) names.emplace_back(each.name);
  return names;
}

std::string rocm_of_image(const std::string& name) {
  const Published* is = find(name);
  return is ? std::string(is->rocm) : std::string();
}

std::optional<RegistryImage> pull(const NodeSpec& spec, const std::string& name) {
  const Published* is = find(name);
  if (!is) return std::nullopt;
  RegistryImage pulled;
  pulled.image = {
      std::string(is->name), id_of(is->name), std::string(is->user), {"bash"}, {}, is->bytes};
  std::string path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  if (is->content != Content::base) path = "/opt/rocm/bin:" + path;
  if (is->content == Content::torch) path = "/opt/conda/envs/py_3.12/bin:" + path;
  pulled.image.environment["PATH"] = path;
  std::vector<PackageFile>& files = pulled.files;
  files.push_back(
      file("/etc/os-release", fmt::format("PRETTY_NAME=\"Ubuntu {}\"\nID=ubuntu\n", is->ubuntu)));
  files.push_back(file("/tmp/.keep", ""));
  add_accounts(files, *is);
  for (const std::string_view program : base_programs)
    files.push_back(file(fmt::format("/usr/bin/{}", program), "", 0755));
  files.push_back({"/bin", Blob{"usr/bin"}, 0777, true});
  if (is->content != Content::base) add_rocm(files, is->rocm);
  if (is->content == Content::torch) {
    for (const std::string_view program : {"python", "python3", "pip"})
      files.push_back(file(fmt::format("/opt/conda/envs/py_3.12/bin/{}", program), "", 0755));
    add_torch(files, spec);
  }
  return pulled;
}

}  // namespace rocdrill::sim
