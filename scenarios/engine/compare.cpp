#include "scenarios/engine/compare.hpp"

namespace rocdrill::scenarios {

std::vector<LayerDifference> compare(const Timeline& first, const Timeline& second) {
  std::vector<LayerDifference> layers{{.layer = Layer::host}};
  const auto in_first = tell(first);
  const auto in_second = tell(second);
  for (std::size_t i = 0; i < in_second.size(); ++i) {
    layers.push_back({.layer = in_second[i].layer,
                      .first_state = in_first[i].state,
                      .second_state = in_second[i].state});
  }
  const auto marker = [](const EventView& event) { return event.kind == "fault.injected"; };
  const auto divergences = divergences_by_layer(first, second, marker);
  for (LayerDifference& row : layers) {
    if (const auto& found = divergences[static_cast<std::size_t>(row.layer)]) {
      row.in_first = found->in_first;
      row.in_second = found->in_second;
    }
    row.events = second.find({.layer = row.layer}).size();
  }
  return layers;
}

}  // namespace rocdrill::scenarios
