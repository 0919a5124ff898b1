#define GL_GLEXT_PROTOTYPES
#include "gui/app/surface.hpp"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "gui/app/gui.hpp"

namespace rocdrill::gui {
namespace {

[[noreturn]] void unavailable(const std::string& what) {
  throw Failure{4, what +
                       "\n  needed: EGL with OpenGL 3.2, for example Debian's libegl1 and "
                       "libgl1-mesa-dri (Mesa renders without a GPU)\n"};
}

const char* name_of(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    default:
      return "an unknown error";
  }
}

}  // namespace

void check_gl(const std::string& doing) {
  const GLenum error = glGetError();
  if (error != GL_NO_ERROR)
    throw Failure{5, fmt::format("OpenGL: {} while {}\n", name_of(error), doing)};
}

Surface::Surface(int width, int height) : width_(width), height_(height) {
  const auto get_display = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      eglGetProcAddress("eglGetPlatformDisplayEXT"));
  if (!get_display) unavailable("EGL cannot do without a display here");
  display_ = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
  if (!display_ || !eglInitialize(display_, nullptr, nullptr))
    unavailable("EGL's surfaceless platform does not start");
  try {
    if (!eglBindAPI(EGL_OPENGL_API)) unavailable("EGL has no OpenGL here");
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    eglChooseConfig(display_, wanted, &config, 1, &count);
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              2,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE};
    context_ = eglCreateContext(display_, count > 0 ? config : nullptr, EGL_NO_CONTEXT, version);
    if (!context_) unavailable("OpenGL is too old: there is no 3.2");
    if (!eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_))
      unavailable("EGL cannot do without a surface here");
    GLint most = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
    if (std::max(width, height) > most) {
      throw Failure{2, fmt::format("--size {}x{}: OpenGL draws at most {} pixels here\n", width,
                                   height, most)};
    }
    GLuint buffer = 0;
    GLuint frame = 0;
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      unavailable("OpenGL has no framebuffer for the picture");
    check_gl("making the framebuffer");
  } catch (const Failure&) {
    close();
    throw;
  }
}

Surface::~Surface() { close(); }

void Surface::close() {
  eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  if (context_) eglDestroyContext(display_, context_);
  eglTerminate(display_);
}

void Surface::clear(std::uint32_t rgb) {
  glViewport(0, 0, width_, height_);
  glClearColor(static_cast<float>((rgb >> 16) & 0xFF) / 255,
               static_cast<float>((rgb >> 8) & 0xFF) / 255, static_cast<float>(rgb & 0xFF) / 255,
               1);
  glClear(GL_COLOR_BUFFER_BIT);
}

Picture Surface::read() {
  const auto stride = static_cast<std::size_t>(width_) * 3;
  std::vector<std::uint8_t> upward(stride * static_cast<std::size_t>(height_));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width_, height_, GL_RGB, GL_UNSIGNED_BYTE, upward.data());
  check_gl("reading the picture");
  Picture picture{width_, height_, std::vector<std::uint8_t>(upward.size())};
  for (std::size_t y = 0; y < static_cast<std::size_t>(height_); ++y) {
    const auto row = upward.begin() + static_cast<std::ptrdiff_t>(y * stride);
    std::copy(row, row + static_cast<std::ptrdiff_t>(stride),
              picture.rgb.end() - static_cast<std::ptrdiff_t>((y + 1) * stride));
  }
  return picture;
}

}  // namespace rocdrill::gui
