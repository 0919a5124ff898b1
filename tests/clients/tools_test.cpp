// Debian's own tools, unchanged, on nodes of several generations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++found;
  return found;
}

struct Expected {
  const char* node;
  const char* gfx;
  const char* isa;
  const char* marketing;
  std::size_t gpus;
  const char* compute_units;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.node; }

class Tools : public testing::TestWithParam<Expected> {
 protected:
  Output on_node(const std::string& program) {
    return rocdrill("run --node " + std::string(GetParam().node) + " -- " + program);
  }
  Sessions sessions_;
};

TEST_P(Tools, RocminfoListsTheGpus) {
  const Output output = on_node("rocminfo");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("ROCk module is loaded"));
  EXPECT_EQ(count(output.out, std::string("  Name:                    ") + GetParam().gfx + " "),
            GetParam().gpus);
  EXPECT_EQ(
      count(output.out, std::string("      Name:                    ") + GetParam().isa + "\n") +
          count(output.out, std::string("      Name:                    ") + GetParam().isa + " "),
      GetParam().gpus);
  EXPECT_THAT(output.out,
              HasSubstr(std::string("Marketing Name:          ") + GetParam().marketing));
  EXPECT_THAT(output.out,
              HasSubstr(std::string("Compute Unit:            ") + GetParam().compute_units));
  EXPECT_THAT(output.out, HasSubstr("*** Done ***"));
  EXPECT_EQ(output.err, "") << "nothing is refused, nothing is missing";
}

TEST_P(Tools, TheAgentEnumeratorPrintsOneLinePerNode) {
  const Output output = on_node("rocm_agent_enumerator");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_GE(count(output.out, "gfx000\n"), 1u);
  EXPECT_EQ(count(output.out, std::string(GetParam().gfx) + "\n"), GetParam().gpus);
}

TEST_P(Tools, RocmSmiHasARowPerGpu) {
  const Output output = on_node("rocm-smi");
  EXPECT_THAT(output.out, HasSubstr("Concise Info"));
  EXPECT_THAT(output.out, Not(HasSubstr("No AMD GPUs")));
  EXPECT_EQ(output.err.find("Traceback"), std::string::npos) << output.err;
  for (std::size_t gpu = 0; gpu < GetParam().gpus; ++gpu)
    EXPECT_THAT(output.out, HasSubstr("\n" + std::to_string(gpu) + "    ")) << output.out;
}

TEST_P(Tools, LsmodAndLspciAgree) {
  const Output modules = on_node("lsmod");
  EXPECT_EQ(modules.exit_code, 0);
  EXPECT_THAT(modules.out, HasSubstr("\namdgpu "));
  EXPECT_EQ(modules.err, "");
  const Output devices = on_node("lspci -nnk");
  EXPECT_EQ(devices.exit_code, 0);
  EXPECT_EQ(count(devices.out, "Kernel driver in use: amdgpu"), GetParam().gpus) << devices.out;
  // The session has no depmod indices in libkmod's binary form.
}

TEST_P(Tools, RadeontopReadsTheCard) {
  const Output output = on_node("radeontop -d - -l 1");
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("gpu 0.00%"));
  EXPECT_THAT(output.out, HasSubstr("vram "));
  EXPECT_THAT(output.err, Not(HasSubstr("not modelled")));
}

INSTANTIATE_TEST_SUITE_P(
    Nodes, Tools,
    testing::Values(Expected{"mi210", "gfx90a", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                             "AMD Instinct MI210", 1, "104"},
                    Expected{"mi250x-4", "gfx90a", "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-",
                             "AMD Instinct MI250X", 8, "110"},
                    Expected{"mi100", "gfx908", "amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-",
                             "AMD Instinct MI100", 1, "120"},
                    Expected{"gfx1030", "gfx1030", "amdgcn-amd-amdhsa--gfx1030",
                             "AMD Radeon RX 6900 XT", 1, "80"}),
    [](const auto& info) {
      std::string name = info.param.node;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

class SmiOption : public testing::TestWithParam<const char*> {
 protected:
  Sessions sessions_;
};

/// Every display option of rocm-smi 5.2.3 ends without a traceback, and says something.
TEST_P(SmiOption, Prints) {
  // On boards with overdrive but without a voltage curve, such as the MI210, 5.2.3 ends with a
  // failed assertion of its own when it shows voltages.
  const std::string option = GetParam();
  const std::string node = option == "-S" || option == "--showallinfo" ? "gfx1030" : "mi210";
  const Output output = rocdrill("run --node " + node + " -- rocm-smi " + option);
  EXPECT_THAT(output.out, HasSubstr("End of ROCm SMI Log")) << output.err;
  EXPECT_EQ(output.err.find("Traceback"), std::string::npos) << output.err;
  EXPECT_THAT(output.out, Not(HasSubstr("No AMD GPUs")));
  EXPECT_THAT(output.out + output.err, Not(HasSubstr("not modelled")));
}

INSTANTIATE_TEST_SUITE_P(Display, SmiOption,
                         testing::Values("-i", "-v", "--showhw", "--showallinfo", "-t", "-c", "-g",
                                         "-f", "-P", "-o", "-m", "-M", "-l", "-s", "-u", "-b", "-p",
                                         "-S", "--showserial", "--showpids", "--showpidgpus",
                                         "--showreplaycount", "--showrasinfo all", "--showvoltage",
                                         "--showbus", "--showpagesinfo", "--showpendingpages",
                                         "--showretiredpages", "--showunreservablepages",
                                         "--showfwinfo", "--showproductname", "--showmeminfo all",
                                         "--showuniqueid", "--showtopo", "--showtopoweight",
                                         "--showtopohops", "--showtopotype", "--showtoponuma",
                                         "--showxgmierr", "--showmemvendor", "--showenergycounter",
                                         "--showclkfrq", "--showprofile", "--showmaxpower"));

}  // namespace
}  // namespace rocdrill::test
