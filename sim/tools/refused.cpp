// Commands that a real node has and this one refuses by name, so that nobody takes their absence
// for a symptom.
#include "sim/tools/call.hpp"

namespace rocdrill::sim::tools {
namespace {

int refuse_command(Call& call) { return call.refuse("this command"); }

constexpr ToolInfo refused(std::string_view name) { return {name, name, "Refused: not modelled."}; }

constexpr Tool table[] = {
    {refused("awk"), refuse_command},       {refused("cd"), refuse_command},
    {refused("hipcc"), refuse_command},     {refused("llvm-objdump"), refuse_command},
    {refused("nano"), refuse_command},      {refused("poweroff"), refuse_command},
    {refused("rocprofv3"), refuse_command}, {refused("sed"), refuse_command},
    {refused("sh"), refuse_command},        {refused("shutdown"), refuse_command},
    {refused("sort"), refuse_command},      {refused("strace"), refuse_command},
    {refused("sysctl"), refuse_command},    {refused("uniq"), refuse_command},
    {refused("vim"), refuse_command},
};

}  // namespace

std::span<const Tool> refused_tools() { return table; }

}  // namespace rocdrill::sim::tools
