// rocminfo, the SMI tools, roc-obj-ls, the node's programs and the Python facade.
#include <gmock/gmock.h>

#include "layers/tools/rig.hpp"

namespace rocdrill::sim::tools::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

TEST(Rocminfo, HeaderAndAgentsOfAHealthyNode) {
  Rig rig;
  const CommandResult result = rig.run("rocminfo");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out,
              StartsWith("\x1B[37mROCk module version 6.10.5 is loaded\x1B[0m\n" +
                         fixture("rocminfo_header_6.txt") +
                         "  Name:                    AMD EPYC 9654 96-Core Processor    \n"));
  EXPECT_THAT(result.out, EndsWith("*** Done ***             \n"));
  EXPECT_THAT(result.out, HasSubstr("\nAgent 10                 \n"));
}

TEST(Rocminfo, LinesOfAnMi300x) {
  Rig rig;
  const std::string all = rig.run("rocminfo").out;
  const std::size_t begin = all.find("Agent 3 "), end = all.find("Agent 4 ");
  ASSERT_NE(end, std::string::npos);
  std::size_t at = begin;
  for (const std::string& line : lines_of(fixture("rocminfo_mi300x_agent.txt"))) {
    const std::string label = line.substr(0, line.find('|')),
                      value = line.substr(line.find('|') + 1);
    std::string wanted = label;
    if (!value.empty())
      wanted += std::string(label.size() < 25 ? 25 - label.size() : 0, ' ') + value;
    const std::size_t found = all.find(" " + wanted, at);
    ASSERT_LT(found, end) << "no line '" << wanted << "' in its place";
    at = found + 1;
  }
  EXPECT_THAT(all, HasSubstr("  Uuid:                    GPU-9f444a2fb30adeb0               \n"));
  EXPECT_THAT(all, HasSubstr("  BDFID:                   6912                               \n"));
}

TEST(Rocminfo, ModuleAbsent) {
  for (const NodeSpec& spec : {mi300x_spec(), mi210_spec()}) {
    Rig rig(spec);
    rig.as_root("rmmod amdgpu");
    const CommandResult result = rig.run("rocminfo");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, fixture("rocminfo_not_loaded.txt"));
    EXPECT_NE(result.event, no_event);
  }
}

TEST(Rocminfo, ModuleNotLive) {
  Rig rig;
  rig.node.kernel.modules.find("amdgpu")->initstate = "going";
  const CommandResult result = rig.run("rocminfo");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "\x1B[31mROCk module is NOT live, possibly no GPU devices\x1B[0m\n");
}

TEST(Rocminfo, NoPermission) {
  Rig rig;
  rig.as_root("gpasswd -d ada render");
  rig.run("su - ada");
  const CommandResult result = rig.run("rocminfo");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, fixture("rocminfo_no_group.txt"));
  rig.as_root("usermod -aG render ada");  // in the database, not in the session
  EXPECT_THAT(rig.run("rocminfo").out, EndsWith("\x1B[37mada is member of render group\x1B[0m\n"));
  EXPECT_EQ(rig.run("sudo rocminfo").exit_code, 0);
}

TEST(Rocminfo, NoDeviceNodeInTheContainer) {
  Rig rig;
  ProcessSpec spec = rig.node.host().session();
  spec.restrict_devices = true;
  const CommandResult result = rig.node.host().run({"rocminfo"}, spec);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              HasSubstr("Unable to open /dev/kfd read-write: No such file or directory\x1B[0m\n"));
}

TEST(Rocminfo, CpuAgentsOnlyWhenEveryProbeFailed) {
  Rig rig;
  rig.as_root("rm /lib/firmware/updates/amdgpu/gc_9_4_3_rlc.bin");
  rig.as_root("reboot");
  const CommandResult result = rig.run("rocminfo");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("Agent 2 "));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("Agent 3 ")));
  EXPECT_THAT(result.out, EndsWith("*** Done ***             \n"));
}

