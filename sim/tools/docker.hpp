// What the commands of docker and podman share.
#pragma once

#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {

/// One `docker COMMAND`; call.args are the words after COMMAND.
struct DockerCall {
  Call& call;
  std::string_view command;  ///< "run"
  containers::Engine engine;

  bool podman() const { return engine.owner().kind == containers::Kind::podman; }
  /// "Error response from daemon: TEXT" on standard error, as this engine words it.
  int error(int code, std::string_view text);
  /// Says that there is no such container.
  int no_container(const std::string& name);
  /// The image, pulled if it is not there; nullopt after complaining.
  std::optional<containers::Image> have_image(const std::string& name);
};

int docker_run(DockerCall& docker);  ///< run, create
int docker_exec(DockerCall& docker);
int docker_ps(DockerCall& docker);
int docker_images(DockerCall& docker);
int docker_inspect(DockerCall& docker);

}  // namespace rocdrill::sim::tools
