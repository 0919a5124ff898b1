// The simulator's own ROCr and HIP against Debian's, on the same node with the same fault: status,
// agents, device count. The first difference is named; where they differ the model is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "sim/silicon/board.hpp"
#include "support/command.hpp"
#include "support/nodes.hpp"

namespace rocdrill::test {
namespace {

struct Case {
  std::string node;
  std::string fault;                             ///< "": healthy
  std::map<std::string, std::string> variables;  ///< of the program's environment
};

void PrintTo(const Case& is, std::ostream* out) {
  *out << is.node << (is.fault.empty() ? "" : " with " + is.fault);
  for (const auto& [name, value] : is.variables) *out << " " << name << "=" << value;
}

using Report = std::map<std::string, std::string>;

/// What Debian's ROCr 5.2.3 has no name for, it lists no agent for: the node's GPUs of such a
/// target are no difference of the model.
bool known_to_5_2_3(const std::string& gfx) {
  return gfx != "gfx942" && gfx != "gfx1100" && gfx != "gfx1036" && gfx != "gfx1201";
}

Report report_of_simulator(const Case& is) {
  const auto node = is.fault.empty() ? booted(is.node) : broken(is.node, {is.fault, {}});
  ProcessSpec spec = node->host().session();
  for (const auto& [name, value] : is.variables) spec.environment[name] = value;
  Report report;
  const auto process = node->access.spawn(spec);
  auto runtime = node->open_runtime(*process);
  report["hsa_init"] =
      fmt::format("{:#x}", runtime ? 0u : static_cast<std::uint32_t>(runtime.error().status));
  if (runtime) {
    std::size_t gpu = 0;
    for (const AgentInfo& agent : (*runtime)->agents()) {
      if (agent.type != DeviceType::gpu || !known_to_5_2_3(agent.name)) continue;
      const std::string key = fmt::format("gpu{}.", gpu++);
      report[key + "name"] = agent.name;
      report[key + "isa"] = agent.isa;
      report[key + "cus"] = std::to_string(agent.compute_units);
      report[key + "bdf"] = fmt::format("{:x}", agent.bdf);
      report[key + "node"] = std::to_string(agent.node);
    }
    report["gpus"] = std::to_string(gpu);
    runtime->reset();
  }
  const auto program = node->access.spawn(spec);
  const auto hip = node->open_hip(*program);
  const auto count = hip->device_count();
  const HipError error = count ? HipError::success : count.error().error;
  report["hip.error"] = std::to_string(static_cast<int>(error));
  report["hip.name"] = name(error);
  report["hip.count"] = std::to_string(count.value_or(0));
  return report;
}

void read_lines(const std::string& text, const std::string& prefix, Report& report) {
  std::istringstream lines(text);
  for (std::string key, value; lines >> key && std::getline(lines >> std::ws, value);) {
    if (key.find(".pool") != std::string::npos || key == "done") continue;
    report[prefix + key] = value;
  }
}

Report report_of_debian(const Case& is) {
  std::string line =
      "run --node " + is.node + (is.fault.empty() ? "" : " --fault " + is.fault) + " -- env";
  for (const auto& [name, value] : is.variables) line += " " + name + "='" + value + "'";
  line +=
      " sh -c '\"$0\" agents; echo --; \"$1\"' '" ROCDRILL_HSA_CLIENT "' '" ROCDRILL_HIP_CLIENT "'";
  const std::string out = rocdrill(line).out;
  const std::size_t end = std::min(out.find("--\n"), out.size());
  Report report;
  read_lines(out.substr(0, end), "", report);
  if (end < out.size()) read_lines(out.substr(end + 3), "hip.", report);
  return report;
}

class Parity : public testing::TestWithParam<Case> {
 protected:
  Sessions sessions_;
};

TEST_P(Parity, TheSimulatorSaysWhatDebiansLibrariesSay) {
  Report simulated = report_of_simulator(GetParam());
  Report real = report_of_debian(GetParam());
  ASSERT_TRUE(real.contains("hsa_init")) << "the client did not run";
  // A GPU that this ROCr does not know is no HIP device either.
  const auto spec = test::spec(GetParam().node);
  if (!known_to_5_2_3(std::string(silicon::product_or_throw(spec.gpus.front().product).gfx))) {
    for (const char* key : {"hip.error", "hip.name", "hip.count", "gpus"}) {
      simulated.erase(key);
      real.erase(key);
    }
  }
  // The first difference, from the bottom up.
  for (const auto& [key, value] : simulated)
    ASSERT_EQ(value, real[key]) << key << " differs: left the simulator, right Debian's library";
  for (const auto& [key, value] : real)
    ASSERT_TRUE(simulated.contains(key)) << "only Debian's library says " << key << " " << value;
}

/// The line without the address of the agent in the program.
std::string memory_fault_line(const std::string& text) {
  const std::size_t begin = text.find("Memory access fault by GPU");
  if (begin == std::string::npos) return "(none)";
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const std::string handle = "(Agent handle: ";
  const std::size_t at = line.find(handle);
  if (at != std::string::npos)
    line.erase(at + handle.size(), line.find(')', at) - at - handle.size());
  return line;
}

class MemoryFaultParity : public testing::TestWithParam<const char*> {
 protected:
  Sessions sessions_;
};

TEST_P(MemoryFaultParity, BothEndWithTheSameLine) {
  const auto node = booted(GetParam());
  const auto process = node->access.spawn(node->host().session());
  auto runtime = std::move(*node->open_runtime(*process));
  const auto agents = runtime->agents();
  const auto first = std::ranges::find(agents, DeviceType::gpu, &AgentInfo::type);
  const auto queue =
      std::move(*runtime->create_queue(static_cast<std::size_t>(first - agents.begin()), {}));
  const auto done = std::move(*runtime->create_signal(1));
  queue->submit(aql::barrier_and({0xDEAD0000040}, done->handle()));
  done->wait(SignalCondition::lt, 1, UINT64_MAX);
  ASSERT_TRUE(runtime->aborted());
  const Output real = rocdrill("run --node " + std::string(GetParam()) +
                               " -- '" ROCDRILL_CLIENTS "queue_client' wild signal");
  EXPECT_EQ(real.exit_code, 134);
  EXPECT_EQ(memory_fault_line(runtime->aborted()->text), memory_fault_line(real.err));
}

INSTANTIATE_TEST_SUITE_P(Nodes, MemoryFaultParity,
                         testing::Values("mi210", "mi250x-4", "mi100", "gfx1030"));

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const char* node : {"mi210", "mi250x-4", "mi100", "gfx1030", "mi300x-8", "rx7900xtx-igpu"}) {
    list.push_back({node, "", {}});
    auto made = booted(node);
    for (const sim::Fault* fault : sim::FaultRegistry::instance().all()) {
      if (fault->info().surgical) continue;  // tests/clients/surgical
      const auto parameters = sim::FaultRegistry::check(fault->info(), {}).value();
      if (fault->inapplicable(*made, parameters).empty())
        list.push_back({node, fault->info().id, {}});
    }
  }
  for (const char* value : {"0", "1", "1,0", "7", "-1", "0,9,1", "GPU-XX", "", "0,0"}) {
    list.push_back({"mi250x-4", "", {{"ROCR_VISIBLE_DEVICES", value}}});
    list.push_back({"mi250x-4", "", {{"HIP_VISIBLE_DEVICES", value}}});
  }
  list.push_back({"mi250x-4", "", {{"ROCR_VISIBLE_DEVICES", "2,3"}, {"HIP_VISIBLE_DEVICES", "1"}}});
  list.push_back({"mi250x-4", "", {{"ROCR_VISIBLE_DEVICES", "2"}, {"HIP_VISIBLE_DEVICES", "2"}}});
  list.push_back({"mi210", "", {{"CUDA_VISIBLE_DEVICES", "3"}}});
  for (const char* value : {"0", "1"}) list.push_back({"mi210", "", {{"HSA_XNACK", value}}});
  list.push_back({"mi100", "", {{"HSA_XNACK", "1"}}});
  list.push_back({"mi210", "", {{"HSA_ENABLE_INTERRUPT", "0"}}});
  return list;
}

INSTANTIATE_TEST_SUITE_P(Cases, Parity, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = std::to_string(info.index) + "_" + info.param.node + "_" + info.param.fault;
  for (const auto& [variable, value] : info.param.variables) name += "_" + variable + "_" + value;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace rocdrill::test
