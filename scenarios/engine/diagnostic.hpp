// What is wrong with a file, where, and what to do about it.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stack/suggest.hpp"

namespace rocdrill::scenarios {

/// A place in a text file, 1-based; columns count characters, not bytes. 0 = unknown.
struct Mark {
  int line = 0;
  int column = 0;

  bool operator==(const Mark&) const = default;
};

struct Diagnostic {
  std::string file;
  int line = 0;  ///< 1-based; 0: the file as a whole
  int column = 0;
  std::string message;
  std::string hint;  ///< what is allowed or what to do; may be empty

  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// What a loader returns: the value, or every problem that was found, in file order.
template <class T>
using Loaded = std::expected<T, Diagnostics>;

/// "file:line:column: error: message\n", then "  hint: ...\n" if there is one.
std::string text(const Diagnostic& diagnostic);
std::string text(const Diagnostics& diagnostics);

/// `text` between single quotes, control characters escaped, cut after 60 characters: what a file
/// contains must not steer the terminal that shows the message.
std::string in_quotes(std::string_view text);

using rocdrill::did_you_mean;
using rocdrill::suggest;

}  // namespace rocdrill::scenarios