TEST(Rocminfo, HsaInitFails) {
  Rig rig;
  const CommandResult result = rig.run("HSA_OVERRIDE_GFX_VERSION=banana rocminfo");
  EXPECT_EQ(result.exit_code, 8);  // 4104 & 0xFF
  EXPECT_THAT(result.out, HasSubstr("\x1B[31mhsa api call failure at: "));
  EXPECT_THAT(result.out, HasSubstr("Call returned HSA_STATUS_ERROR_OUT_OF_RESOURCES: "));
  ASSERT_NE(result.event, no_event);
  const auto chain = rig.node.os.timeline.cause_chain(result.event);
  EXPECT_EQ(rig.node.os.timeline.at(chain.back()).subject, "rocminfo");  // the command that set it
}

TEST(Rocminfo, VariablesFilterTheAgents) {
  Rig rig;
  EXPECT_EQ(rig.run("ROCR_VISIBLE_DEVICES=0,1 rocminfo | grep -c gfx942:").out, "2\n");
  EXPECT_EQ(rig.run("ROCR_VISIBLE_DEVICES= rocminfo | grep -c gfx942:").out, "0\n");
}

TEST(Rocminfo, Release5HasItsOwnLayout) {
  Rig rig(mi210_spec());
  const CommandResult result = rig.run("rocminfo");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, StartsWith("\x1B[37mROCk module is loaded\x1B[0m\n"));
  EXPECT_THAT(result.out, HasSubstr("Runtime Version:         1.1\nSystem Timestamp Freq.:"));
  EXPECT_THAT(result.out,
              HasSubstr("System Endianness:       LITTLE                             \n\n"));
  for (const char* newer : {"Mwaitx", "DMAbuf", "Recommended", "Coherent Host", "uCode"}) {
    EXPECT_THAT(result.out, testing::Not(HasSubstr(newer)));
  }
  EXPECT_THAT(result.out,
              HasSubstr("Name:                    amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"));
}

TEST(Rocminfo, GoesWithItsPackage) {
  Rig rig;
  rig.as_root("apt-get remove -y rocminfo");
  EXPECT_FALSE(rig.run("rocminfo").found);
  rig.as_root("apt-get install -y rocminfo");
  EXPECT_EQ(rig.run("/opt/rocm-6.3.3/bin/rocminfo").exit_code, 0);
}

TEST(RocmTools, AgentEnumerator) {
  Rig rig;
  const auto lines = lines_of(rig.run("rocm_agent_enumerator").out);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(lines[0], "gfx000");
  EXPECT_EQ(lines[2], "gfx942");
  rig.as_root("rmmod amdgpu");
  const CommandResult result = rig.run("rocm_agent_enumerator");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.err,
      EndsWith(
          "FileNotFoundError: [Errno 2] No such file or directory: '/sys/class/kfd/kfd/topology/nodes/'\n"));
}

TEST(RocmTools, AmdSmiList) {
  Rig rig;
  const std::string all = rig.run("amd-smi list").out;
  std::string first = all.substr(0, all.find("\n\n") + 1);
  const std::size_t id = first.find("KFD_ID: ") + 8;
  first.replace(id, first.find('\n', id) - id, "*");
  std::string wanted = replaced(fixture("amd_smi_list.txt"), "0000:83:00.0", "0000:1b:00.0");
  wanted = replaced(replaced(wanted, "9fff74b9", "9fff74a1"), "NODE_ID: 1", "NODE_ID: 2");
  EXPECT_EQ(first, wanted);
  EXPECT_THAT(all, HasSubstr("\n\nGPU: 7\n    BDF: 0000:dd:00.0\n"));
}

