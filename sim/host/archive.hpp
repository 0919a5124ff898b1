// Saving and restoring a node's state. Each component has one
//   template <class Archive> void serialize(Archive& archive)
// that names every field: archive("name", field). The same function saves and restores.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rocdrill::sim {

using Json = nlohmann::json;

/// Bytes that need not be text (file contents, memory).
struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};

class Saver;
class Loader;

template <class T>
concept Serializable = requires(T& value, Saver& saver) { value.serialize(saver); };

class Saver {
 public:
  static constexpr bool saving = true;
  template <class T>
  void operator()(std::string_view name, T& value) {
    out_[std::string(name)] = save(value);
  }
  Json take() { return std::move(out_); }

  template <class T>
  static Json save(T& value) {
    if constexpr (Serializable<std::remove_const_t<T>>) {
      Saver inner;
      const_cast<std::remove_const_t<T>&>(value).serialize(inner);
      return inner.take();
    } else if constexpr (std::is_same_v<std::remove_const_t<T>, Blob>) {
      return Json::binary({value.bytes.begin(), value.bytes.end()});
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (requires { value.first, value.second; }) {
      return Json::array({save(value.first), save(value.second)});
    } else if constexpr (requires { value.has_value(); }) {
      return value ? Json::array({save(*value)}) : Json::array();
    } else if constexpr (requires { typename T::mapped_type; }) {
      Json list = Json::array();
      for (auto& [key, item] : value) list.push_back(Json::array({save(key), save(item)}));
      return list;
    } else if constexpr (std::is_convertible_v<T, std::string_view> || std::is_arithmetic_v<T> ||
                         std::is_same_v<std::remove_const_t<T>, Json>) {
      return Json(value);
    } else {
      Json list = Json::array();
      for (auto&& item : value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<T>, std::vector<bool>>) {
          list.push_back(static_cast<bool>(item));
        } else {
          list.push_back(save(item));
        }
      }
      return list;
    }
  }

 private:
  Json out_ = Json::object();
};

class Loader {
 public:
  static constexpr bool saving = false;
  explicit Loader(const Json& in) : in_(in) {}

  /// Throws std::runtime_error naming the field that is missing or of another shape.
  template <class T>
  void operator()(std::string_view name, T& value) {
    const auto found = in_.find(std::string(name));
    if (found == in_.end()) {
      throw std::runtime_error("saved state lacks field '" + std::string(name) + "'");
    }
    try {
      load(*found, value);
    } catch (const nlohmann::json::exception& error) {
      throw std::runtime_error("field '" + std::string(name) + "': " + error.what());
    }
  }

  template <class T>
  static void load(const Json& in, T& value) {
    if constexpr (Serializable<T>) {
      Loader inner(in);
      value.serialize(inner);
    } else if constexpr (std::is_same_v<T, Blob>) {
      const auto& bytes = in.get_binary();
      value.bytes.assign(bytes.begin(), bytes.end());
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(in.get<std::underlying_type_t<T>>());
    } else if constexpr (requires { value.first, value.second; }) {
      load(in.at(0), value.first);
      load(in.at(1), value.second);
    } else if constexpr (requires {
                           value.has_value();
                           value.emplace();
                         }) {
      value.reset();
      if (!in.empty()) load(in.at(0), value.emplace());
    } else if constexpr (requires { typename T::mapped_type; }) {
      value.clear();
      for (const Json& item : in) {
        typename T::key_type key{};
        load(item.at(0), key);
        load(item.at(1), value[key]);
      }
    } else if constexpr (requires { typename T::key_type; }) {
      value.clear();
      for (const Json& item : in) {
        typename T::key_type key{};
        load(item, key);
        value.insert(std::move(key));
      }
    } else if constexpr (std::is_same_v<T, std::string> || std::is_arithmetic_v<T>) {
      in.get_to(value);
    } else if constexpr (std::is_same_v<T, Json>) {
      value = in;
    } else if constexpr (requires { value.push_back({}); }) {
      value.clear();
      for (const Json& item : in) {
        typename T::value_type element{};
        load(item, element);
        value.push_back(std::move(element));
      }
    } else {
      if (in.size() != value.size()) throw std::runtime_error("array of another length");
      for (std::size_t i = 0; i < value.size(); ++i) load(in.at(i), value[i]);
    }
  }

 private:
  const Json& in_;
};

/// Deterministic bytes of a component's state.
template <class T>
std::string save_bytes(T& component) {
  std::string bytes;
  Json::to_cbor(Saver::save(component), bytes);
  return bytes;
}

/// Throws std::runtime_error on bytes that save_bytes of the same version did not write.
template <class T>
void load_bytes(const std::string& bytes, T& component) {
  const Json state = Json::from_cbor(bytes, true, false);
  if (state.is_discarded()) throw std::runtime_error("not a saved state (CBOR is damaged)");
  Loader::load(state, component);
}

}  // namespace rocdrill::sim
