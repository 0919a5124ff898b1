// Compiles made-up kernels with clang, runs them on a bench and compares what they store.
#pragma once

#include <cstdlib>
#include <cstring>
#include <expected>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/workbench/workbench.hpp"
#include "support/random_kernels/choices.hpp"
#include "support/random_kernels/text.hpp"
#include "support/random_kernels/value.hpp"

namespace rocdrill::test::random_kernels {

/// A code object from OpenCL C; the error is what clang said.
inline std::expected<std::vector<std::byte>, std::string> compile(const std::string& text,
                                                                  const std::string& processor,
                                                                  unsigned optimisation,
                                                                  const std::string& options = "") {
  std::string name = "/tmp/rocdrill-kernels-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name.data());
  const auto path = [&](const char* file) { return "'" + (folder / file).string() + "'"; };
  const auto read = [&](const char* file) {
    std::ostringstream text;
    text << std::ifstream(folder / file, std::ios::binary).rdbuf();
    return text.str();
  };
  std::ofstream(folder / "kernels.cl") << text;
  const std::string command =
      "clang-19 -x cl -cl-std=CL2.0 -nogpulib -target amdgcn-amd-amdhsa "
      "-mcpu=" +
      processor + " -O" + std::to_string(optimisation) + " " + options + " -o " +
      path("kernels.co") + " " + path("kernels.cl") + " 2>" + path("errors");
  const int status = std::system(command.c_str());
  const std::string code = read("kernels.co");
  const std::string errors = read("errors");
  std::filesystem::remove_all(folder);
  if (status != 0) return std::unexpected(errors);
  const auto* begin = reinterpret_cast<const std::byte*>(code.data());
  return std::vector<std::byte>(begin, begin + code.size());
}

/// clang itself has crashed.
inline bool crashed(const std::string& error) {
  return error.find("submit a bug report") != std::string::npos;
}

class Trial {
 public:
  /// The kernels outlive it.
  explicit Trial(std::span<const Kernel> kernels) : kernels_(kernels) {
    text_ = std::string(prelude) + vector_prelude();
    for (std::size_t n = 0; n < kernels_.size(); ++n) {
      texts_.emplace_back();
      Writer(texts_.back(), kernels_[n], name(n)).write();
      text_ += texts_.back();
    }
  }
  const std::string& text() const { return text_; }

  /// The first difference in one paragraph, and the kernel that has it; empty if there is none.
  std::string run(workbench::Workbench& bench, std::uint64_t seed) const {
    Choices choices(seed);
    std::string difference;
    for (std::size_t n = 0; n < kernels_.size(); ++n)
      if (difference = run(bench, n, choices); !difference.empty())
        return name(n) + difference + "\n" + texts_[n];
    return {};
  }

  /// What differs is known of clang 19 and no fault of the handlers:
  /// - It takes `v_ashrrev_i16 v1, 8, v0` for sext(v0) BYTE_1 in instructions of 32 bits, too, but
  ///   the first leaves zeros above bit 15 (SIPeepholeSDWA).
  /// - Where it finds late that a dword of `x | ~y` is all ones, it takes an undefined register for
  ///   it (SIFoldOperands).
  /// - It divides numbers of 24 bits through v_rcp_f32, whose rounding can make the quotient one
  ///   too large: 14285135 / 3 (AMDGPUCodeGenPrepare).
  /// Without these the same code agrees.
  bool is_compilers_fault(const std::string& processor, unsigned optimisation,
                          std::uint64_t seed) const;

 private:
  static constexpr unsigned items = 2 * group_size + 23;

  static std::string name(std::size_t n) { return "k" + std::to_string(n); }
  template <class T>
  static std::vector<std::byte> bytes(T value) {
    std::vector<std::byte> out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
  }
  std::string run(workbench::Workbench& bench, std::size_t n, Choices& choices) const;
  static std::string compare(const Kernel& kernel, std::span<const std::uint64_t> parameters,
                             std::span<const std::uint64_t> in, std::span<const std::uint64_t> out);

  std::span<const Kernel> kernels_;
  std::vector<std::string> texts_;
  std::string text_;
};

inline bool Trial::is_compilers_fault(const std::string& processor, unsigned optimisation,
                                      std::uint64_t seed) const {
  for (const char* options : {"-mllvm -amdgpu-sdwa-peephole=0", "-DHIDE_MORE",
                              "-DHIDE_MORE -mllvm -amdgpu-sdwa-peephole=0"}) {
    const auto code = compile(text_, processor, optimisation, options);
    if (!code) continue;
    auto bench = workbench::Workbench::open(*code, processor, {.threads = 1});
    if (bench && run(**bench, seed).empty()) return true;
  }
  return false;
}

inline std::string Trial::run(workbench::Workbench& bench, std::size_t n, Choices& choices) const {
  const Kernel& kernel = kernels_[n];
  const std::size_t words = std::size_t{items} * kernel.words();
  const workbench::Buffer in = bench.allocate(words * 8);
  const workbench::Buffer out = bench.allocate(words * 8);
  const auto view = [words](const workbench::Buffer& buffer) {
    return std::span(reinterpret_cast<std::uint64_t*>(buffer.bytes().data()), words);
  };
  for (std::uint64_t& word : view(in)) word = choices.value();
  workbench::KernelLaunch launch;
  launch.kernel = name(n);
  launch.geometry.grid = {items, 1, 1};
  launch.geometry.group = {group_size, 1, 1};
  launch.arguments = {bytes(in.va()), bytes(out.va())};
  std::vector<std::uint64_t> parameters;
  for (unsigned p = 0; p < parameter_count; ++p) {
    parameters.push_back(choices.value());
    launch.arguments.push_back(bytes(parameters.back()));
  }
  const auto outcome = bench.run(launch);
  if (!outcome) return ": " + outcome.error();
  if (outcome->end != isa::End::completed)
    return " ended with " + std::to_string(static_cast<int>(outcome->end)) + " " + outcome->text +
           " at " + std::to_string(outcome->va - bench.image_va());
  return compare(kernel, parameters, view(in), view(out));
}

inline std::string Trial::compare(const Kernel& kernel, std::span<const std::uint64_t> parameters,
                                  std::span<const std::uint64_t> in,
                                  std::span<const std::uint64_t> out) {
  const unsigned words = kernel.words();
  std::vector<std::uint64_t> expected(words);
  for (unsigned item = 0; item < items; ++item) {
    const auto mine = in.subspan(std::size_t{item} * words, words);
    Evaluator(kernel, parameters).run(mine, expected);
    for (unsigned word = 0; word < words; ++word) {
      const std::uint64_t found = out[std::size_t{item} * words + word];
      if (found == expected[word]) continue;
      std::ostringstream text;
      text << std::hex << ", work-item " << std::dec << item << ": output " << word << std::hex
           << " is " << found << ", not " << expected[word] << "; inputs";
      for (const std::uint64_t input : mine) text << " " << input;
      text << "; parameters";
      for (const std::uint64_t parameter : parameters) text << " " << parameter;
      return text.str();
    }
  }
  return {};
}

}  // namespace rocdrill::test::random_kernels