TEST(RocmTools, AmdSmiWithoutADriverOrADevice) {
  Rig rig;
  rig.as_root("rmmod amdgpu");
  const CommandResult result = rig.run("amd-smi list");
  EXPECT_EQ(result.exit_code, 255);
  EXPECT_THAT(
      result.err,
      StartsWith(
          "ERROR:root:Unable to get devices, driver not initialized (amdgpu not found in modules)\n"
          "ERROR:root:Unable to detect any GPU devices, check amdgpu version and module status "
          "(sudo modprobe amdgpu)\n"));
  EXPECT_THAT(result.out, StartsWith("AMDSMI Tool: "));
  EXPECT_THAT(rig.run("amd-smi version").out, EndsWith("| ROCm version: 6.3.3\n"));
  EXPECT_EQ(rig.run("amd-smi static").exit_code, 255);
  EXPECT_EQ(rig.run("amd-smi process").exit_code, 2) << "not one of ours";
  EXPECT_FALSE(Rig(mi210_spec()).run("amd-smi list").found);
}

TEST(RocmTools, RocmSmi) {
  Rig rig;
  const std::string table = rig.run("rocm-smi").out;
  EXPECT_THAT(table, StartsWith("\n\n" + fixture("rocm_smi_frame.txt") + "0       2     0x74a1, "));
  EXPECT_THAT(
      table,
      HasSubstr(
          "  N/A         N/A       NPS1, SPX, 0        N/A     N/A     N/A  N/A   N/A     0%     N/A   \n"));
  EXPECT_EQ(rig.run("rocm-smi --showtemp").exit_code, 2);
  rig.as_root("rmmod amdgpu");
  const CommandResult none = rig.run("rocm-smi");
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.err, fixture("no_driver_smi.txt"));
  EXPECT_EQ(none.out, "");
}

TEST(RocmTools, RocmSmiShowsVramThatIsHeld) {
  Rig rig;
  const kernel::KfdNode& node = rig.node.kernel.kfd.nodes().front();
  ASSERT_TRUE(rig.node.kernel.kfd.attach(99, node.gpu_id));
  ASSERT_TRUE(rig.node.kernel.kfd.reserve_vram(99, node.gpu_id, node.vram_bytes / 2));
  EXPECT_THAT(rig.run("rocm-smi").out, HasSubstr("  50%    N/A   \n"));
}

TEST(RocmTools, ObjLsListsTheTargets) {
  Rig rig;
  const CommandResult result = rig.run("roc-obj-ls -v /srv/job/saxpy");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(
      result.out,
      StartsWith(
          "Bundle# Entry ID:                                                              URI:\n"));
  EXPECT_THAT(result.out, HasSubstr("1       hipv4-amdgcn-amd-amdhsa--gfx942 "));
  EXPECT_THAT(result.out, HasSubstr("file:///srv/job/saxpy#offset="));
  const CommandResult none = rig.run("roc-obj-ls /etc/group");
  EXPECT_EQ(none.exit_code, 255);
  EXPECT_EQ(none.err, "Error: No kernel section found\n");
}

TEST(RocmTools, Hipconfig) {
  EXPECT_EQ(Rig().run("hipconfig --version").out, "6.3.42134-a9a80e791\n");
  EXPECT_EQ(Rig(mi210_spec()).run("hipconfig --version").out, "5.2.21153-0\n");
  EXPECT_EQ(Rig().run("hipconfig").exit_code, 2);
}

TEST(Program, FailsAsItsRuntimeDoes) {
  Rig rig;
  EXPECT_EQ(rig.run("/srv/job/nothing").exit_code, 127);
  EXPECT_EQ(rig.run("/etc/group").exit_code, 126);
  rig.as_root("rmmod amdgpu");
  const CommandResult result = rig.run("/srv/job/saxpy");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.err, "error: 'no ROCm-capable device is detected'(100)\n");
}

TEST(PythonFacade, BringUpScriptUpToTheProduct) {
  Rig rig;
  const CommandResult result = rig.run(
      "python3 -c 'import torch\nassert torch.version.hip, \"not a ROCm build of PyTorch\"\n"
      "n = torch.cuda.device_count(); assert n > 0, \"HIP sees no devices\"\n"
      "a = torch.randn(4096, 4096, device=\"cuda\", dtype=torch.bfloat16)\n"
      "torch.cuda.synchronize(); print(n, \"GPUs\", torch.cuda.get_device_properties(0).gcnArchName)'");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "8 GPUs gfx942:sramecc+:xnack-\n");
}

