// The images that registries have: user spaces of other releases than the node's, above its driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/containers/container.hpp"
#include "sim/host/packages.hpp"
#include "sim/node_spec.hpp"

namespace rocdrill::sim {

/// Names that can be pulled, for messages.
std::vector<std::string> registry_names();

struct RegistryImage {
  containers::Image image;
  std::vector<PackageFile> files;
};

/// An image with its files; device code comes from the spec's real code objects. nullopt if no
/// registry has it. `name` as people write it: "rocm/dev-ubuntu-24.04:6.3.3".
std::optional<RegistryImage> pull(const NodeSpec& spec, const std::string& name);

/// The ROCm release of an image's name as the registry knows it, "" for one without.
std::string rocm_of_image(const std::string& name);

/// Where the image with PyTorch has it.
inline constexpr std::string_view image_torch =
    "/opt/conda/envs/py_3.12/lib/python3.12/site-packages/torch";

}  // namespace rocdrill::sim
