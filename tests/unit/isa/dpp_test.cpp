// DPP: sources from other lanes.
#include <optional>

#include "lane_cases.hpp"

namespace rocdrill::test {
namespace {

using isa::Stop;
using From = std::optional<unsigned>;  ///< the lane that a lane reads, if there is one

struct Control {
  std::string text;
  std::function<From(unsigned lane)> from;
};

From within_row(unsigned lane, int offset) {
  const int place = static_cast<int>(lane % 16) + offset;
  if (place < 0 || place > 15) return std::nullopt;
  return lane / 16 * 16 + static_cast<unsigned>(place);
}

std::vector<Control> controls(bool newbcast) {
  std::vector<Control> all;
  for (const auto& order : {std::array{0u, 1u, 2u, 3u},
                            {3u, 2u, 1u, 0u},
                            {1u, 0u, 3u, 2u},
                            {2u, 2u, 2u, 2u},
                            {0u, 3u, 1u, 1u}}) {
    std::string text = "quad_perm:[";
    for (const unsigned one : order) text += std::to_string(one) + ",";
    text.back() = ']';
    all.push_back(
        {text, [order](unsigned lane) -> From { return lane / 4 * 4 + order[lane % 4]; }});
  }
  for (int n = 1; n < 16; ++n) {
    const std::string count = std::to_string(n);
    all.push_back({"row_shl:" + count, [n](unsigned lane) { return within_row(lane, n); }});
    all.push_back({"row_shr:" + count, [n](unsigned lane) { return within_row(lane, -n); }});
    all.push_back({"row_ror:" + count, [n](unsigned lane) -> From {
                     return lane / 16 * 16 + (lane % 16 + 16 - static_cast<unsigned>(n)) % 16;
                   }});
  }
  all.push_back({"wave_shl:1", [](unsigned lane) { return lane == 63 ? From() : lane + 1; }});
  all.push_back({"wave_rol:1", [](unsigned lane) -> From { return (lane + 1) % 64; }});
  all.push_back({"wave_shr:1", [](unsigned lane) { return lane == 0 ? From() : lane - 1; }});
  all.push_back({"wave_ror:1", [](unsigned lane) -> From { return (lane + 63) % 64; }});
  all.push_back(
      {"row_mirror", [](unsigned lane) -> From { return lane / 16 * 16 + 15 - lane % 16; }});
  all.push_back(
      {"row_half_mirror", [](unsigned lane) -> From { return lane / 8 * 8 + 7 - lane % 8; }});
  all.push_back(
      {"row_bcast:15", [](unsigned lane) { return lane < 16 ? From() : lane / 16 * 16 - 1; }});
  all.push_back({"row_bcast:31", [](unsigned lane) { return lane < 32 ? From() : 31; }});
  for (unsigned n = 0; newbcast && n < 16; ++n)
    all.push_back({"row_newbcast:" + std::to_string(n),
                   [n](unsigned lane) -> From { return lane / 16 * 16 + n; }});
  return all;
}

std::string masks(unsigned row_mask, unsigned bank_mask, bool zero) {
  return " row_mask:" + std::to_string(row_mask) + " bank_mask:" + std::to_string(bank_mask) +
         (zero ? " bound_ctrl:0" : "");
}
bool enabled(unsigned lane, unsigned row_mask, unsigned bank_mask) {
  return has(row_mask, lane / 16) && has(bank_mask, lane % 16 / 4);
}

/// What a lane's first source is; nothing if the lane is not written.
std::optional<u32> moved(const Control& control, const Lanes& values, unsigned lane, u64 exec,
                         unsigned row_mask, unsigned bank_mask, bool zero) {
  if (!has(exec, lane) || !enabled(lane, row_mask, bank_mask)) return std::nullopt;
  const From from = control.from(lane);
  if (from && has(exec, *from)) return values[*from];
  if (zero) return 0;
  return std::nullopt;
}

void check_control(Machine& m, const Control& control, u64 exec, Inputs& inputs) {
  const unsigned row_mask = inputs.below(2) != 0 ? 15 : inputs.below(16);
  const unsigned bank_mask = inputs.below(2) != 0 ? 15 : inputs.below(16);
  const bool zero = inputs.below(2) != 0;
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 4; ++r) m.v(r)[lane] = inputs.dword();
  const Lanes before[] = {m.lanes(0), m.lanes(1), m.lanes(2), m.lanes(3)};
  m.wave().set_exec(exec);
  const std::string how = " " + control.text + masks(row_mask, bank_mask, zero);
  ASSERT_EQ(m.run("v_mov_b32_dpp v2, v0" + how + "\n v_sub_u32_dpp v3, v0, v1" + how +
                  "\n v_add_u32_dpp v0, v0, v0" + how),
            Stop::ended);
  ASSERT_EQ(m.wave().exec(), exec);
  for (unsigned lane = 0; lane < 64; ++lane) {
    const std::optional<u32> a = moved(control, before[0], lane, exec, row_mask, bank_mask, zero);
    ASSERT_EQ(m.v(2)[lane], a ? *a : before[2][lane]) << how << " lane " << lane;
    ASSERT_EQ(m.v(3)[lane], a ? *a - before[1][lane] : before[3][lane]) << how << " lane " << lane;
    ASSERT_EQ(m.v(0)[lane], a ? *a + before[0][lane] : before[0][lane]) << how << " lane " << lane;
  }
}

TEST(Dpp, LanesComeFromWhereTheControlSays) {
  Inputs inputs(18);
  for (const isa::Level level : levels())
    for (const Control& control : controls(true))
      for (const u64 exec : {~u64{0}, ~u64{0}, inputs.mask(), inputs.mask() & inputs.mask()})
        check_control(machine("gfx90a", level), control, exec, inputs);
}

TEST(Dpp, AWholeReduction) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx942", level);
    for (unsigned lane = 0; lane < 64; ++lane) m.v(0)[lane] = 3 * lane + 1;
    m.wave().set_exec(~u64{0});
    ASSERT_EQ(m.run("v_add_u32_dpp v0, v0, v0 row_shr:1 bound_ctrl:0\n"
                    "v_add_u32_dpp v0, v0, v0 row_shr:2 bound_ctrl:0\n"
                    "v_add_u32_dpp v0, v0, v0 row_shr:4 bound_ctrl:0\n"
                    "v_add_u32_dpp v0, v0, v0 row_shr:8 bound_ctrl:0\n"
                    "v_add_u32_dpp v0, v0, v0 row_bcast:15 row_mask:0xa\n"
                    "v_add_u32_dpp v0, v0, v0 row_bcast:31 row_mask:0xc\n"
                    "v_readlane_b32 s0, v0, 63"),
              Stop::ended);
    EXPECT_EQ(m.s(0), 3u * 63 * 64 / 2 + 64);
    for (unsigned lane = 0; lane < 64; ++lane)  // and a scan
      EXPECT_EQ(m.v(0)[lane], 3 * lane * (lane + 1) / 2 + lane + 1) << lane;
  }
}

