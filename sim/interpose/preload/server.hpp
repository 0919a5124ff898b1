// Requests to the node server. One message is one JSON object; the answer is {"errno": N}.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace rocdrill::interpose {

/// A request under construction. Always carries "comm" and "identity" of this process.
class Message {
 public:
  explicit Message(const char* op);
  void text(const char* key, const char* value);
  void number(const char* key, int64_t value);
  const char* data() const { return data_; }
  size_t size() const { return size_; }
  /// Closes the object. Nothing may follow. False if it did not fit.
  bool finish();

 private:
  void put(const char* bytes, size_t size);
  void key(const char* name);

  char data_[12288];
  size_t size_ = 0;
  bool fits_ = true;
};

/// Sends it on a connection of its own. -errno of the answer, 0, or -ENXIO (with a line on standard
/// error) if the server is gone.
int ask(Message& message);

/// A device of the node, opened: a descriptor or -errno. `device` is the last part of `path`.
int open_device(const char* path, const char* device, int flags);

/// Writes the device's name ("kfd", "renderD128") if the descriptor is an open device of this
/// session.
bool device_of_descriptor(int fd, char (&device)[32]);

}  // namespace rocdrill::interpose
