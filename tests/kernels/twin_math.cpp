// OpenCL's maths for twins, computed in the next wider format and rounded: within half an ULP and a
// hair, so that a tolerance is all the GPU's. Under the names that clang gives OpenCL's overloads.
#include <cmath>

namespace rocdrill::twin {
namespace {

using Half = _Float16;

template <class T>
T ten_to(T x) {
  return std::pow(T{10}, x);
}
template <class T>
T reciprocal_root(T x) {
  return T{1} / std::sqrt(x);
}
template <class T>
T sine_of_pi(T x) {
  return std::sin(std::remainder(x, T{2}) * T{3.14159265358979323846264338327950288L});
}

}  // namespace

// NAME(float, double): the mangled name ends in the types of the arguments.
#define UNARY(name, mangled, function)                                          \
  float name##_f32(float) asm("_Z" mangled "f");                                \
  float name##_f32(float x) { return static_cast<float>(function(double{x})); } \
  double name##_f64(double) asm("_Z" mangled "d");                              \
  double name##_f64(double x) { return static_cast<double>(function(static_cast<long double>(x))); }
#define BINARY(name, mangled, function)                                      \
  float name##_f32(float, float) asm("_Z" mangled "ff");                     \
  float name##_f32(float x, float y) {                                       \
    return static_cast<float>(function(double{x}, double{y}));               \
  }                                                                          \
  double name##_f64(double, double) asm("_Z" mangled "dd");                  \
  double name##_f64(double x, double y) {                                    \
    return static_cast<double>(                                              \
        function(static_cast<long double>(x), static_cast<long double>(y))); \
  }

UNARY(exp, "3exp", std::exp)
UNARY(exp2, "4exp2", std::exp2)
UNARY(exp10, "5exp10", ten_to)
UNARY(expm1, "5expm1", std::expm1)
UNARY(log, "3log", std::log)
UNARY(log2, "4log2", std::log2)
UNARY(log10, "5log10", std::log10)
UNARY(log1p, "5log1p", std::log1p)
UNARY(sin, "3sin", std::sin)
UNARY(cos, "3cos", std::cos)
UNARY(tan, "3tan", std::tan)
UNARY(sinpi, "5sinpi", sine_of_pi)
UNARY(asin, "4asin", std::asin)
UNARY(acos, "4acos", std::acos)
UNARY(atan, "4atan", std::atan)
UNARY(sinh, "4sinh", std::sinh)
UNARY(cosh, "4cosh", std::cosh)
UNARY(tanh, "4tanh", std::tanh)
UNARY(cbrt, "4cbrt", std::cbrt)
UNARY(rsqrt, "5rsqrt", reciprocal_root)
UNARY(erf, "3erf", std::erf)
UNARY(erfc, "4erfc", std::erfc)
UNARY(tgamma, "6tgamma", std::tgamma)
UNARY(lgamma, "6lgamma", std::lgamma)
BINARY(atan2, "5atan2", std::atan2)
BINARY(pow, "3pow", std::pow)
BINARY(hypot, "5hypot", std::hypot)
// Exact in any format.
BINARY(fmod, "4fmod", std::fmod)
BINARY(remainder, "9remainder", std::remainder)

// The argument of the hardware's sine counts turns.
extern "C" {
double twin_log2(double x) { return std::log2(x); }
double twin_exp2(double x) { return std::exp2(x); }
double twin_sine_of_turns(double x) { return sine_of_pi<long double>(2 * x); }
double twin_cosine_of_turns(double x) { return sine_of_pi<long double>(2 * x + 0.5L); }
}

/// In double precision nothing is lost that could decide how a half is rounded.
Half fma_f16(Half, Half, Half) asm("twin_fma_f16");
Half fma_f16(Half a, Half b, Half c) {
  return static_cast<Half>(static_cast<double>(a) * static_cast<double>(b) +
                           static_cast<double>(c));
}

}  // namespace rocdrill::twin
