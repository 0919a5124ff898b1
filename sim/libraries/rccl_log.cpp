#include "sim/libraries/rccl_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace rocdrill::libraries::rccl {
namespace {

constexpr std::uint32_t bit(Subsystem of) { return static_cast<std::uint32_t>(of); }

constexpr std::pair<std::string_view, Subsystem> subsystems[] = {
    {"INIT", Subsystem::init},     {"COLL", Subsystem::coll},
    {"P2P", Subsystem::p2p},       {"SHM", Subsystem::shm},
    {"NET", Subsystem::net},       {"GRAPH", Subsystem::graph},
    {"TUNING", Subsystem::tuning}, {"ENV", Subsystem::env},
    {"ALLOC", Subsystem::alloc},   {"BOOTSTRAP", Subsystem::bootstrap}};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "INIT,P2P", "ALL", "^GRAPH": without a value INIT, BOOTSTRAP and ENV.
std::uint32_t mask_of(std::string text) {
  if (text.empty()) return bit(Subsystem::init | Subsystem::bootstrap | Subsystem::env);
  const bool without = text.starts_with('^');
  if (without) text.erase(0, 1);
  std::uint32_t mask = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string word = upper(text.substr(at, end - at));
    if (word == "ALL") mask = UINT32_MAX;
    for (const auto& [name, value] : subsystems)
      if (word == name) mask |= bit(value);
    at = end + 1;
  }
  return without ? ~mask : mask;
}

}  // namespace

Log::Log(const Process& process, std::string hostname, int device)
    : hostname_(std::move(hostname)),
      pid_(process.pid()),
      device_(device),
      mask_(mask_of(process.env("NCCL_DEBUG_SUBSYS"))) {
  const std::string level = upper(process.env("NCCL_DEBUG"));
  if (level == "VERSION") level_ = Level::version;
  if (level == "WARN") level_ = Level::warn;
  if (level == "INFO" || level == "TRACE") level_ = Level::info;
}

std::string Log::prefix() const {
  return fmt::format("{}:{}:{} [{}]", hostname_, pid_, pid_, device_);
}

void Log::info(Subsystem of, std::string_view text) {
  if (level_ < Level::info || (mask_ & bit(of)) == 0) return;
  text_ += fmt::format("{} NCCL INFO {}\n", prefix(), text);
}

void Log::warn(std::string_view where, std::string_view text) {
  last_warning_ = text;
  if (level_ < Level::warn) return;
  text_ += fmt::format("\n{} {}{}NCCL WARN {}\n", prefix(), where, where.empty() ? "" : " ", text);
}

void Log::banner(std::string_view text) {
  if (level_ != Level::none) text_ += text;
}

}  // namespace rocdrill::libraries::rccl
