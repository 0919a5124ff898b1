#include "scenarios/engine/vars.hpp"

#include <algorithm>
#include <functional>

namespace rocdrill::scenarios {
namespace {

/// SplitMix64 (Steele, Lea, Flood 2014): own, since the distributions of <random> differ between
/// libraries.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t state) : state_(state) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30u)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27u)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31u);
  }

  /// Evenly in [0, bound); bound 0 means all of the 64 bits.
  std::uint64_t below(std::uint64_t bound) {
    if (bound == 0) return next();
    const std::uint64_t uneven = (0 - bound) % bound;  // 2^64 mod bound
    std::uint64_t value = next();
    while (value < uneven) value = next();
    return value % bound;
  }

 private:
  std::uint64_t state_;
};

/// FNV-1a.
std::uint64_t hash(std::string_view text, std::uint64_t state = 0xcbf29ce484222325u) {
  for (const char byte : text) {
    state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  return state;
}

std::string to_text(const ParameterValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<bool>(value) ? "true" : "false";
}

ParameterValue draw_one(const Variable& variable, std::string_view drill, std::size_t gpus,
                        std::uint64_t seed) {
  SplitMix64 random(SplitMix64(seed).next() ^ hash(variable.name, hash(":", hash(drill))));
  if (const auto* choose = std::get_if<Choose>(&variable.source)) {
    return choose->values.empty() ? ParameterValue{}
                                  : choose->values[random.below(choose->values.size())];
  }
  if (const auto* range = std::get_if<IntegerRange>(&variable.source)) {
    const auto low = static_cast<std::uint64_t>(range->low);
    const std::uint64_t width = static_cast<std::uint64_t>(range->high) - low + 1;
    return static_cast<std::int64_t>(low + random.below(width));
  }
  return static_cast<std::int64_t>(gpus == 0 ? 0 : random.below(gpus));
}

}  // namespace

bool is_variable_name(std::string_view name) {
  const auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && lower(name.front()) && std::ranges::all_of(name, [&](char c) {
    return lower(c) || (c >= '0' && c <= '9') || c == '_';
  });
}

std::vector<Reference> references(std::string_view text) {
  std::vector<Reference> found;
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at)) {
    if (at > 0 && text[at - 1] == '$') {
      at += 2;
      continue;
    }
    const std::size_t end = text.find('}', at);
    const bool closed = end != std::string_view::npos;
    const std::size_t length = closed ? end + 1 - at : text.size() - at;
    const std::string_view name = closed ? text.substr(at + 2, length - 3) : std::string_view();
    const bool valid = is_variable_name(name);
    found.push_back({at, valid ? length : 2, valid ? name : std::string_view()});
    at += found.back().length;
  }
  return found;
}

std::string substitute(std::string_view text, const Values& values) {
  const auto literal = [](std::string_view part) {
    std::string out(part);
    for (std::size_t at = out.find("$${"); at != std::string::npos; at = out.find("$${", at + 1)) {
      out.erase(at, 1);
    }
    return out;
  };
  std::string out;
  std::size_t done = 0;
  for (const Reference& reference : references(text)) {
    const auto value = values.find(reference.name);
    if (reference.name.empty() || value == values.end()) continue;
    out += literal(text.substr(done, reference.offset - done));
    out += to_text(value->second);
    done = reference.offset + reference.length;
  }
  return out + literal(text.substr(done));
}

ParameterValue substitute_value(const ParameterValue& value, const Values& values) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return value;
  const std::vector<Reference> found = references(*text);
  if (found.size() == 1 && found[0].length == text->size()) {
    const auto drawn = values.find(found[0].name);
    if (drawn != values.end()) return drawn->second;
  }
  return substitute(*text, values);
}

std::map<std::string, std::size_t, std::less<>> largest_values(
    const std::vector<Variable>& variables) {
  std::map<std::string, std::size_t, std::less<>> sizes;
  const std::function<std::size_t(const Variable&)> size_of = [&](const Variable& variable) {
    const auto known = sizes.find(variable.name);
    if (known != sizes.end()) return known->second;
    std::size_t size = 20;  // the digits of an integer
    if (const auto* choose = std::get_if<Choose>(&variable.source)) {
      size = 0;
      for (const ParameterValue& value : choose->values)
        size = std::max(size, to_text(value).size());
    } else if (const auto* text = std::get_if<Text>(&variable.source)) {
      size = text->text.size();
      for (const Reference& reference : references(text->text)) {
        const auto other = std::ranges::find(variables, reference.name, &Variable::name);
        if (other != variables.end()) size += size_of(*other) - reference.length;
      }
    }
    return sizes[variable.name] = std::min(size, max_value_size + 1);
  };
  for (const Variable& variable : variables) size_of(variable);
  return sizes;
}

std::vector<std::string> find_cycle(const std::vector<Variable>& variables) {
  enum class State : std::uint8_t { fresh, open, done };
  std::map<std::string_view, const Variable*> by_name;
  for (const Variable& variable : variables) by_name.emplace(variable.name, &variable);
  std::map<std::string_view, State> states;
  std::vector<std::string> path;
  // Depth first; the depth is that of the chain of references.
  const std::function<bool(const Variable&)> visit = [&](const Variable& variable) {
    State& state = states[variable.name];
    if (state == State::done) return false;
    path.push_back(variable.name);
    if (state == State::open) return true;
    state = State::open;
    if (const auto* text = std::get_if<Text>(&variable.source)) {
      for (const Reference& reference : references(text->text)) {
        const auto next = by_name.find(reference.name);
        if (next != by_name.end() && visit(*next->second)) return true;
      }
    }
    states[variable.name] = State::done;
    path.pop_back();
    return false;
  };
  for (const Variable& variable : variables) {
    if (!visit(variable)) continue;
    path.erase(path.begin(), std::ranges::find(path, path.back()));
    return path;
  }
  return {};
}

Values draw(const std::vector<Variable>& variables, std::string_view drill, std::size_t gpus,
            std::uint64_t seed) {
  Values values;
  std::map<std::string_view, const Text*> texts;
  for (const Variable& variable : variables) {
    if (const auto* text = std::get_if<Text>(&variable.source)) {
      texts.emplace(variable.name, text);
    } else {
      values[variable.name] = draw_one(variable, drill, gpus, seed);
    }
  }
  // A text is ready when all texts that it refers to are: without cycles, each round settles one.
  for (std::size_t before = texts.size() + 1; !texts.empty() && texts.size() < before;) {
    before = texts.size();
    std::erase_if(texts, [&](const auto& entry) {
      const auto& [name, text] = entry;
      const bool ready = std::ranges::none_of(
          references(text->text), [&](const Reference& r) { return texts.contains(r.name); });
      if (ready) {
        // A drill whose values are larger was refused; do not let it fill the memory either.
        values.emplace(std::string(name), substitute(text->text, values).substr(0, max_value_size));
      }
      return ready;
    });
  }
  return values;
}

}  // namespace rocdrill::scenarios
