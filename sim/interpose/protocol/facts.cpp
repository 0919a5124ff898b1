#include "sim/interpose/protocol/facts.hpp"

#include "sim/host/archive.hpp"

namespace rocdrill::interpose {

namespace {

Json injections_json(kernel::Injections injections) {
  sim::Saver saver;
  injections.serialize(saver);
  return saver.take();
}

Json unreachable_json(const std::vector<kernel::UnreachablePeer>& peers) {
  Json json = Json::array();
  for (const kernel::UnreachablePeer& peer : peers)
    json.push_back({peer.gpu_id, peer.through_iommu, peer.event});
  return json;
}

kernel::Injections injections_of(const Json& json) {
  kernel::Injections injections;
  sim::Loader loader(json);
  injections.serialize(loader);
  return injections;
}

}  // namespace

Json to_json(const kernel::DeviceFacts& facts) {
  Json gpus = Json::array();
  for (const kernel::GpuFacts& gpu : facts.gpus) {
    gpus.push_back({{"gpu_id", gpu.gpu_id},
                    {"render_minor", gpu.render_minor},
                    {"card_minor", gpu.card_minor},
                    {"vram_bytes", gpu.vram_bytes},
                    {"gfx_target_version", gpu.gfx_target_version},
                    {"sdma_engines", gpu.sdma_engines},
                    {"sdma_xgmi_engines", gpu.sdma_xgmi_engines},
                    {"sdma_queues_per_engine", gpu.sdma_queues_per_engine},
                    {"gb_addr_config", gpu.gb_addr_config},
                    {"compute_queues", gpu.compute_queues},
                    {"compute_units", gpu.compute_units},
                    {"xccs", gpu.xccs},
                    {"engine_mhz", gpu.engine_mhz},
                    {"memory_bytes_per_us", gpu.memory_bytes_per_us},
                    {"xnack", static_cast<int>(gpu.xnack)},
                    {"poisoned", gpu.poisoned},
                    {"fails_under_load", gpu.fails_under_load},
                    {"preempts", gpu.preempts},
                    {"unreachable", unreachable_json(gpu.unreachable)},
                    {"large_bar", gpu.large_bar},
                    {"max_workgroup_size", gpu.limits.max_workgroup_size},
                    {"lds_bytes", gpu.limits.lds_bytes},
                    {"wavefront_size", gpu.limits.wavefront_size}});
  }
  return {{"epoch", facts.epoch},
          {"kfd_minor", facts.era.minor},
          {"unknown_is_enotty", facts.era.unknown_is_enotty},
          {"out_of_tree", facts.era.out_of_tree},
          {"noretry", facts.noretry},
          {"queue_events", static_cast<int>(facts.queue_events)},
          {"event", facts.event},
          {"injections", injections_json(facts.injections)},
          {"gpus", std::move(gpus)}};
}

kernel::DeviceFacts facts_of(const Json& json) {
  kernel::DeviceFacts facts;
  facts.epoch = json.at("epoch");
  facts.era = {json.at("kfd_minor"), json.at("unknown_is_enotty"), json.at("out_of_tree")};
  facts.noretry = json.at("noretry");
  facts.queue_events = static_cast<cp::EventLevel>(json.at("queue_events").get<int>());
  facts.event = json.at("event");
  facts.injections = injections_of(json.at("injections"));
  for (const Json& gpu : json.at("gpus")) {
    kernel::GpuFacts one;
    gpu.at("gpu_id").get_to(one.gpu_id);
    gpu.at("render_minor").get_to(one.render_minor);
    gpu.at("card_minor").get_to(one.card_minor);
    gpu.at("vram_bytes").get_to(one.vram_bytes);
    gpu.at("gfx_target_version").get_to(one.gfx_target_version);
    gpu.at("sdma_engines").get_to(one.sdma_engines);
    gpu.at("sdma_xgmi_engines").get_to(one.sdma_xgmi_engines);
    gpu.at("sdma_queues_per_engine").get_to(one.sdma_queues_per_engine);
    gpu.at("gb_addr_config").get_to(one.gb_addr_config);
    gpu.at("compute_queues").get_to(one.compute_queues);
    gpu.at("compute_units").get_to(one.compute_units);
    gpu.at("xccs").get_to(one.xccs);
    gpu.at("engine_mhz").get_to(one.engine_mhz);
    gpu.at("memory_bytes_per_us").get_to(one.memory_bytes_per_us);
    one.xnack = static_cast<XnackSupport>(gpu.at("xnack").get<int>());
    gpu.at("poisoned").get_to(one.poisoned);
    gpu.at("fails_under_load").get_to(one.fails_under_load);
    gpu.at("preempts").get_to(one.preempts);
    for (const Json& peer : gpu.at("unreachable"))
      one.unreachable.push_back({peer.at(0), peer.at(1), peer.at(2)});
    gpu.at("large_bar").get_to(one.large_bar);
    gpu.at("max_workgroup_size").get_to(one.limits.max_workgroup_size);
    gpu.at("lds_bytes").get_to(one.limits.lds_bytes);
    gpu.at("wavefront_size").get_to(one.limits.wavefront_size);
    facts.gpus.push_back(one);
  }
  return facts;
}

Json to_json(const kernel::VramExtents& extents) {
  Json json = Json::array();
  for (const kernel::VramExtent& one : extents) json.push_back({one.begin, one.bytes});
  return json;
}

kernel::VramExtents extents_of(const Json& json) {
  kernel::VramExtents extents;
  for (const Json& one : json) extents.push_back({one.at(0), one.at(1)});
  return extents;
}

Json to_json(std::span<const Field> fields) {
  Json json = Json::object();
  for (const Field& field : fields) {
    const std::string key(field.key);
    if (const auto* number = std::get_if<std::int64_t>(&field.value)) json[key] = *number;
    if (const auto* text = std::get_if<std::string_view>(&field.value))
      json[key] = std::string(*text);
  }
  return json;
}

}  // namespace rocdrill::interpose
