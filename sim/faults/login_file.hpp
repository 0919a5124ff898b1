// A file that a login reads sets a variable that the job should not have.
#pragma once

#include <string>
#include <utility>

#include "sim/node.hpp"

namespace rocdrill::sim {

class LoginFile : public Fault {
 public:
  explicit LoginFile(FaultInfo info) : info_(std::move(info)) {}
  const FaultInfo& info() const override { return info_; }

  std::string inapplicable(const Node&, const Parameters& parameters) const override {
    const std::string file = parameters.text("file");
    if (file == "/etc/environment" ||
        (file.starts_with("/etc/profile.d/") && file.ends_with(".sh")))
      return {};
    return "a login reads /etc/environment and *.sh of /etc/profile.d, not " + file;
  }

 protected:
  static ParameterInfo file(std::string fallback) {
    return {"file", std::move(fallback), "the file that sets it", {}};
  }
  /// Writes the file; `comment` is its first line. Who is logged in already has it, too.
  static void set(Node& node, const Parameters& parameters, std::string_view comment,
                  const std::string& name, const std::string& value, EventId cause) {
    const std::string path = parameters.text("file");
    const bool profile = path != "/etc/environment";
    const EventId event =
        node.os.write_file(path,
                           "# " + std::string(comment) + "\n" + (profile ? "export " : "") + name +
                               "=\"" + value + "\"\n",
                           cause);
    if (!node.os.session.user.empty()) node.log_in(event);
  }

 private:
  FaultInfo info_;
};

}  // namespace rocdrill::sim
