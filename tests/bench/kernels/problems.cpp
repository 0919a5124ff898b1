#include <functional>
#include <random>
#include <stdexcept>

#include "bench/kernels/problem.hpp"

namespace rocdrill::bench {
namespace {

using Half = _Float16;
using u32 = std::uint32_t;

/// Fresh numbers, the same in each run.
class Maker {
 public:
  explicit Maker(Problem& problem) : problem_(problem) {}

  template <class T>
  Maker& value(T value) {
    Argument& argument = problem_.arguments.emplace_back();
    argument.bytes.resize(sizeof value);
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return *this;
  }
  template <class T, class Make>
  Maker& buffer(Element element, std::size_t count, Make make) {
    Argument& argument = problem_.arguments.emplace_back();
    argument.is_buffer = true;
    argument.element = element;
    argument.bytes.resize(count * sizeof(T));
    auto* at = argument.bytes.data();
    for (std::size_t n = 0; n < count; ++n) {
      const auto value = static_cast<T>(make());
      std::memcpy(at + n * sizeof value, &value, sizeof value);
    }
    return *this;
  }
  Maker& floats(std::size_t count, double low = -1, double high = 1) {
    return buffer<float>(Element::f32, count, [&] { return real(low, high); });
  }
  Maker& doubles(std::size_t count) {
    return buffer<double>(Element::f64, count, [&] { return real(-1, 1); });
  }
  Maker& halves(std::size_t count) {
    return buffer<Half>(Element::f16, count, [&] { return real(-1, 1); });
  }
  Maker& dwords(std::size_t count) {
    return buffer<u32>(Element::u32, count, [&] { return random_(); });
  }
  Maker& bytes(std::size_t count) {
    return buffer<std::uint8_t>(Element::u8, count, [&] { return random_(); });
  }
  Maker& zeros(Element element, std::size_t bytes) {
    Argument& argument = problem_.arguments.emplace_back();
    argument.is_buffer = true;
    argument.element = element;
    argument.bytes.resize(bytes);
    return *this;
  }

