// Traces and histories as JSON of the Trace Event Format, which https://ui.perfetto.dev opens.
#pragma once

#include <string>
#include <string_view>

#include "sim/interpose/trace/reader.hpp"
#include "stack/timeline.hpp"

namespace rocdrill::trace {

/// A track for each thread and each queue. Calls are instants; a packet is a slice from its launch
/// to its completion. Times start with the trace's first record.
std::string perfetto(const Trace& trace);

/// A track for each layer, in virtual time; an arrow from each event to what it caused. An event
/// has no duration: it is drawn a microsecond long.
std::string perfetto(const Timeline& timeline, std::string_view title);

}  // namespace rocdrill::trace
