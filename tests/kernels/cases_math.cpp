// Maths of ROCm's device libraries against this machine's.
//
// Tolerances: the OpenCL C 2.0 specification, "Relative Error as ULPs", unless a sum is compared.
#include "kernels/cases.hpp"

#ifdef ROCDRILL_KERNELS_WITH_MATH

extern "C" {
void twin_elementary32(unsigned, const float*, const float*, float*);
void twin_elementary64(unsigned, const double*, const double*, double*);
void twin_softmax(unsigned, const float*, float*);
void twin_layer_norm(unsigned, float, const float*, const float*, const float*, float*);
void twin_fft256(const float*, float*);
void twin_nbody(unsigned, float, const float*, const float*, float*, float*);
}

namespace rocdrill::test {
namespace {

using u32 = std::uint32_t;

struct Function {
  const char* name;
  std::int64_t ulps;  ///< the same for both formats
};
constexpr Function functions[] = {
    {"exp", 3},   {"exp2", 3}, {"log", 3},   {"log2", 3},  {"sin", 4},     {"cos", 4},  {"tan", 5},
    {"atan2", 6}, {"sinh", 4}, {"tanh", 5},  {"pow", 16},  {"rsqrt", 2},   {"cbrt", 2}, {"erf", 16},
    {"hypot", 4}, {"asin", 4}, {"log1p", 2}, {"expm1", 3}, {"tgamma", 16}, {"fmod", 0}};

template <class T>
void elementary(Trial& t, const char* name, void (*twin)(unsigned, const T*, const T*, T*)) {
  constexpr u32 n = 200;
  auto a = t.reals<T>(n, -8, 8);
  auto b = t.reals<T>(n, 0.05, 8);
  auto out = t.zeros<T>(n * std::size(functions));
  t.launch(name, twin, line(n, 64), n, a, b, out);
  for (std::size_t k = 0; k < std::size(functions); ++k) {
    auto one = t.zeros<T>(n);
    std::ranges::copy(out.twin().subspan(k * n, n), one.twin().begin());
    std::ranges::copy(out.device().subspan(k * n, n), one.device().begin());
    expect_close(functions[k].name, one, functions[k].ulps);
  }
}
void elementary32(Trial& t) { elementary<float>(t, "elementary32", twin_elementary32); }
void elementary64(Trial& t) { elementary<double>(t, "elementary64", twin_elementary64); }

void softmax(Trial& t) {
  const u32 width = t.whole(100u, 200u);
  auto in = t.reals<float>(width * 5, -6, 6);
  auto out = t.zeros<float>(width * 5);
  t.launch("softmax", twin_softmax, line(5 * 64, 64), width, in, out);
  // exp within 3, the sum of at most 3 more, a division.
  expect_close("out", out, 8);
}

void layer_norm(Trial& t) {
  const u32 width = t.whole(100u, 200u);
  auto in = t.reals<float>(width * 5, -3, 3);
  auto gain = t.reals<float>(width, 0.5, 2);
  auto bias = t.reals<float>(width, -1, 1);
  auto out = t.zeros<float>(width * 5);
  t.launch("layer_norm", twin_layer_norm, line(5 * 64, 64), width, 1e-5f, in, gain, bias, out);
  // Normalised values below 4 times a gain below 2, rsqrt within 2 ULP.
  expect_near("out", out, 4e-6);
}

void fft256(Trial& t) {
  auto in = t.reals<float>(2 * 256 * 3, -1, 1);
  auto out = t.zeros<float>(2 * 256 * 3);
  t.launch("fft256", twin_fft256, line(128 * 3, 128), in, out);
  expect_near("out", out, 1e-4);
}

void nbody(Trial& t) {
  const u32 n = t.whole(130u, 180u);
  auto body = t.reals<float>(n * 4, -1, 1);
  auto velocity = t.reals<float>(n * 4, -1, 1);
  auto body_out = t.zeros<float>(n * 4);
  auto velocity_out = t.zeros<float>(n * 4);
  t.launch("nbody", twin_nbody, whole_line(n, 64), n, 0.01f, body, velocity, body_out,
           velocity_out);
  // Pulls of up to 1000 each, of 180 bodies, rsqrt's 2 ULP cubed.
  expect_near("body", body_out, 1e-4);
  expect_near("velocity", velocity_out, 1e-2);
}

const Case table[] = {{"elementary32", "math", elementary32},
                      {"elementary64", "math", elementary64},
                      {"softmax", "math", softmax},
                      {"layer_norm", "math", layer_norm},
                      {"fft256", "math", fft256},
                      {"nbody", "math", nbody}};

}  // namespace

std::span<const Case> math_cases() { return table; }

}  // namespace rocdrill::test

#else

std::span<const rocdrill::test::Case> rocdrill::test::math_cases() { return {}; }

#endif
