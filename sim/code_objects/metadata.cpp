#include "sim/code_objects/metadata.hpp"

#include <llvm/BinaryFormat/MsgPackReader.h>

#include <functional>

namespace rocdrill::code_objects {
namespace {

namespace msgpack = llvm::msgpack;
using msgpack::Object;
using msgpack::Type;

/// Real metadata is 5 levels deep. llvm::msgpack::Document is not used: maps and arrays as map
/// keys are undefined behaviour in it.
constexpr unsigned max_depth = 32;

/// Thrown and caught inside this file only.
struct Malformed {
  std::string what;
};

class Parser {
 public:
  explicit Parser(llvm::StringRef bytes) : reader_(bytes) {}

  Metadata parse() {
    Metadata metadata;
    map([&](llvm::StringRef key) {
      if (key == "amdhsa.target")
        metadata.target = string();
      else if (key == "amdhsa.kernels")
        array([&] { metadata.kernels.push_back(kernel()); });
      else
        skip(next());
    });
    return metadata;
  }

 private:
  Kernel kernel() {
    Kernel kernel;
    map([&](llvm::StringRef key) {
      if (key == ".name")
        kernel.name = string();
      else if (key == ".symbol")
        kernel.symbol = string();
      else if (key == ".kernarg_segment_size")
        kernel.kernarg_segment_size = number();
      else if (key == ".kernarg_segment_align")
        kernel.kernarg_segment_align = number();
      else if (key == ".group_segment_fixed_size")
        kernel.group_segment_fixed_size = number();
      else if (key == ".private_segment_fixed_size")
        kernel.private_segment_fixed_size = number();
      else if (key == ".wavefront_size")
        kernel.wavefront_size = number();
      else if (key == ".sgpr_count")
        kernel.sgpr_count = number();
      else if (key == ".vgpr_count")
        kernel.vgpr_count = number();
      else if (key == ".agpr_count")
        kernel.agpr_count = number();
      else if (key == ".max_flat_workgroup_size")
        kernel.max_flat_workgroup_size = number();
      else if (key == ".uses_dynamic_stack")
        kernel.uses_dynamic_stack = boolean();
      else if (key == ".reqd_workgroup_size")
        array([&] { kernel.reqd_workgroup_size.push_back(number()); });
      else if (key == ".args")
        array([&] { kernel.arguments.push_back(argument()); });
      else
        skip(next());
    });
    if (kernel.name.empty()) throw Malformed{"a kernel has no .name"};
    if (kernel.symbol.empty()) throw Malformed{"kernel '" + kernel.name + "' has no .symbol"};
    return kernel;
  }

  KernelArgument argument() {
    KernelArgument argument;
    map([&](llvm::StringRef key) {
      if (key == ".name")
        argument.name = string();
      else if (key == ".type_name")
        argument.type_name = string();
      else if (key == ".size")
        argument.size = number();
      else if (key == ".offset")
        argument.offset = number();
      else if (key == ".value_kind")
        argument.value_kind = string();
      else
        skip(next());
    });
    return argument;
  }

  Object next() {
    Object object;
    llvm::Expected<bool> read = reader_.read(object);
    if (!read) throw Malformed{llvm::toString(read.takeError())};
    if (!*read) throw Malformed{"the metadata ends inside a value"};
    return object;
  }

  /// A collection's length is not trusted: its elements are read one by one, and each takes
  /// at least a byte of the note.
  template <class Each>
  void map(Each each) {
    const Object object = next();
    if (object.Kind != Type::Map) throw Malformed{"a map is expected"};
    Nesting nesting(*this);
    for (std::size_t i = 0; i < object.Length; ++i) {
      const Object key = next();
      if (key.Kind != Type::String) throw Malformed{"a key is no string"};
      each(key.Raw);
    }
  }
  template <class Each>
  void array(Each each) {
    const Object object = next();
    if (object.Kind != Type::Array) throw Malformed{"an array is expected"};
    Nesting nesting(*this);
    for (std::size_t i = 0; i < object.Length; ++i) each();
  }

  std::string string() {
    const Object object = next();
    if (object.Kind != Type::String) throw Malformed{"a string is expected"};
    return object.Raw.str();
  }
  std::uint64_t number() {
    const Object object = next();
    if (object.Kind == Type::UInt) return object.UInt;
    if (object.Kind == Type::Int && object.Int >= 0) return static_cast<std::uint64_t>(object.Int);
    throw Malformed{"a non-negative integer is expected"};
  }
  bool boolean() {
    const Object object = next();
    if (object.Kind != Type::Boolean) throw Malformed{"a boolean is expected"};
    return object.Bool;
  }
  void skip(const Object& object) {
    if (object.Kind != Type::Array && object.Kind != Type::Map) return;
    Nesting nesting(*this);
    const std::size_t values = object.Kind == Type::Map ? 2 : 1;
    for (std::size_t i = 0; i < object.Length; ++i)
      for (std::size_t value = 0; value < values; ++value) skip(next());
  }

  struct Nesting {
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_depth) throw Malformed{"the metadata is nested too deeply"};
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Parser& parser_;
  };

  msgpack::Reader reader_;
  unsigned depth_ = 0;
};

}  // namespace

LoadResult<Metadata> read_metadata(std::span<const std::byte> note, std::uint64_t note_offset) {
  try {
    return Parser({reinterpret_cast<const char*>(note.data()), note.size()}).parse();
  } catch (const Malformed& malformed) {
    return fail(LoadError::Kind::malformed_metadata, malformed.what, note_offset);
  }
}

}  // namespace rocdrill::code_objects
