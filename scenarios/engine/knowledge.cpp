#include "scenarios/engine/knowledge.hpp"

#include "sim/silicon/catalogue.hpp"
#include "sim/tools/tools.hpp"
#include "stack/checks/check.hpp"

namespace rocdrill::scenarios {

Knowledge built_in_knowledge() {
  Knowledge knowledge;
  knowledge.fault = [](std::string_view id) -> const sim::FaultInfo* {
    const sim::Fault* fault = sim::FaultRegistry::instance().find(id);
    return fault == nullptr ? nullptr : &fault->info();
  };
  knowledge.known_product = [](std::string_view product) {
    return silicon::find(product) != nullptr;
  };
  for (const sim::Fault* fault : sim::FaultRegistry::instance().all()) {
    knowledge.fault_ids.push_back(fault->info().id);
  }
  for (const GpuProduct& product : silicon::all()) knowledge.products.emplace_back(product.product);
  knowledge.checks = checks::ids();
  for (const sim::tools::ToolInfo& tool : sim::tools::all()) {
    knowledge.commands.emplace_back(tool.name);
  }
  return knowledge;
}

}  // namespace rocdrill::scenarios
