// A fault: the one thing that is wrong. It changes the state of one layer and tells nobody.
//
// To add one, add one file to sim/faults: a class, and at its end
//   const FaultRegistration registration{std::make_unique<MyFault>()};
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/host/archive.hpp"
#include "stack/event.hpp"

namespace rocdrill::sim {

class Node;

using ParameterValue = std::variant<std::string, std::int64_t, bool>;

struct ParameterInfo {
  std::string name;
  ParameterValue fallback;  ///< also fixes the type
  std::string meaning;
  std::vector<std::string> choices;  ///< empty: any value of the type
  /// Why this value of the right type cannot be, or "".
  std::string (*problem)(const ParameterValue&) = nullptr;
};

class Parameters {
 public:
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::map<std::string, ParameterValue, std::less<>> values;
};

struct FaultInfo {
  std::string id;  ///< "stale-dkms"
  Layer layer;     ///< whose state it changes; the first failing check lies there
  std::string title;
  std::string changes;  ///< the state that it changes, in one sentence
  std::vector<ParameterInfo> parameters;
  std::vector<std::string> sources;  ///< public reports and sources behind it
  /// For those who write drivers and runtimes: single calls, doorbells, packets. The node stays
  /// healthy as far as the bring-up checks go, and the fault can be cleared.
  bool surgical = false;
  /// Nothing above notices: the node works, otherwise than planned, and only a check says so.
  bool latent = false;
};

class Fault {
 public:
  virtual ~Fault() = default;
  virtual const FaultInfo& info() const = 0;
  /// Why it cannot be on this node, or "".
  virtual std::string inapplicable(const Node&, const Parameters&) const { return {}; }
  /// Circumstances without which the fault would not show (a kernel upgrade is due, a job
  /// template sets a variable). Harmless by themselves; a healthy run has them too.
  virtual void prepare(Node&, const Parameters&) const {}
  /// Changes the state. `cause` is the fault's own event.
  virtual void inject(Node&, const Parameters&, EventId cause) const = 0;
  /// Takes every use of it out of the node again; false if there is none. Of a surgical fault only:
  /// any other has changed state that somebody has to repair.
  virtual bool clear(Node&) const { return false; }
};

class FaultRegistry {
 public:
  static FaultRegistry& instance();
  /// Throws std::logic_error if the id is taken.
  void add(std::unique_ptr<Fault> fault);
  const Fault* find(std::string_view id) const;
  std::vector<const Fault*> all() const;  ///< by layer, then id

  /// Fills in the defaults and checks names, types and choices; error text says what, where and
  /// what is allowed.
  static std::expected<Parameters, std::string> check(
      const FaultInfo& info, const std::map<std::string, ParameterValue, std::less<>>& given);

 private:
  std::map<std::string, std::unique_ptr<Fault>, std::less<>> faults_;
};

struct FaultRegistration {
  explicit FaultRegistration(std::unique_ptr<Fault> fault) {
    FaultRegistry::instance().add(std::move(fault));
  }
};

/// A fault on a particular node.
struct FaultUse {
  std::string id;
  std::map<std::string, ParameterValue, std::less<>> parameters;
};

}  // namespace rocdrill::sim
