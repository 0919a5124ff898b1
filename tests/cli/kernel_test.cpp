// rocdrill kernel and rocdrill isa from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/rocdrill_command.hpp"

namespace rocdrill::test {
namespace {

using testing::HasSubstr;
using testing::Not;

Outcome run(const std::string& arguments) { return test::run(arguments + " 2>&1"); }

std::string file(const std::string& name) {
  return "'" ROCDRILL_BINARY_DIR "/share/rocdrill/code_objects/" + name + "'";
}
const std::string saxpy_arguments =
    " --grid 100 --block 64 --arg 'f32[100]=one' --arg 'f32[100]=iota' --arg 2.0 --arg 100";

TEST(KernelCommand, RunsAndPrintsBuffers) {
  for (const char* target : {"gfx90a", "gfx942", "gfx908"}) {
    const Outcome outcome = run("kernel run " + file(std::string("saxpy/") + target + ".co") +
                                saxpy_arguments + " --print 4 --counters");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("arg 0: 1 3 5 7 ... (100 in all)\n"));
    EXPECT_THAT(outcome.text, HasSubstr(std::string("on ") + target));
    EXPECT_THAT(outcome.text, HasSubstr("2 workgroups, 2 waves"));
    EXPECT_THAT(outcome.text, HasSubstr("vmem_load"));
    EXPECT_THAT(outcome.text, HasSubstr("memory          800 B read, 400 B written"));
    EXPECT_THAT(outcome.text, HasSubstr(" us on AMD Instinct"));
  }
}

TEST(KernelCommand, AFaultSaysWhereAndWhetherAServiceIsMissed) {
  const Outcome null = run("kernel run " + file("saxpy_null/gfx90a.co") + saxpy_arguments);
  EXPECT_EQ(null.exit_code, 1);
  EXPECT_THAT(null.text, HasSubstr("memory violation: read of address 0x0 at 0x"));
  EXPECT_THAT(null.text, Not(HasSubstr("printf"))) << "it asks for none";
  const std::string printing = ROCDRILL_BINARY_DIR "/tests/kernels/printf.gfx90a.O1.co";
  if (!std::filesystem::exists(printing)) GTEST_SKIP() << "no libclc to build printf.cl with";
  const Outcome says =
      run("kernel run '" + printing + "' --grid 64 --block 64 --arg 1 --arg 'u32[64]'");
  EXPECT_EQ(says.exit_code, 1);
  EXPECT_THAT(says.text, HasSubstr("not modelled here: device printf"));
}

TEST(KernelCommand, StatsAsRocprofv3HasThem) {
  const Outcome outcome =
      run("kernel run " + file("saxpy/gfx90a.co") + saxpy_arguments + " --stats --repeat 3");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\""));
  EXPECT_THAT(outcome.text, HasSubstr("\"saxpy\",3,"));
}

TEST(KernelCommand, JsonAndFiles) {
  const auto out = std::filesystem::temp_directory_path() /
                   ("rocdrill-kernel-" + std::to_string(getpid()) + ".bin");
  const Outcome outcome = run("kernel run " + file("saxpy/gfx90a.co") + saxpy_arguments +
                              " --json --out '0=" + out.string() + "'");
  const auto json = nlohmann::json::parse(outcome.text, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << outcome.text;
  EXPECT_EQ(json.at("end"), "completed");
  EXPECT_EQ(json.at("waves"), 2);
  EXPECT_GT(json.at("instructions").at("valu"), 0);
  std::ifstream written(out, std::ios::binary);
  std::array<float, 100> values{};
  written.read(reinterpret_cast<char*>(values.data()), sizeof values);
  EXPECT_EQ(written.gcount(), static_cast<std::streamsize>(sizeof values));
  EXPECT_EQ(values[99], 199.0f);
  std::filesystem::remove(out);
}

TEST(KernelCommand, TakesBundlesAndPrograms) {
  for (const char* name : {"saxpy/bundle.hipfb", "saxpy/host.so"}) {
    const Outcome outcome =
        run("kernel run " + file(name) + " --target gfx942" + saxpy_arguments + " --print 2");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("on gfx942"));
  }
  EXPECT_THAT(run("kernel list " + file("matmul/gfx90a.co")).text,
              HasSubstr("matmul_tiled(float*, float*, float*, uint)"));
}

TEST(KernelCommand, DisassemblesAndSteps) {
  EXPECT_THAT(run("kernel disasm " + file("saxpy/gfx90a.co")).text,
              HasSubstr("v_fmac_f32_e32 v5, s0, v4\n"));
  const Outcome outcome =
      run("kernel step " + file("saxpy/gfx90a.co") + saxpy_arguments + " --wave 0 --count 12");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("s_load_dword s2, s[4:5], 0x24\n            s2=0x10040"));
  const Outcome whole =
      run("kernel step " + file("saxpy/gfx90a.co") + saxpy_arguments + " --workgroup 1");
  EXPECT_THAT(whole.text, HasSubstr("vcc_lo=0xffffffff  vcc_hi=0xf\n")) << "36 of 64 lanes";
  EXPECT_THAT(whole.text, HasSubstr("s_endpgm"));
}

TEST(KernelCommand, CoverageIsComplete) {
  for (const char* name :
       {"saxpy/gfx90a.co", "saxpy/gfx942.co", "matmul/gfx90a.co", "matmul/gfx942.co"}) {
    const Outcome outcome = run("isa coverage " + file(name));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("0 mnemonics not executed"));
  }
}

TEST(KernelCommand, WrongInputIsNamed) {
  const std::string saxpy = file("saxpy/gfx90a.co");
  struct Case {
    std::string arguments;
    int exit_code;
    std::string says;
  };
  const Case cases[] = {
      {"kernel run /nowhere.co", 4, "cannot read '/nowhere.co': No such file or directory"},
      {"kernel run '" ROCDRILL_COMMAND "'", 1, "no .hip_fatbin"},
      {"kernel run " + file("saxpy/gfx1030.co"), 1, "gfx1030"},
      {"kernel run /etc/passwd", 1, "neither an ELF file nor an offload bundle"},
      {"kernel run " + file("saxpy/bundle.hipfb") + " --target gfx950", 1,
       "it has no code for gfx950, but for"},
      {"kernel run " + saxpy + " --kernel sexpy", 2, "no kernel 'sexpy'"},
      {"kernel run " + saxpy, 2, "saxpy takes 4 arguments, 0 --arg given"},
      {"kernel run " + saxpy + " --grid 0", 2, "--grid 0"},
      {"kernel run " + saxpy + " --grid 1,2,3,4", 2, "more than three numbers"},
      {"kernel run " + saxpy + " --block 2000", 2, "at most 1024"},
      {"kernel run " + saxpy + " --arg 1 --arg 2 --arg 3 --arg q", 2, "'q' is no whole number"},
      {"kernel frobnicate " + saxpy, 2, "list, run, disasm or step"},
      {"kernel run " + saxpy + " --grid 64 --arg null --arg null --arg 1.0 --arg 64", 1,
       "memory violation: read of address 0x0 at"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = run(one.arguments);
    EXPECT_EQ(outcome.exit_code, one.exit_code) << one.arguments << "\n" << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr(one.says)) << one.arguments;
  }
}

}  // namespace
}  // namespace rocdrill::test
