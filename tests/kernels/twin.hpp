// Kernels on this CPU: work-items as fibers, work-groups one after the other.
//
// A twin is a kernel source compiled as OpenCL C for x86-64 (kernel.h); it calls back into what the
// runner provides: ids, barriers, memory of the group, exchanges between the lanes of a wave.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace rocdrill::twin {

inline constexpr unsigned wave_lanes = 64;

struct Grid {
  std::array<std::uint32_t, 3> size{1, 1, 1};   ///< work-items; need not be a multiple of `group`
  std::array<std::uint32_t, 3> group{1, 1, 1};  ///< work-items
  /// All groups at once, for kernels whose groups wait for each other.
  bool resident = false;
};

/// What a work-item does. Refers to a callable that outlives the call.
class Body {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, Body>)
  Body(const Callable& callable)
      : callable_(&callable),
        call_([](const void* self) { (*static_cast<const Callable*>(self))(); }) {}
  void operator()() const { call_(callable_); }

 private:
  const void* callable_;
  void (*call_)(const void*);
};

/// One per thread that runs twins; several may run at the same time.
class Runner {
 public:
  explicit Runner(std::size_t stack_bytes = std::size_t{128} << 10);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Calls `body` once per work-item and returns when all have ended. Throws std::logic_error when
  /// none can go on: a barrier or an exchange that not all come to.
  void run(const Grid& grid, Body body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// LDS of the group, for kernels that take it as an argument; the same for each of its work-items
/// that asks in the same order. Only within a body.
void* shared_memory(std::size_t bytes);

}  // namespace rocdrill::twin
