// amd-smi and rocm-smi on errors: bad pages, counters, what holds the clocks back. All of it is
// read from the files of the driver. Texts: amdsmi_cli of ROCm 6 and rocm_smi.py of 5.2.3; where
// the layout of amd-smi is not documented it is assumed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "sim/kernel/gpu_metrics.hpp"
#include "sim/tools/amd_smi.hpp"

namespace rocdrill::sim::tools {
namespace {

/// The blocks that both tools ask for.
constexpr std::string_view blocks[] = {"umc",      "sdma", "gfx",       "mmhub", "athub",
                                       "pcie_bif", "hdp",  "xgmi_wafl", "df",    "smn",
                                       "sem",      "mp0",  "mp1",       "fuse"};

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

struct Counts {
  std::uint64_t ue = 0, ce = 0, de = 0;
};

/// nullopt: the driver does not count errors of this block.
std::optional<Counts> counts_of(Call& call, const std::string& directory, std::string_view block) {
  const auto text = call.process().read_file(fmt::format("{}/ras/{}_err_count", directory, block));
  if (!text || !text->starts_with("ue: ")) return std::nullopt;
  Counts counts;
  for (const std::string& line : lines_of(*text)) {
    const std::uint64_t value = std::strtoull(line.c_str() + 3, nullptr, 10);
    if (line.starts_with("ue:")) counts.ue = value;
    if (line.starts_with("ce:")) counts.ce = value;
    if (line.starts_with("de:")) counts.de = value;
  }
  return counts;
}

bool enabled(Call& call, const std::string& directory, std::size_t block) {
  const std::string text = call.process().read_file(directory + "/ras/features").value_or("");
  const std::size_t at = text.find("0x");
  const std::uint64_t mask =
      at == std::string::npos ? 0 : std::strtoull(text.c_str() + at, nullptr, 16);
  return (mask >> block & 1) != 0;
}

struct Page {
  std::uint64_t address = 0, size = 0;
  char state = 'R';
};

std::vector<Page> pages_of(Call& call, const std::string& directory) {
  std::vector<Page> pages;
  const std::string text =
      call.process().read_file(directory + "/ras/gpu_vram_bad_pages").value_or("");
  for (const std::string& line : lines_of(text)) {
    char* end = nullptr;
    Page page;
    page.address = std::strtoull(line.c_str(), &end, 16);
    if (!line.starts_with("0x") || std::strlen(end) < 3) continue;
    page.size = std::strtoull(end + 3, nullptr, 16);
    page.state = line.back();
    pages.push_back(page);
  }
  return pages;
}

}  // namespace

int amd_smi_bad_pages(Call& call, const std::vector<SmiDevice>& devices, const Options& options) {
  const auto chosen = chosen_devices(call, options, devices.size());
  if (!chosen) return 1;
  struct Kind {
    std::string_view option, title, status;
    char state;
  };
  constexpr std::array<Kind, 3> kinds = {{{"-r", "RETIRED", "RESERVED", 'R'},
                                          {"-p", "PENDING", "PENDING", 'P'},
                                          {"-u", "UN_RES", "UNRESERVABLE", 'F'}}};
  const bool any =
      std::ranges::any_of(kinds, [&](const Kind& kind) { return options.has(kind.option); });
  for (const std::size_t i : *chosen) {
    const auto pages =
        devices[i].primary() ? pages_of(call, devices[i].directory) : std::vector<Page>{};
    call.print("{}GPU: {}\n", i == chosen->front() ? "" : "\n", i);
    for (const Kind& kind : kinds) {
      if (any && !options.has(kind.option)) continue;
      if (std::ranges::find(pages, kind.state, &Page::state) == pages.end()) {
        call.print("    {}: No bad pages found.\n", kind.title);
        continue;
      }
      call.print("    {}:\n", kind.title);
      std::size_t number = 0;
      for (const Page& page : pages) {
        if (page.state != kind.state) continue;
        call.print(
            "        BAD_PAGE_{}:\n            PAGE_ADDRESS: {:#x}\n            PAGE_SIZE: {}\n"
            "            STATUS: {}\n",
            number++, page.address, page.size, kind.status);
      }
    }
  }
  return 0;
}

void print_ecc(Call& call, const SmiDevice& of) {
  Counts total;
  for (const std::string_view block : blocks) {
    const Counts is = counts_of(call, of.directory, block).value_or(Counts{});
    total.ue += is.ue;
    total.ce += is.ce;
    total.de += is.de;
  }
  call.print(
      "    ECC:\n        TOTAL_CORRECTABLE_COUNT: {}\n        TOTAL_UNCORRECTABLE_COUNT: {}\n"
      "        TOTAL_DEFERRED_COUNT: {}\n        CACHE_CORRECTABLE_COUNT: N/A\n"
      "        CACHE_UNCORRECTABLE_COUNT: N/A\n",
      total.ce, total.ue, total.de);
}

void print_ecc_blocks(Call& call, const SmiDevice& of) {
  call.print("    ECC_BLOCKS:\n");
  for (const std::string_view block : blocks) {
    const auto is = counts_of(call, of.directory, block);
    if (!is) continue;
    call.print(
        "        {}:\n            CORRECTABLE_COUNT: {}\n            UNCORRECTABLE_COUNT: {}\n"
        "            DEFERRED_COUNT: {}\n",
        upper(block), is->ce, is->ue, is->de);
  }
}

/// Of the gpu_metrics table, as the tool reads it.
void print_throttle(Call& call, const SmiDevice& of) {
  const std::string bytes =
      call.process().read_file(of.directory + "/gpu_metrics").value_or(std::string());
  std::uint32_t status = 0;
  bool known = false;
  if (bytes.size() >= sizeof(kernel::MetricsHeader)) {
    kernel::MetricsHeader header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    const std::size_t at = header.content_revision == 4
                               ? offsetof(kernel::MetricsV1_4, throttle_status)
                               : offsetof(kernel::MetricsV1_3, throttle_status);
    known = bytes.size() >= at + sizeof status;
    if (known) std::memcpy(&status, bytes.data() + at, sizeof status);
  }
  constexpr std::pair<std::string_view, unsigned> limits[] = {
      {"PROCHOT", 0}, {"PPT", 1}, {"SOCKET_THERMAL", 2}, {"VR_THERMAL", 3}, {"HBM_THERMAL", 4}};
  call.print("    THROTTLE:\n");
  for (const auto& [name, bit] : limits) {
    const char* is = !known ? "N/A" : (status >> bit & 1) != 0 ? "ACTIVE" : "NOT ACTIVE";
    call.print("        {}_VIOLATION_STATUS: {}\n", name, is);
  }
}

void print_pcie(Call& call, const SmiDevice& of) {
  const std::string speed = of.attribute(call, "current_link_speed");
  call.print("    PCIE:\n        WIDTH: {}\n        SPEED: {}\n        REPLAY_COUNT: {}\n",
             of.attribute(call, "current_link_width"), speed.substr(0, speed.find(" PCIe")),
             of.attribute(call, "pcie_replay_count"));
}

/// showRasInfo() of rocm_smi.py. The titles of two columns are the wrong way round there, too.
void rocm_smi_ras(Call& call, const std::vector<SmiDevice>& devices) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    call.print("\nGPU[{}]: \tRAS INFO\n", i);
    call.print("         Block       Status    uncorrectable err  correctable err  \n");
    std::size_t number = 0;
    for (const std::string_view block : blocks) {
      const auto is = counts_of(call, devices[i].directory, block);
      const bool on = enabled(call, devices[i].directory, number++);
      if (!is) continue;
      call.print("{:>14}  {:>12}  {:>17}  {:>15}  \n", upper(block), on ? "ENABLED" : "DISABLED",
                 is->ce, is->ue);
    }
    call.print("{}\n", std::string(80, '_'));
  }
}

/// showRetiredPages(): `state` is "all" or one of the driver's.
void rocm_smi_pages(Call& call, const std::vector<SmiDevice>& devices, std::string_view type) {
  constexpr std::pair<char, std::string_view> states[] = {
      {'R', "retired"}, {'P', "pending"}, {'F', "unreservable"}};
  for (std::size_t i = 0; i < devices.size(); ++i) {
    bool titled = false;
    for (const Page& page : pages_of(call, devices[i].directory)) {
      const auto state =
          std::ranges::find(states, page.state, [](const auto& s) { return s.first; });
      const std::string_view name = state == std::end(states) ? "retired" : state->second;
      if (type != "all" && type != name) continue;
      if (!titled) {
        call.print("\nGPU[{}]: \t{} PAGES INFO\n", i, upper(type));
        call.print("    Page address     Page size      Status  \n");
        titled = true;
      }
      call.print("{:>16}  {:>12}  {:>10}  \n", fmt::format("{:#x}", page.address),
                 fmt::format("{:#x}", page.size), name);
    }
  }
}

}  // namespace rocdrill::sim::tools
