// Kernels of integer expressions, made up from the input: compiled by clang for one GPU, run, and
// computed anew on this CPU. A difference or an instruction that is not executed is a finding; it
// comes with the kernel's text.
#include <cstdio>
#include <cstdlib>

#include "support/random_kernels/generate.hpp"
#include "support/random_kernels/trial.hpp"

namespace {

using namespace rocdrill;
using namespace rocdrill::test::random_kernels;

void fail(const std::string& what, const std::string& text) {
  std::fprintf(stderr, "%s\n%s\n", what.c_str(), text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr const char* processors[] = {"gfx90a", "gfx942", "gfx908"};
  static constexpr unsigned optimisations[] = {0, 1, 3};
  Choices choices(std::span(data, size));
  const std::string processor = processors[choices.below(3)];
  const unsigned optimisation = optimisations[choices.below(3)];
  const std::uint64_t inputs = choices.value();
  std::vector<Kernel> kernels;
  kernels.push_back(Generator(choices).kernel());
  const Trial trial(std::move(kernels));
  const auto code = compile(trial.text(), processor, optimisation);
  if (!code) fail(code.error(), trial.text());
  auto bench = workbench::Workbench::open(*code, processor, {.threads = 1});
  if (!bench) fail(bench.error(), trial.text());
  const std::string difference = trial.run(**bench, inputs);
  if (!difference.empty())
    fail(processor + " -O" + std::to_string(optimisation) + ": " + difference, "");
  return 0;
}