TEST(Dpp, CarriesOfTheLanesThatCompute) {
  Inputs inputs(19);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 4; ++r) m.v(r)[lane] = inputs.dword();
    const Lanes low = m.lanes(0);
    const Lanes high = m.lanes(1);
    const Lanes other[] = {m.lanes(2), m.lanes(3)};
    m.wave().set_exec(~u64{0});
    ASSERT_EQ(m.run("v_add_co_u32_dpp v2, vcc, v0, v2 row_shr:1\n"
                    "v_addc_co_u32_dpp v3, vcc, v1, v3, vcc row_shr:1"),
              Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const u64 old = other[0][lane] | u64{other[1][lane]} << 32;
      const u64 added = lane % 16 == 0 ? 0 : low[lane - 1] | u64{high[lane - 1]} << 32;
      const u64 sum = m.v(2)[lane] | u64{m.v(3)[lane]} << 32;
      ASSERT_EQ(sum, old + added) << lane;
      ASSERT_EQ(has(m.wave().vcc(), lane), old + added < old) << lane;
    }
  }
}

TEST(Dpp, BothDwordsOf64Bits) {
  Inputs inputs(20);
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx942", level);
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 4; ++r) m.v(r)[lane] = inputs.dword();
    const Lanes old[] = {m.lanes(2), m.lanes(3)};
    const u64 exec = ~u64{0x20};  // lane 5 is off
    m.wave().set_exec(exec);
    ASSERT_EQ(m.run("v_mov_b64_dpp v[2:3], v[0:1] row_newbcast:5 row_mask:0x7\n"), Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 2; ++r) {
        const bool written = lane >= 16 && lane < 48;
        ASSERT_EQ(m.v(2 + r)[lane], written ? m.v(r)[lane / 16 * 16 + 5] : old[r][lane]) << lane;
      }
  }
}

TEST(Dpp, AccumulatorsStayWhatTheyAre) {
  for (const isa::Level level : levels()) {
    Machine& m = machine("gfx90a", level);
    m.wave().set_exec(~u64{0});
    for (unsigned lane = 0; lane < 64; ++lane) {
      m.v(0)[lane] = 0x00020001;
      m.v(1)[lane] = 0x00040003;
      m.v(2)[lane] = lane;
    }
    ASSERT_EQ(m.run("v_dot2c_i32_i16_dpp v2, v0, v1 row_shl:1"), Stop::ended);
    for (unsigned lane = 0; lane < 64; ++lane)
      EXPECT_EQ(m.v(2)[lane], lane % 16 == 15 ? lane : lane + 11) << lane;
  }
}

}  // namespace
}  // namespace rocdrill::test
