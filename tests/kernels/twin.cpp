#include "kernels/twin.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <vector>

#include "kernels/twin_item.hpp"

#ifndef __x86_64__
#error "fibers are written for x86-64"
#endif

// void twin_switch(void** save, void* to): leaves the stack for another one. What the System V ABI
// has a callee keep lies on the stack that is left; the floating-point modes are the same for all.
asm(R"(
  .text
  .type twin_switch, @function
twin_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size twin_switch, . - twin_switch
)");
extern "C" void twin_switch(void** save, void* to) asm("twin_switch");

// Functions that run on a fiber: sanitizers know only the thread's own stack.
#define ON_FIBER __attribute__((no_sanitize("address", "thread", "undefined")))

namespace rocdrill::twin {

thread_local Item* current = nullptr;

namespace {

constexpr std::size_t arena_bytes = 65536;
constexpr std::size_t page = 4096;

class Stack {
 public:
  explicit Stack(std::size_t bytes) : bytes_(bytes + page) {
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    ::mprotect(memory_, page, PROT_NONE);
  }
  ~Stack() { ::munmap(memory_, bytes_); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  std::byte* top() const { return static_cast<std::byte*>(memory_) + bytes_; }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace

struct Runner::State {
  std::size_t stack_bytes;
  std::vector<std::unique_ptr<Stack>> stacks;
  std::vector<Stack*> spare;
  std::vector<std::unique_ptr<Group>> groups;
  Body* body = nullptr;
  void* scheduler = nullptr;  // its stack, while a fiber runs
  unsigned alive = 0;

  Stack* take_stack();
  void resume(Item& item);
  void start(Group& group, const Grid& grid, std::uint64_t index, const GridFacts& facts);
  bool pass(Group& group);
  bool release(Group& group);
  bool release_waves(Group& group);
};

namespace {

ON_FIBER void fiber_main() {
  Item* const item = current;
  (*item->body)();
  item->wait = Wait::ended;
  twin_switch(&item->stack_pointer, *item->scheduler);
  __builtin_unreachable();
}

/// A stack that twin_switch can leave for fiber_main.
void* fresh(std::byte* top) {
  void** pointer = reinterpret_cast<void**>(top);
  *--pointer = nullptr;  // fiber_main's return address: there is none; aligns as a call would
  *--pointer = reinterpret_cast<void*>(&fiber_main);
  for (int n = 0; n < 6; ++n) *--pointer = nullptr;
  return pointer;
}

}  // namespace

ON_FIBER void leave(Wait wait) {
  Item* const item = current;
  item->wait = wait;
  twin_switch(&item->stack_pointer, *item->scheduler);
}

Stack* Runner::State::take_stack() {
  if (spare.empty()) {
    stacks.push_back(std::make_unique<Stack>(stack_bytes));
    return stacks.back().get();
  }
  Stack* const stack = spare.back();
  spare.pop_back();
  return stack;
}

void Runner::State::resume(Item& item) {
  Stack* stack = static_cast<Stack*>(item.stack);
  if (stack == nullptr) {
    item.stack = stack = take_stack();
    item.stack_pointer = fresh(stack->top());
  }
  current = &item;
  item.wait = Wait::none;
  twin_switch(&scheduler, item.stack_pointer);
  current = nullptr;
  if (item.wait == Wait::ended) {
    spare.push_back(stack);
    item.stack = nullptr;
    --alive;
    --item.group->alive;
    --item.group->waves[item.wave].alive;
  }
}

void Runner::State::start(Group& group, const Grid& grid, std::uint64_t index,
                          const GridFacts& facts) {
  std::uint32_t total = 1;
  std::uint64_t rest = index;
  for (unsigned n = 0; n < 3; ++n) {
    group.id[n] = static_cast<std::uint32_t>(rest % facts.groups[n]);
    rest /= facts.groups[n];
    group.size[n] = std::min(grid.group[n], grid.size[n] - group.id[n] * grid.group[n]);
    total *= group.size[n];
  }
  group.facts = &facts;
  if (group.arena.empty()) group.arena.resize(arena_bytes);
  // LDS that is read before it is written shows.
  std::memset(group.arena.data(), 0xCD, group.arena.size());
  group.items.assign(total, Item{});
  group.waves.assign((total + wave_lanes - 1) / wave_lanes, WaveLanes{});
  group.alive = total;
  alive += total;
  std::uint32_t id[3] = {};
  for (std::uint32_t n = 0; n < total; ++n) {
    Item& item = group.items[n];
    item.group = &group;
    item.body = body;
    item.scheduler = &scheduler;
    item.wave = n / wave_lanes;
    item.lane = n % wave_lanes;
    ++group.waves[item.wave].alive;
    for (unsigned k = 0; k < 3; ++k) item.local[k] = id[k];
    for (unsigned k = 0; k < 3 && ++id[k] == group.size[k]; ++k) id[k] = 0;
  }
}

/// Lets each run that can; false if none could.
bool Runner::State::pass(Group& group) {
  bool ran = false;
  for (Item& item : group.items) {
    if (item.wait != Wait::none) continue;
    resume(item);
    ran = true;
  }
  for (Item& item : group.items)
    if (item.wait == Wait::spin) item.wait = Wait::none;
  return ran;
}

bool Runner::State::release_waves(Group& group) {
  bool released = false;
  for (std::size_t n = 0; n < group.waves.size(); ++n) {
    WaveLanes& wave = group.waves[n];
    if (wave.alive == 0 || wave.arrived != wave.alive) continue;
    wave.arrived = 0;
    const std::size_t end = std::min(group.items.size(), (n + 1) * wave_lanes);
    for (std::size_t k = n * wave_lanes; k < end; ++k)
      if (group.items[k].wait == Wait::exchange) group.items[k].wait = Wait::none;
    released = true;
  }
  return released;
}

bool Runner::State::release(Group& group) {
  if (release_waves(group)) return true;
  if (group.alive == 0 || group.at_barrier != group.alive) return false;
  group.at_barrier = 0;
  for (Item& item : group.items)
    if (item.wait == Wait::barrier) item.wait = Wait::none;
  return true;
}

Runner::Runner(std::size_t stack_bytes) : state_(std::make_unique<State>()) {
  state_->stack_bytes = (stack_bytes + page - 1) / page * page;
}
Runner::~Runner() = default;

void Runner::run(const Grid& grid, Body body) {
  State& state = *state_;
  GridFacts facts{grid.size, grid.group, {}};
  std::uint64_t count = 1;
  for (unsigned n = 0; n < 3; ++n) {
    if (grid.size[n] == 0 || grid.group[n] == 0) return;
    facts.groups[n] = (grid.size[n] - 1) / grid.group[n] + 1;
    count *= facts.groups[n];
  }
  state.body = &body;
  state.alive = 0;
  const std::uint64_t at_once = grid.resident ? count : 1;
  while (state.groups.size() < at_once) state.groups.push_back(std::make_unique<Group>());
  for (std::uint64_t first = 0; first < count; first += at_once) {
    for (std::uint64_t n = 0; n < at_once; ++n)
      state.start(*state.groups[n], grid, first + n, facts);
    while (state.alive != 0) {
      bool moved = false;
      for (std::uint64_t n = 0; n < at_once; ++n) {
        Group& group = *state.groups[n];
        moved |= state.pass(group);
        moved |= state.release(group);
      }
      if (moved) continue;
      // The fibers' stacks are used no more: nothing on them has a destructor.
      state.spare.clear();
      for (const auto& stack : state.stacks) state.spare.push_back(stack.get());
      throw std::logic_error("a barrier or exchange that not all work-items come to");
    }
  }
}

ON_FIBER void* shared_memory(std::size_t bytes) {
  Item& item = *current;
  std::byte* const at = item.group->arena.data() + item.shared_used;
  item.shared_used += (bytes + 15) / 16 * 16;
  if (item.shared_used > arena_bytes) __builtin_trap();
  return at;
}

}  // namespace rocdrill::twin