TEST(PythonFacade, Values) {
  Rig rig;
  EXPECT_EQ(rig.run("python3 -c 'import torch; print(torch.version.hip); print(torch.__version__); "
                    "print(torch.cuda.is_available()); print(torch.version.cuda)'")
                .out,
            "6.3.42134-a9a80e791\n2.6.0+rocm6.3\nTrue\nNone\n");
}

TEST(PythonFacade, NoDevice) {
  Rig rig;
  rig.as_root("rmmod amdgpu");
  EXPECT_EQ(
      rig.run(
             "python3 -c 'import torch; print(torch.cuda.is_available(), torch.cuda.device_count())'")
          .out,
      "False 0\n");
  const CommandResult assertion = rig.run(
      "python3 -c 'import torch; n = torch.cuda.device_count(); assert n > 0, \"HIP sees no devices\"'");
  EXPECT_EQ(assertion.exit_code, 1);
  EXPECT_EQ(assertion.err,
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n"
            "AssertionError: HIP sees no devices\n");
  EXPECT_NE(assertion.event, no_event);
  const CommandResult product = rig.run(
      "python3 -c 'import torch; a = torch.randn(8, 8, device=\"cuda\"); print((a @ a).mean())'");
  EXPECT_EQ(product.exit_code, 1);
  EXPECT_THAT(product.err, EndsWith("RuntimeError: No HIP GPUs are available\n"));
}

TEST(PythonFacade, VariablesReachTorch) {
  Rig rig;
  rig.run("export ROCR_VISIBLE_DEVICES=3");
  EXPECT_EQ(rig.run("python3 -c 'import torch; print(torch.cuda.device_count())'").out, "1\n");
  rig.run("export HIP_VISIBLE_DEVICES=3");
  EXPECT_EQ(rig.run("python3 -c 'import torch; print(torch.cuda.is_available())'").out, "False\n");
}

TEST(PythonFacade, RefusesWhatItDoesNotKnow) {
  Rig rig;
  for (const char* statement :
       {"import os", "import torch; torch.compile(x)", "print(1 + 1)", "for i in range(3): pass",
        "import torch; print(torch.cuda.memory_allocated())", "x = [1, 2]", "print(", "a=(",
        "assert"}) {
    const CommandResult result =
        rig.node.host().run({"python3", "-c", statement}, rig.node.host().session());
    EXPECT_EQ(result.exit_code, 2) << statement << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("not modelled by rocdrill")) << statement;
  }
  EXPECT_EQ(rig.run("python3 train.py").exit_code, 2);
  EXPECT_THAT(rig.run("python3 -c 'print(torch.version.hip)'").err,
              EndsWith("NameError: name 'torch' is not defined\n"));
}

TEST(Pip, RestoresTheWheel) {
  Rig rig;
  const std::string site = "/opt/venv/lib/python3.12/site-packages/torch";
  rig.as_root("rm -r " + site);
  EXPECT_THAT(rig.run("python3 -c 'import torch'").err,
              EndsWith("ModuleNotFoundError: No module named 'torch'\n"));
  EXPECT_EQ(rig.run("pip show torch").exit_code, 1);
  EXPECT_EQ(rig.run("pip install torch==2.6.0+rocm6.3").exit_code, 1);  // not her directory
  EXPECT_EQ(rig.as_root("pip install torch==2.6.0+rocm6.3").exit_code, 0);
  EXPECT_EQ(rig.run("python3 -c 'import torch; print(torch.cuda.device_count())'").out, "8\n");
  EXPECT_EQ(rig.as_root("pip install torch==1.0").exit_code, 2);
  EXPECT_THAT(rig.as_root("pip install torch==2.6.0+rocm6.3").out,
              StartsWith("Requirement already satisfied"));
}

}  // namespace
}  // namespace rocdrill::sim::tools::test
