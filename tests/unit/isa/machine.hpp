// One wave on which a test runs a few instructions.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "assembler.hpp"
#include "sim/silicon/command_processor/address_space.hpp"
#include "sim/silicon/isa/code_cache.hpp"
#include "sim/silicon/isa/control.hpp"
#include "sim/silicon/isa/memory.hpp"
#include "sim/silicon/isa/run.hpp"

namespace rocdrill::test {

/// 64 lanes of one VGPR.
using Lanes = std::array<std::uint32_t, 64>;

class Machine {
 public:
  explicit Machine(std::string processor = "gfx90a", isa::Level level = isa::best_level())
      : assembler_(processor), code_(processor, level), memory_(space_) {
    registers_.resize(512 * isa::vgpr_bytes + 64);
    std::byte* base = registers_.data();
    base += -reinterpret_cast<std::uintptr_t>(base) & 63;
    lds_.resize(65536 + 64);
    group_.lds = lds_.data() + (-reinterpret_cast<std::uintptr_t>(lds_.data()) & 63);
    group_.lds_bytes = 65536;
    scratch_.resize(std::size_t{64} * 4096 + 4096);
    const std::uint64_t scratch =
        (reinterpret_cast<std::uintptr_t>(scratch_.data()) + 4095) & ~std::uint64_t{4095};
    space_.add(scratch, std::size_t{64} * 4096);
    wave_.architected_scratch = processor.starts_with("gfx94");
    wave_.matrix_flushes_denormals = processor == "gfx90a";
    wave_.scratch_va = scratch;
    wave_.set_pair(isa::reg::flat_scratch, scratch);
    wave_.bases[static_cast<unsigned>(isa::Kind::vgpr)] = base;
    wave_.bases[static_cast<unsigned>(isa::Kind::agpr)] = base + 256 * isa::vgpr_bytes;
    wave_.bases[static_cast<unsigned>(isa::Kind::sgpr)] = reinterpret_cast<std::byte*>(wave_.s);
    wave_.bases[static_cast<unsigned>(isa::Kind::special)] = reinterpret_cast<std::byte*>(wave_.s);
    wave_.mode = 0x1F0 | 1 << 9;  // denormals kept, DX10_CLAMP, IEEE
    wave_.set_exec(~0ull);
    environment_.shared_base = 0x1000000000000ull;
    environment_.private_base = 0x2000000000000ull;
    environment_.clock = [](void*) -> std::uint64_t { return 42; };
    environment_.interrupt = [](void* self, std::uint32_t data) {
      static_cast<Machine*>(self)->interrupts_.push_back(data);
    };
    environment_.context = this;
    wave_.environment = &environment_;
    wave_.group = &group_;
    wave_.memory = &memory_;
    wave_.code = &code_;
    wave_.scratch_bytes = 4096;
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Runs the text from its start until the wave stops; s_endpgm is added at its end.
  isa::Stop run(std::string_view text) {
    std::vector<std::byte> code = assembler_.assemble(std::string(text) + "\ns_endpgm\n");
    code.resize((code.size() + 4095) / 4096 * 4096);
    programs_.push_back(std::make_unique<std::vector<std::byte>>(std::move(code)));
    std::vector<std::byte>& kept = *programs_.back();
    space_.add(kept.data(), kept.size(), {.read = true, .write = false, .execute = true});
    const isa::CodeCache::Place place =
        code_.find(reinterpret_cast<std::uintptr_t>(kept.data()), space_);
    if (place.instruction == nullptr) throw std::runtime_error("no code");
    isa::enter(wave_, *place.fragment);
    wave_.next = place.instruction;
    do {
      isa::run(wave_);
    } while (wave_.stop == isa::Stop::yielded);
    return wave_.stop;
  }

  isa::Wave& wave() { return wave_; }
  cp::RangeAddressSpace& space() { return space_; }
  std::uint32_t& s(unsigned number) { return wave_.s[number]; }
  std::uint32_t* v(unsigned number) { return wave_.vgpr(number); }
  std::uint32_t* a(unsigned number) { return wave_.vgpr(256 + number); }
  Lanes lanes(unsigned number) {
    Lanes out;
    std::memcpy(out.data(), v(number), sizeof out);
    return out;
  }
  void set(unsigned number, const Lanes& values) {
    std::memcpy(v(number), values.data(), sizeof values);
  }
  /// What the driver was told by s_sendmsg.
  const std::vector<std::uint32_t>& interrupts() const { return interrupts_; }
  std::byte* lds() { return group_.lds; }

 private:
  Assembler assembler_;
  cp::RangeAddressSpace space_;
  isa::CodeCache code_;
  isa::Memory memory_;
  isa::Environment environment_;
  std::vector<std::uint32_t> interrupts_;
  isa::Workgroup group_;
  std::vector<std::byte> registers_;
  std::vector<std::byte> lds_;
  std::vector<std::byte> scratch_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> programs_;
  isa::Wave wave_;
};

}  // namespace rocdrill::test
