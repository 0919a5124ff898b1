// Faults of the way in which the user's job is put into a container. The circumstances are a job
// that runs in one and works; the fault makes that container anew with other options.
#pragma once

#include "sim/container_images.hpp"
#include "sim/node.hpp"

namespace rocdrill::sim {

class JobContainer : public Fault {
 public:
  const FaultInfo& info() const override { return info_; }

  std::string inapplicable(const Node& node, const Parameters&) const override {
    if (podman_ && !find_user(node.os.files, node.spec().user)) return "its user has no account";
    return find_group(node.os.files, "render") ? "" : "it has no group render";
  }

  void prepare(Node& node, const Parameters&) const override {
    Json place{{"engine", podman_ ? "podman" : "docker"}, {"name", name}};
    if (podman_) place["user"] = node.spec().user;
    const EventId event = node.os.journal.record(
        Layer::host, Severity::info, "job.deployed", name,
        {{"image", std::string_view(image_)}, {field::see, "docker inspect"}}, no_event);
    node.os.files.write(job_place, place.dump() + "\n", event);
    auto store = engine(node);
    const auto pulled = pull(node.spec(), image_);
    store.add(pulled->image, pulled->files, event);
    make(node, image_, good(node), event);
  }

 protected:
  JobContainer(FaultInfo info, std::string image, bool podman = false)
      : info_(std::move(info)), image_(std::move(image)), podman_(podman) {}

  static constexpr const char* name = "train";

  /// What the job needs: both kinds of devices, its files, the groups that own the devices.
  virtual containers::Options good(const Node& node) const {
    containers::Options options;
    options.restart = "always";
    options.devices = {{"/dev/kfd", "/dev/kfd"}, {"/dev/dri", "/dev/dri"}};
    options.binds = {{"/srv/job", "/srv/job"}};
    options.ipc = "host";
    if (podman_) {
      options.groups = {"keep-groups"};
      return options;
    }
    options.user = "1000";
    for (const char* group : {"video", "render"}) {
      if (const auto known = find_group(node.os.files, group))
        options.groups.push_back(std::to_string(known->gid));
    }
    return options;
  }

  /// Somebody removes the container and makes it anew; `what` says with which change.
  void replace(Node& node, const std::string& what, const std::string& image,
               containers::Options options, EventId cause) const {
    const EventId event = node.os.journal.record(
        Layer::host, Severity::info, "job.changed", fmt(what),
        {{field::see, podman_ ? "podman inspect train" : "docker inspect train"}}, cause);
    auto store = engine(node);
    if (const auto old = store.find(name)) store.remove(*old, event);
    if (!store.image(image)) {
      const auto pulled = pull(node.spec(), image);
      store.add(pulled->image, pulled->files, event);
    }
    make(node, image, std::move(options), event);
  }

  const std::string& image() const { return image_; }

 private:
  static std::string fmt(const std::string& what) { return std::string(name) + ": " + what; }

  containers::Engine engine(Node& node) const {
    return node.engine(podman_ ? containers::Kind::podman : containers::Kind::docker,
                       podman_ ? node.spec().user : "");
  }

  void make(Node& node, const std::string& image, containers::Options options,
            EventId cause) const {
    static_cast<void>(
        engine(node).create(name, image, {"sleep", "infinity"}, std::move(options), cause));
  }

  FaultInfo info_;
  std::string image_;
  bool podman_;
};

}  // namespace rocdrill::sim
