// DeviceFacts and events as messages carry them.
#pragma once

#include "sim/interpose/protocol/message.hpp"
#include "sim/kernel/process/device_service.hpp"

namespace rocdrill::interpose {

Json to_json(const kernel::DeviceFacts& facts);
/// Throws nlohmann::json::exception for a message of another version.
kernel::DeviceFacts facts_of(const Json& json);
Json to_json(const kernel::VramExtents& extents);
kernel::VramExtents extents_of(const Json& json);

/// The fields of an event: {"name": text or number}.
Json to_json(std::span<const Field> fields);

}  // namespace rocdrill::interpose