 private:
  double real(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Problem& problem_;
  std::mt19937_64 random_{7};
};

void line(Problem& p, u32 items, u32 group) {
  p.grid[0] = items;
  p.group[0] = group;
}
void plane(Problem& p, u32 width, u32 height, u32 x, u32 y) {
  p.grid[0] = width;
  p.grid[1] = height;
  p.group[0] = x;
  p.group[1] = y;
}

void saxpy(Problem& p) {
  constexpr u32 n = 4u << 20;
  line(p, n, 256);
  Maker(p).value(n).value(0.5f).floats(n).floats(n);
}
void copy4(Problem& p) {
  constexpr u32 n = 1u << 20;
  line(p, n, 256);
  Maker(p).value(n).dwords(4 * n).zeros(Element::u32, 16 * n);
}
void transpose(Problem& p) {
  constexpr u32 n = 2048;
  plane(p, n, n, 16, 16);
  Maker(p).value(n).value(n).dwords(n * n).zeros(Element::u32, n * n * 4);
}
void stencil2(Problem& p) {
  constexpr u32 n = 2048;
  plane(p, n, n, 32, 8);
  Maker(p).value(n).value(n).floats(n * n).zeros(Element::f32, n * n * 4);
}
void stencil3(Problem& p) {
  constexpr u32 n = 128;
  plane(p, n, n, 64, 4);
  p.grid[2] = n;
  Maker(p).doubles(n * n * n).zeros(Element::f64, n * n * n * 8);
}
void histogram(Problem& p) {
  constexpr u32 n = 4u << 20;
  line(p, 65536, 256);
  Maker(p).value(n).bytes(n).zeros(Element::u32, 256 * 4);
}
void reduce_tree(Problem& p) {
  constexpr u32 n = 1u << 20;
  line(p, n, 256);
  Maker(p).value(n).floats(n).zeros(Element::f32, n / 256 * 4);
  p.tolerance = 1e-5;
}
void scan(Problem& p) {
  constexpr u32 n = 1u << 20;
  line(p, n, 256);
  Maker(p).value(n).dwords(n).zeros(Element::u32, n * 4);
}
void bitonic(Problem& p) {
  constexpr u32 n = 1u << 18;
  line(p, n, 256);
  Maker(p).dwords(n);
}
void mandelbrot(Problem& p) {
  constexpr u32 n = 512;
  plane(p, n, n, 64, 4);
  Maker(p).value(n).value(n).value(u32{200}).zeros(Element::u32, n * n * 4);
}
void sha256(Problem& p) {
  constexpr u32 n = 1u << 16;
  line(p, n, 256);
  Maker make(p);
  make.value(n).bytes(64 * n);
  make.buffer<u32>(Element::u32, n, [k = 0u]() mutable { return k++ % 56; });
  make.zeros(Element::u32, n * 32);
}
void long_loop(Problem& p) {
  constexpr u32 n = 1u << 15;
  line(p, n, 256);
  Maker(p).value(u32{256}).buffer<std::uint64_t>(
      Element::u64, n, [k = 1ull]() mutable { return k++ * 0x9E3779B97F4A7C15ull; });
}
void polynomial(Problem& p) {
  constexpr u32 n = 1u << 19;
  line(p, n, 256);
  Maker(p).value(n).doubles(n).doubles(13).zeros(Element::f64, n * 16);
}
void arithmetic32(Problem& p) {
  constexpr u32 n = 1u << 18;
  line(p, n, 256);
  Maker(p).value(n).floats(n, 0.5, 2).floats(n, 0.5, 2).zeros(Element::f32, n * 11 * 4);
}
void nbody(Problem& p) {
  constexpr u32 n = 4096;
  line(p, n, 64);
  Maker(p)
      .value(n)
      .value(0.01f)
      .floats(n * 4)
      .floats(n * 4)
      .zeros(Element::f32, n * 16)
      .zeros(Element::f32, n * 16);
  p.tolerance = 1e-3;
}
void softmax(Problem& p) {
  constexpr u32 width = 1024, rows = 1024;
  line(p, rows * 64, 64);
  Maker(p).value(width).floats(width * rows, -4, 4).zeros(Element::f32, width * rows * 4);
  p.tolerance = 1e-4;
}
void layer_norm(Problem& p) {
  constexpr u32 width = 1024, rows = 2048;
  line(p, rows * 64, 64);
  Maker(p)
      .value(width)
      .value(1e-5f)
      .floats(width * rows, -4, 4)
      .floats(width)
      .floats(width)
      .zeros(Element::f32, width * rows * 4);
  p.tolerance = 1e-4;
}
void fft256(Problem& p) {
  constexpr u32 count = 2048;
  line(p, count * 128, 128);
  Maker(p).floats(count * 512).zeros(Element::f32, count * 2048);
  p.tolerance = 1e-4;
}
/// The same problem for all four: n^3 multiplications.
constexpr u32 gemm_size = 512;
void gemm(Problem& p) {
  constexpr u32 n = gemm_size;
  plane(p, n, n, 16, 16);
  p.flops = 2.0 * n * n * n;
  p.native_name = "blocked loop, 64 x 64 x 64, i-k-j";
}
void sgemm(Problem& p) {
  constexpr u32 n = gemm_size;
  gemm(p);
  Maker(p).value(n).value(n).value(n).floats(n * n).floats(n * n).zeros(Element::f32, n * n * 4);
  p.tolerance = 1e-4;
}
void dgemm(Problem& p) {
  constexpr u32 n = gemm_size;
  gemm(p);
  Maker(p).value(n).value(n).value(n).doubles(n * n).doubles(n * n).zeros(Element::f64, n * n * 8);
  p.tolerance = 1e-9;
}
void hgemm(Problem& p) {
  constexpr u32 n = gemm_size;
  gemm(p);
  Maker(p).value(n).value(n).value(n).halves(n * n).halves(n * n).zeros(Element::f16, n * n * 2);
  p.tolerance = 1e-3;
  p.opencl = false;  // PoCL has no cl_khr_fp16
}
void sgemm_registers(Problem& p) {
  constexpr u32 n = gemm_size;
  gemm(p);
  plane(p, n / 4, n / 4, 16, 4);
  Maker(p).value(n).floats(n * n).floats(n * n).zeros(Element::f32, n * n * 4);
  p.tolerance = 1e-4;
}
void mfma_hgemm(Problem& p) {
  constexpr u32 n = gemm_size;
  gemm(p);
  plane(p, n / 32 * 64, n / 32, 64, 1);
  Maker(p).value(n).value(n).halves(n * n).halves(n * n).zeros(Element::f32, n * n * 4);
  p.tolerance = 1e-3;
  p.opencl = false;
}

struct Row {
  const char* kernel;
  const char* source;
  Bound bound;
  NativeTwin native;
  void (*make)(Problem&);
};
#define ROW(kernel, source, bound) \
  Row { #kernel, source, Bound::bound, native_##kernel, kernel }

constexpr Row table[] = {
    ROW(saxpy, "linear", memory),     ROW(copy4, "linear", memory),
    ROW(transpose, "local", memory),  ROW(stencil2, "stencil", memory),
    ROW(stencil3, "stencil", memory), ROW(layer_norm, "math", memory),
    ROW(reduce_tree, "reduce", lds),  ROW(scan, "local", lds),
    ROW(histogram, "local", lds),     ROW(bitonic, "local", lds),
    ROW(fft256, "math", lds),         ROW(mandelbrot, "flow", valu),
    ROW(sha256, "sha256", valu),      ROW(long_loop, "flow", valu),
    ROW(polynomial, "floats", valu),  ROW(arithmetic32, "floats", valu),
    ROW(nbody, "math", valu),         ROW(softmax, "math", valu),
    ROW(sgemm, "gemm", gemm),         ROW(dgemm, "gemm", gemm),
    ROW(hgemm, "gemm", gemm),         ROW(sgemm_registers, "gemm", gemm),
    ROW(mfma_hgemm, "mfma", mfma),
};

}  // namespace

std::size_t problem_count() { return std::size(table); }
const char* problem_name(std::size_t number) { return table[number].kernel; }

Problem make_problem(std::size_t number) {
  const Row& row = table[number];
  Problem problem;
  problem.kernel = row.kernel;
  problem.source = row.source;
  problem.bound = row.bound;
  problem.native = row.native;
  row.make(problem);
  return problem;
}

}  // namespace rocdrill::bench
