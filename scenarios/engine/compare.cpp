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
  for (LayerDifference& row : layers) {
    const auto others = [&](const EventView& event) {
      return event.layer != row.layer || event.kind == "fault.injected";
    };
    if (const auto found = first_divergence(first, second, others)) {
      row.in_first = found->in_first;
      row.in_second = found->in_second;
    }
    row.events = second.find({.layer = row.layer}).size();
  }
  return layers;
}

}  // namespace rocdrill::scenarios
