// Virtual functions: objects are made on the GPU, so that their tables are the GPU's.
#include "kernel_hip.h"

namespace {

struct Shape {
  __device__ virtual uint area() const { return 0; }
  __device__ virtual void grow(uint by) { tag += by; }
  uint tag = 0;
};
struct Square : Shape {
  uint side;
  __device__ explicit Square(uint s) : side(s) { tag = 1; }
  __device__ uint area() const override { return side * side; }
  __device__ void grow(uint by) override { side += by; }
};
struct Box : Shape {
  uint width, height;
  __device__ Box(uint w, uint h) : width(w), height(h) { tag = 2; }
  __device__ uint area() const override { return width * height; }
  __device__ void grow(uint by) override {
    width += by;
    height += by * 2;
  }
};
struct Stack : Shape {
  Shape* below;
  __device__ explicit Stack(Shape* b) : below(b) { tag = 3; }
  __device__ uint area() const override { return below->area() * 2 + tag; }
  __device__ void grow(uint by) override { below->grow(by + 1); }
};

/// Room for any of them, in memory of the grid.
struct alignas(8) Room {
  unsigned char bytes[32];
};
static_assert(sizeof(Square) <= 32 && sizeof(Box) <= 32 && sizeof(Stack) <= 32);

struct Here {};

}  // namespace

__device__ void* operator new(decltype(sizeof 0), void* at, Here) noexcept { return at; }

KERNEL(make_shapes)(uint n, const uint* in, Room* rooms, Shape** shapes) {
  const uint i = block_index().x * block_size() + thread_index().x;
  if (i >= n) return;
  Room* mine = rooms + 2 * i;
  Shape* shape = in[i] % 2 == 0 ? static_cast<Shape*>(new (mine, Here{}) Square(in[i] & 0xFF))
                                : new (mine, Here{}) Box(in[i] & 0xF, in[i] >> 4 & 0xFF);
  if (in[i] % 5 == 0) shape = new (mine + 1, Here{}) Stack(shape);
  shapes[i] = shape;
}

KERNEL(use_shapes)(uint n, Shape* const* shapes, uint* out) {
  const uint i = block_index().x * block_size() + thread_index().x;
  if (i >= n) return;
  Shape* shape = shapes[(i * 7) % n];
  out[i] = shape->area() * 4 + shape->tag;
}

KERNEL(grow_shapes)(uint n, Shape* const* shapes) {
  const uint i = block_index().x * block_size() + thread_index().x;
  if (i < n) shapes[i]->grow(i % 3 + 1);
}
