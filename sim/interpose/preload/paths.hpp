// Which of the two machines a path belongs to, and its spelling on the other.
#pragma once

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "sim/interpose/preload/session.hpp"

namespace rocdrill::interpose {

enum class Where {
  untouched,  ///< this machine's, and the caller's own spelling of it reaches it
  elsewhere,  ///< this machine's, but the kernel must be given real(): it left root/ by ".."
  node        ///< the node's: real() lies in root/
};

/// The result of locate(). The root folder's text stands before the node's path in one buffer.
class Place {
 public:
  Where where = Where::untouched;
  size_t length = 0;            ///< of node()
  bool trailing_slash = false;  ///< the caller wrote one: the last component must be a directory
  IndexUse index;

  bool on_node() const { return where == Where::node; }
  /// The absolute path as the node's programs see it; set unless untouched.
  const char* node() const { return buffer_ + offset_; }
  /// What the kernel is to be given.
  const char* real() const {
    if (where == Where::untouched) return original_;
    return where == Where::node ? buffer_ : buffer_ + offset_;
  }
  int dirfd() const { return where == Where::untouched ? original_dirfd_ : AT_FDCWD; }

  void start(const Session& session, int dirfd, const char* path);
  /// Replaces the node's path; false if it is too long. `text` may lie in this place.
  bool set(const char* text, size_t size);
  /// Appends "/name", or takes a name away.
  bool append(const char* name, size_t size);
  void to_parent();

 private:
  char buffer_[folder_max + 8 + PATH_MAX];
  size_t offset_ = 0;
  const char* original_ = nullptr;
  int original_dirfd_ = 0;
};

/// Where `path`, relative to `dirfd`, leads. `place` is untouched whenever it need not be changed.
void locate(const Session& session, int dirfd, const char* path, Place& place);

/// Is the absolute, normalised path the node's? Aliases are not looked at.
bool owned(const Index& index, const char* path, size_t length);

/// If `text` (size bytes, no zero byte needed) lies in root/: the length of what must go so that
/// the node's path remains (which may leave nothing: "/"). Otherwise 0.
size_t root_part(const Session& session, const char* text, size_t size);

/// The node's or this machine's absolute path of an open descriptor, in `place` (node or elsewhere,
/// not normalised by aliases). False if it has none.
bool path_of_descriptor(const Session& session, int fd, Place& place);

/// Is the open file in root/? Quick for files of other file systems and for those seen before.
bool descriptor_on_node(const Session& session, int fd, const struct stat& file, Place& place);

}  // namespace rocdrill::interpose
