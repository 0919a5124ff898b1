#include "cli/story_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "scenarios/engine/evidence.hpp"

namespace rocdrill::cli {
namespace {

constexpr std::size_t most_lines = 6;

/// The lines that mention what the event is about, else all of them; the first few.
std::vector<std::string> telling_lines(const scenarios::Evidence& evidence) {
  const bool any = std::ranges::any_of(evidence.lines, &scenarios::EvidenceLine::telling);
  std::vector<std::string> chosen;
  for (const scenarios::EvidenceLine& line : evidence.lines) {
    if (line.telling || !any) chosen.push_back(line.text);
  }
  if (chosen.size() > most_lines) {
    const std::size_t left_out = chosen.size() - most_lines;
    chosen.resize(most_lines);
    chosen.push_back(fmt::format("... {} more lines", left_out));
  }
  return chosen;
}

std::string labelled(std::string_view label, const std::string& value, std::size_t width) {
  if (value.empty()) return {};
  return fmt::format("    {:<8}", label) + wrap(printable(value), width, 12).substr(12);
}

}  // namespace

Colour colour_of(scenarios::LayerState state) {
  switch (state) {
    case scenarios::LayerState::ok:
      return Colour::green;
    case scenarios::LayerState::warning:
      return Colour::yellow;
    case scenarios::LayerState::fault:
      return Colour::red;
    case scenarios::LayerState::affected:
      return Colour::yellow;
    case scenarios::LayerState::unmodelled:
      return Colour::blue;
    case scenarios::LayerState::not_reached:
      break;
  }
  return Colour::grey;
}

std::string badge(scenarios::LayerState state) {
  const char* glyph = "-";
  if (state == scenarios::LayerState::ok) glyph = "ok";
  if (state == scenarios::LayerState::warning) glyph = "!";
  if (state == scenarios::LayerState::fault) glyph = "X";
  if (state == scenarios::LayerState::affected) glyph = "x";
  if (state == scenarios::LayerState::unmodelled) glyph = "?";
  const std::string word(scenarios::name(state));
  return paint(word == glyph ? word : fmt::format("{} {}", glyph, word), colour_of(state));
}

std::string evidence_text(sim::Node& node, const EventView& event, std::size_t indent) {
  const std::string command = event.text(field::see);
  if (command.empty()) return {};
  const auto evidence = scenarios::look(node.host(), command, &event);
  if (!evidence) return {};
  const std::string margin(indent, ' ');
  std::string text = margin + paint("$ " + command, Colour::blue) + "\n";
  for (const std::string& line : telling_lines(*evidence)) text += margin + printable(line) + "\n";
  return text;
}

namespace {

/// Asked, got, did, because, and what an operator sees.
std::string trouble_text(sim::Node& node, const EventView& event, std::size_t width) {
  std::string text = labelled("what", fmt::format("{} {}", event.kind, event.subject), width);
  text += labelled("asked", event.text(field::asked), width);
  text += labelled("got", event.text(field::got), width);
  text += labelled("did", event.text(field::did), width);
  if (event.cause != no_event) {
    const EventView cause = node.os.timeline.at(event.cause);
    text += labelled(
        "because", fmt::format("{} {} ({})", cause.kind, cause.subject, title(cause.layer)), width);
  }
  return text + evidence_text(node, event, 12);
}

/// "pci.enumerated 0000:dd:00.0 and 7 more".
std::string harmless_text(const Timeline& timeline, const scenarios::LayerStory& story) {
  const EventView event = timeline.at(story.telling);
  const auto same = std::ranges::count_if(
      story.events, [&](EventId id) { return timeline.at(id).kind == event.kind; });
  std::string line = fmt::format("{} {}", event.kind, event.subject);
  if (const std::string got = event.text(field::got); !got.empty()) line += ": " + got;
  if (same > 1) line += fmt::format(", and {} more", same - 1);
  return "    " + printable(line) + "\n";
}

}  // namespace

std::string layer_text(sim::Node& node, const scenarios::LayerStory& story, std::size_t width) {
  const Timeline& timeline = node.os.timeline;
  std::string text = fmt::format("{} {:<16} {}", static_cast<int>(story.layer), title(story.layer),
                                 badge(story.state));
  if (story.telling == no_event) return text + "\n";
  const EventView event = timeline.at(story.telling);
  text += paint(fmt::format("   t = {}", seconds(event.time_ns)), Colour::grey) + "\n";
  if (event.severity < Severity::warning) return text + harmless_text(timeline, story);
  if (event.severity != Severity::error) return text + trouble_text(node, event, width);
  // Every kind of error once: eight GPUs that fail alike tell the same story.
  std::map<std::string, std::size_t> kinds;
  for (const EventId id : story.events) {
    const EventView error = timeline.at(id);
    if (error.severity != Severity::error) continue;
    if (kinds[std::string(error.kind)]++ == 0) text += trouble_text(node, error, width);
  }
  for (const auto& [kind, count] : kinds) {
    if (count > 1) text += fmt::format("    {} times: {}\n", count, kind);
  }
  return text;
}

}  // namespace rocdrill::cli
