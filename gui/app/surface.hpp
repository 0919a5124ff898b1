// OpenGL without a display: EGL's surfaceless platform and a framebuffer object, so that a machine
// without a screen or a GPU (Mesa's llvmpipe) gives the same pixels.
#pragma once

#include <string>

#include "gui/app/png.hpp"

namespace rocdrill::gui {

class Surface {
 public:
  /// Throws Failure: no EGL, no OpenGL 3.2, or too large a picture.
  Surface(int width, int height);
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  /// Begins a frame with this background.
  void clear(std::uint32_t rgb);
  Picture read();

 private:
  void close();

  int width_;
  int height_;
  void* display_ = nullptr;
  void* context_ = nullptr;
};

/// Throws Failure if OpenGL has noted an error; `doing` says what was being done.
void check_gl(const std::string& doing);

}  // namespace rocdrill::gui
