#include "stack/formats/target_id.hpp"

#include <algorithm>
#include <array>

namespace rocdrill {
namespace {

using Feature = TargetId::Feature;
using Kind = TargetIdError::Kind;

constexpr bool yes = true;
constexpr bool no = false;

// Members of generic targets: AMDGPUUsage of LLVM 20.1 (which added gfx950, gfx1153 and
// gfx9-4-generic), equal to ROCr's isa.cpp but for gfx940 and gfx941, which ROCr has dropped.
constexpr std::array processor_table{
    //        name     mach xnack sramecc generic
    Processor{"gfx600", 0x20, no, no, ""},
    Processor{"gfx601", 0x21, no, no, ""},
    Processor{"gfx602", 0x3a, no, no, ""},
    Processor{"gfx700", 0x22, no, no, ""},
    Processor{"gfx701", 0x23, no, no, ""},
    Processor{"gfx702", 0x24, no, no, ""},
    Processor{"gfx703", 0x25, no, no, ""},
    Processor{"gfx704", 0x26, no, no, ""},
    Processor{"gfx705", 0x3b, no, no, ""},
    Processor{"gfx801", 0x28, yes, no, ""},
    Processor{"gfx802", 0x29, no, no, ""},
    Processor{"gfx803", 0x2a, no, no, ""},
    Processor{"gfx805", 0x3c, no, no, ""},
    Processor{"gfx810", 0x2b, yes, no, ""},
    Processor{"gfx900", 0x2c, yes, no, "gfx9-generic"},
    Processor{"gfx902", 0x2d, yes, no, "gfx9-generic"},
    Processor{"gfx904", 0x2e, yes, no, "gfx9-generic"},
    Processor{"gfx906", 0x2f, yes, yes, "gfx9-generic"},
    Processor{"gfx908", 0x30, yes, yes, ""},
    Processor{"gfx909", 0x31, yes, no, "gfx9-generic"},
    Processor{"gfx90a", 0x3f, yes, yes, ""},
    Processor{"gfx90c", 0x32, yes, no, "gfx9-generic"},
    Processor{"gfx940", 0x40, yes, yes, "gfx9-4-generic"},
    Processor{"gfx941", 0x4b, yes, yes, "gfx9-4-generic"},
    Processor{"gfx942", 0x4c, yes, yes, "gfx9-4-generic"},
    Processor{"gfx950", 0x4f, yes, yes, "gfx9-4-generic"},
    Processor{"gfx1010", 0x33, yes, no, "gfx10-1-generic"},
    Processor{"gfx1011", 0x34, yes, no, "gfx10-1-generic"},
    Processor{"gfx1012", 0x35, yes, no, "gfx10-1-generic"},
    Processor{"gfx1013", 0x42, yes, no, "gfx10-1-generic"},
    Processor{"gfx1030", 0x36, no, no, "gfx10-3-generic"},
    Processor{"gfx1031", 0x37, no, no, "gfx10-3-generic"},
    Processor{"gfx1032", 0x38, no, no, "gfx10-3-generic"},
    Processor{"gfx1033", 0x39, no, no, "gfx10-3-generic"},
    Processor{"gfx1034", 0x3e, no, no, "gfx10-3-generic"},
    Processor{"gfx1035", 0x3d, no, no, "gfx10-3-generic"},
    Processor{"gfx1036", 0x45, no, no, "gfx10-3-generic"},
    Processor{"gfx1100", 0x41, no, no, "gfx11-generic"},
    Processor{"gfx1101", 0x46, no, no, "gfx11-generic"},
    Processor{"gfx1102", 0x47, no, no, "gfx11-generic"},
    Processor{"gfx1103", 0x44, no, no, "gfx11-generic"},
    Processor{"gfx1150", 0x43, no, no, "gfx11-generic"},
    Processor{"gfx1151", 0x4a, no, no, "gfx11-generic"},
    Processor{"gfx1152", 0x55, no, no, "gfx11-generic"},
    Processor{"gfx1153", 0x58, no, no, "gfx11-generic"},
    Processor{"gfx1200", 0x48, no, no, "gfx12-generic"},
    Processor{"gfx1201", 0x4e, no, no, "gfx12-generic"},
    Processor{"gfx9-generic", 0x51, yes, no, ""},
    Processor{"gfx10-1-generic", 0x52, yes, no, ""},
    Processor{"gfx10-3-generic", 0x53, no, no, ""},
    Processor{"gfx11-generic", 0x54, no, no, ""},
    Processor{"gfx12-generic", 0x59, no, no, ""},
    Processor{"gfx9-4-generic", 0x5f, yes, yes, ""},
};

constexpr std::string_view isa_prefix = "amdgcn-amd-amdhsa--";
constexpr std::string_view isa_prefix_unknown = "amdgcn-amd-amdhsa-unknown-";

/// Parses one text; keeps it whole for messages and offsets.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::expected<TargetId, TargetIdError> parse() {
    if (text_.empty()) return fail(Kind::empty, 0, "no processor is named");
    std::size_t begin = 0;
    if (text_.starts_with(isa_prefix))
      begin = isa_prefix.size();
    else if (text_.starts_with(isa_prefix_unknown))
      begin = isa_prefix_unknown.size();
    else if (!text_.starts_with("gfx") && text_.find('-') < text_.find(':'))
      return fail(Kind::triple, 0, "the triple is not amdgcn-amd-amdhsa");

    std::size_t end = std::min(text_.find(':', begin), text_.size());
    const std::string_view processor = text_.substr(begin, end - begin);
    if (processor.empty()) return fail(Kind::empty, begin, "no processor is named");
    const Processor* known = find_processor(processor);
    if (known == nullptr)
      return fail(Kind::unknown_processor, begin,
                  "processor '" + std::string(processor) + "' is not known");

    TargetId id{std::string(processor), known->xnack ? Feature::any : Feature::unsupported,
                known->sramecc ? Feature::any : Feature::unsupported};
    for (; end < text_.size();) {
      const std::size_t at = end + 1;
      end = std::min(text_.find(':', at), text_.size());
      if (auto error = feature(id, at, end)) return std::unexpected(std::move(*error));
    }
    return id;
  }

 private:
  std::optional<TargetIdError> feature(TargetId& id, std::size_t at, std::size_t end) const {
    const std::string_view part = text_.substr(at, end - at);
    if (part.size() < 2 || (part.back() != '+' && part.back() != '-'))
      return error(Kind::malformed_feature, at,
                   "'" + std::string(part) + "' is not a feature with '+' or '-' after it");
    const std::string_view feature_name = part.substr(0, part.size() - 1);
    Feature* slot = nullptr;
    if (feature_name == "xnack") slot = &id.xnack;
    if (feature_name == "sramecc") slot = &id.sramecc;
    if (slot == nullptr || *slot == Feature::unsupported)
      return error(Kind::unsupported_feature, at,
                   id.processor + " has no feature '" + std::string(feature_name) + "'");
    if (*slot != Feature::any)
      return error(Kind::repeated_feature, at,
                   "feature '" + std::string(feature_name) + "' is named twice");
    *slot = part.back() == '+' ? Feature::on : Feature::off;
    return std::nullopt;
  }

  TargetIdError error(Kind kind, std::size_t offset, std::string detail) const {
    return {kind, offset,
            "invalid target ID '" + std::string(text_) +
                "'; format is a processor name followed by an optional colon-delimited list of "
                "features followed by an enable/disable sign (e.g., 'gfx908:sramecc+:xnack-')",
            std::move(detail)};
  }
  std::unexpected<TargetIdError> fail(Kind kind, std::size_t offset, std::string detail) const {
    return std::unexpected(error(kind, offset, std::move(detail)));
  }

  std::string_view text_;
};

std::string_view sign(Feature feature) {
  return feature == Feature::on ? "+" : feature == Feature::off ? "-" : "";
}

bool fits(Feature code_object, Feature agent) {
  return (code_object != Feature::on && code_object != Feature::off) || code_object == agent;
}

Compatibility feature_mismatch(TargetMatch match, std::string_view feature, Feature code_object,
                               Feature agent) {
  std::string text = "compiled for " + std::string(feature) + std::string(sign(code_object)) +
                     ", the agent runs with " + std::string(feature);
  text += sign(agent).empty() ? " " + std::string(name(agent)) : std::string(sign(agent));
  return {match, std::move(text)};
}

}  // namespace

std::span<const Processor> processors() { return processor_table; }

const Processor* find_processor(std::string_view name) {
  const auto found = std::ranges::find(processor_table, name, &Processor::name);
  return found == processor_table.end() ? nullptr : &*found;
}

const Processor* find_processor_by_mach(std::uint32_t mach) {
  const auto found = std::ranges::find(processor_table, mach, &Processor::mach);
  return found == processor_table.end() ? nullptr : &*found;
}

std::string TargetId::text() const {
  std::string text = processor;
  if (!sign(sramecc).empty()) text += ":sramecc" + std::string(sign(sramecc));
  if (!sign(xnack).empty()) text += ":xnack" + std::string(sign(xnack));
  return text;
}

std::string TargetId::isa_name() const { return std::string(isa_prefix) + text(); }

std::expected<TargetId, TargetIdError> TargetId::parse(std::string_view text) {
  return Parser(text).parse();
}

std::string_view name(TargetId::Feature feature) {
  switch (feature) {
    case Feature::unsupported:
      return "unsupported";
    case Feature::any:
      return "any";
    case Feature::off:
      return "off";
    case Feature::on:
      return "on";
  }
  return "?";
}

std::string_view name(TargetMatch match) {
  switch (match) {
    case TargetMatch::ok:
      return "ok";
    case TargetMatch::other_processor:
      return "other processor";
    case TargetMatch::xnack_mismatch:
      return "xnack mismatch";
    case TargetMatch::sramecc_mismatch:
      return "sramecc mismatch";
    case TargetMatch::generic_too_old:
      return "generic too old";
    case TargetMatch::malformed:
      return "malformed";
  }
  return "?";
}

Compatibility compatible(const TargetId& code_object, const TargetId& agent) {
  const Processor* processor = find_processor(agent.processor);
  const bool same = code_object.processor == agent.processor;
  const bool covered = processor != nullptr && !processor->generic.empty() &&
                       processor->generic == code_object.processor;
  if (!same && !covered)
    return {TargetMatch::other_processor,
            "compiled for " + code_object.processor + ", the agent is " + agent.processor};
  if (!fits(code_object.xnack, agent.xnack))
    return feature_mismatch(TargetMatch::xnack_mismatch, "xnack", code_object.xnack, agent.xnack);
  if (!fits(code_object.sramecc, agent.sramecc))
    return feature_mismatch(TargetMatch::sramecc_mismatch, "sramecc", code_object.sramecc,
                            agent.sramecc);
  return {TargetMatch::ok, code_object.text() + " runs on " + agent.text()};
}

Compatibility compatible(std::string_view code_object, std::string_view agent) {
  const auto theirs = TargetId::parse(agent);
  if (!theirs) return {TargetMatch::malformed, theirs.error().message};
  const auto ours = TargetId::parse(code_object);
  if (ours) return compatible(*ours, *theirs);
  if (ours.error().kind == Kind::unknown_processor)
    return {TargetMatch::other_processor, ours.error().detail};
  return {TargetMatch::malformed, ours.error().message};
}

}  // namespace rocdrill
