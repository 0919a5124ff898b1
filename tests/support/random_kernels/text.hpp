// Kernels in OpenCL C that needs no library: clang -x cl -cl-std=CL2.0 -nogpulib.
#pragma once

#include <string>
#include <string_view>

#include "support/random_kernels/tree.hpp"

namespace rocdrill::test::random_kernels {

/// Work-items of a group.
inline constexpr unsigned group_size = 64;

/// What all kernels of a file use: types, and operations that C leaves undefined somewhere.
inline constexpr std::string_view prelude = R"(
typedef char i8; typedef uchar u8; typedef short i16; typedef ushort u16;
typedef int i32; typedef uint u32; typedef long i64; typedef ulong u64;
#define NAME(a, b) NAME2(a, b)
#define NAME2(a, b) a##b
#define INLINE static inline __attribute__((always_inline))

// T: the type, U: the unsigned one of its size, W: one that does not promote, E: W's elements.
#define COMMON(T, U, W, E, TO_T, TO_U, TO_W, BITS) \
  INLINE T NAME(negate_, T)(T a) { return TO_T((W)(E)0 - TO_W(a)); } \
  INLINE T NAME(add_, T)(T a, T b) { return TO_T(TO_W(a) + TO_W(b)); } \
  INLINE T NAME(subtract_, T)(T a, T b) { return TO_T(TO_W(a) - TO_W(b)); } \
  INLINE T NAME(multiply_, T)(T a, T b) { return TO_T(TO_W(a) * TO_W(b)); } \
  INLINE T NAME(bit_and_, T)(T a, T b) { return TO_T(a & b); } \
  INLINE T NAME(bit_or_, T)(T a, T b) { return TO_T(a | b); } \
  INLINE T NAME(bit_xor_, T)(T a, T b) { return TO_T((BITS == 64 ? SUSPECT(a) : a) ^ b); } \
  INLINE T NAME(shift_left_, T)(T a, T b) { return TO_T(TO_W(a) << (TO_W(b) & (W)(E)(BITS - 1))); } \
  INLINE T NAME(shift_right_, T)(T a, T b) { return TO_T(a >> TO_T(TO_W(b) & (W)(E)(BITS - 1))); } \
  INLINE T NAME(rotate_left_, T)(T a, T b) { \
    const W x = TO_W(TO_U(a)), n = TO_W(b) & (W)(E)(BITS - 1); \
    return TO_T(TO_U(x << n) | TO_U(x >> (((W)(E)BITS - n) & (W)(E)(BITS - 1)))); \
  } \
  INLINE T NAME(minimum_, T)(T a, T b) { return __builtin_elementwise_min(a, b); } \
  INLINE T NAME(maximum_, T)(T a, T b) { return __builtin_elementwise_max(a, b); } \
  INLINE T NAME(absolute_difference_, T)(T a, T b) { \
    return a > b ? NAME(subtract_, T)(a, b) : NAME(subtract_, T)(b, a); \
  } \
  INLINE T NAME(average_, T)(T a, T b) { return TO_T((a & b) + TO_T((a ^ b) >> TO_T((W)(E)1))); }

#define SATURATES(T) \
  INLINE T NAME(add_saturated_, T)(T a, T b) { return __builtin_elementwise_add_sat(a, b); } \
  INLINE T NAME(subtract_saturated_, T)(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
SATURATES(i32) SATURATES(u32) SATURATES(i64) SATURATES(u64)
// The builtins promote single elements of these.
#define NARROW_SATURATES(T, LEAST, MOST) \
  INLINE T add_saturated_##T(T a, T b) { \
    const int sum = a + b; \
    return (T)(sum < LEAST ? LEAST : sum > MOST ? MOST : sum); \
  } \
  INLINE T subtract_saturated_##T(T a, T b) { \
    const int difference = a - b; \
    return (T)(difference < LEAST ? LEAST : difference > MOST ? MOST : difference); \
  }
NARROW_SATURATES(i8, -128, 127)
NARROW_SATURATES(u8, 0, 255)
NARROW_SATURATES(i16, -32768, 32767)
NARROW_SATURATES(u16, 0, 65535)

// clang 19 divides unsigned numbers that are sign-extended as if they were short: it must not know.
// What it gets wrong less often is hidden where something is wrong (Trial::is_compilers_fault).
#define KNOWN(x) (x)
#define HIDDEN(x) ({ __typeof__(x) hidden = x; __asm__("" : "+v"(hidden)); hidden; })
#ifdef HIDE_MORE
#define SUSPECT(x) HIDDEN(x)
#else
#define SUSPECT(x) (x)
#endif
#define SCALAR(T, U, W, BITS, SIGNED, OPERAND) \
  COMMON(T, U, W, W, (T), (U), (W), BITS) \
  INLINE T invert_##T(T a) { return (T)~(W)(BITS == 64 ? SUSPECT(a) : a); } \
  INLINE T divide_##T(T a, T b) { \
    if (SIGNED && b == (T)-1) return negate_##T(a); \
    return (T)(OPERAND(a) / OPERAND((T)(b == 0 ? (T)1 : b))); \
  } \
  INLINE T remainder_##T(T a, T b) { \
    if (SIGNED && b == (T)-1) return 0; \
    return (T)(OPERAND(a) % OPERAND((T)(b == 0 ? (T)1 : b))); \
  } \
  INLINE T population_##T(T a) { return (T)__builtin_popcountg((U)a); } \
  INLINE T leading_zeros_##T(T a) { return (T)__builtin_clzg((U)a, BITS); } \
  INLINE T trailing_zeros_##T(T a) { return (T)__builtin_ctzg((U)a, BITS); } \
  INLINE T reverse_bits_##T(T a) { return (T)__builtin_bitreverse##BITS((U)a); }
SCALAR(i8, u8, u32, 8, 1, KNOWN)
SCALAR(u8, u8, u32, 8, 0, KNOWN)
SCALAR(i16, u16, u32, 16, 1, KNOWN)
SCALAR(u16, u16, u32, 16, 0, KNOWN)
SCALAR(i32, u32, u32, 32, 1, SUSPECT)
SCALAR(u32, u32, u32, 32, 0, HIDDEN)
SCALAR(i64, u64, u64, 64, 1, SUSPECT)
SCALAR(u64, u64, u64, 64, 0, HIDDEN)

// By the builtin: where clang 19 finds the instruction in a sum of products, it takes what is subtracted
// for added.
#define DOT4_i32 __builtin_amdgcn_sdot4
#define DOT4_u32 __builtin_amdgcn_udot4
#define OF_32_BITS(T, BYTE, LONG) \
  INLINE T multiply_high_##T(T a, T b) { return (T)((LONG)a * (LONG)b >> 32); } \
  INLINE T bit_field_##T(T a, T b, T c) { \
    return (T)((u32)a >> ((u32)b & 31) & ((1u << ((u32)c & 31)) - 1)); \
  } \
  INLINE T dot4_##T(T a, T b, T c) { return DOT4_##T(a, b, c, false); }
OF_32_BITS(i32, i8, i64)
OF_32_BITS(u32, u8, u64)
INLINE u32 multiply_24_u32(u32 a, u32 b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }
INLINE i32 multiply_24_i32(i32 a, i32 b) {
  const i32 x = (i32)((u32)a << 8) >> 8, y = (i32)((u32)b << 8) >> 8;
  return (i32)((u32)x * (u32)y);
}

#define TO(T, x) __builtin_convertvector(x, T)
#define VECTOR(T, U, N, BITS) \
  typedef T NAME(T, x##N) __attribute__((ext_vector_type(N)));
#define VECTORS(N) \
  VECTOR(i8, u8, N, 8) VECTOR(u8, u8, N, 8) VECTOR(i16, u16, N, 16) VECTOR(u16, u16, N, 16) \
  VECTOR(i32, u32, N, 32) VECTOR(u32, u32, N, 32) VECTOR(i64, u64, N, 64) VECTOR(u64, u64, N, 64)
VECTORS(2)
VECTORS(4)
)";

/// The rest of the prelude: the operations of vectors, which macros alone would not name.
inline std::string vector_prelude() {
  std::string out;
  for (const char* width : {"x2", "x4"})
    for (const char* bits : {"8", "16", "32", "64"})
      for (const char* sign : {"i", "u"}) {
        const std::string type = std::string(sign) + bits + width;
        const std::string of_unsigned = std::string("u") + bits + width;
        const std::string to_unsigned = "TO_" + of_unsigned;
        out += "#define TO_" + type + "(x) TO(" + type + ", x)\n";
        if (*sign == 'i') out += "#define " + to_unsigned + "(x) TO(" + of_unsigned + ", x)\n";
        out += "COMMON(" + type + ", " + of_unsigned + ", " + of_unsigned + ", u" + bits + ", TO_" +
               type + ", " + to_unsigned + ", " + to_unsigned + ", " + bits + ")\n";
        out += "SATURATES(" + type + ")\n";
        out += "INLINE " + type + " invert_" + type + "(" + type + " a) { return ~" +
               (std::string_view(bits) == "64" ? "SUSPECT(a)" : "a") + "; }\n";
      }
  return out;
}

class Writer {
 public:
  /// Appends `kernel` to a file that begins with the preludes.
  Writer(std::string& out, const Kernel& kernel, std::string name)
      : out_(out), kernel_(kernel), name_(std::move(name)) {}
  void write();

 private:
  std::string type(Type type, bool scalar = false) const;
  std::string text(const Node& node) const;
  std::string operands(const Node& node, unsigned from, const char* between) const;
  void statements(const std::vector<Statement>& all, unsigned depth);
  std::string inputs(unsigned variable) const;

  std::string& out_;
  const Kernel& kernel_;
  std::string name_;
};

inline std::string Writer::type(Type type, bool scalar) const {
  std::string name = (is_signed(type) ? "i" : "u") + std::to_string(bits_of(type));
  if (kernel_.width > 1 && !scalar) name += "x" + std::to_string(kernel_.width);
  return name;
}

inline std::string Writer::operands(const Node& node, unsigned from, const char* between) const {
  std::string out;
  for (unsigned n = from; n < node.operands.size(); ++n)
    out += (n > from ? between : "") + text(node[n]);
  return out;
}

inline std::string Writer::text(const Node& node) const {
  static constexpr const char* relations[] = {" < ", " <= ", " == ", " != ", " > ", " >= "};
  static constexpr const char* names[] = {"",
                                          "",
                                          "",
                                          "",
                                          "",
                                          "negate",
                                          "invert",
                                          "add",
                                          "subtract",
                                          "multiply",
                                          "divide",
                                          "remainder",
                                          "shift_left",
                                          "shift_right",
                                          "rotate_left",
                                          "bit_and",
                                          "bit_or",
                                          "bit_xor",
                                          "minimum",
                                          "maximum",
                                          "add_saturated",
                                          "subtract_saturated",
                                          "absolute_difference",
                                          "average",
                                          "population",
                                          "leading_zeros",
                                          "trailing_zeros",
                                          "reverse_bits",
                                          "multiply_high",
                                          "multiply_24",
                                          "bit_field",
                                          "dot4"};
  const std::string own = type(node.type);
  const char* relation = relations[static_cast<unsigned>(node.relation)];
  switch (node.op) {
    case Op::variable:
      return "v" + std::to_string(node.index);
    case Op::constant:
      return "(" + own + ")((" + type(node.type, true) + ")" + std::to_string(node.value) + "ul)";
    case Op::parameter:
      return kernel_.width == 1 ? "p" + std::to_string(node.index)
                                : "(" + own + ")(p" + std::to_string(node.index) + ")";
    case Op::element:
      return "array[(u64)" + text(node[0]) + " % " + std::to_string(array_size) + "]";
    case Op::cast:
      return kernel_.width == 1 ? "((" + own + ")" + text(node[0]) + ")"
                                : "TO(" + own + ", " + text(node[0]) + ")";
    case Op::select:
      return "((" + text(node[0]) + relation + text(node[1]) + ") ? " + text(node[2]) + " : " +
             text(node[3]) + ")";
    case Op::relate:
      return "((" + own + ")(" + text(node[0]) + relation + text(node[1]) + "))";
    case Op::call:
      return name_ + "_f" + std::to_string(node.index) + "(" + operands(node, 0, ", ") + ")";
    default:
      return std::string(names[static_cast<unsigned>(node.op)]) + "_" + own + "(" +
             operands(node, 0, ", ") + ")";
  }
}

inline void Writer::statements(const std::vector<Statement>& all, unsigned depth) {
  const std::string indent(2 * depth, ' ');
  const std::string counter = "n" + std::to_string(depth);
  for (const Statement& statement : all) {
    const std::string value = text(*statement.value);
    switch (statement.kind) {
      case Statement::Kind::assign:
        out_ += indent + "v" + std::to_string(statement.index) + " = " + value + ";\n";
        continue;
      case Statement::Kind::store:
        out_ += indent + "array[(u64)" + text(*statement.where) + " % " +
                std::to_string(array_size) + "] = " + value + ";\n";
        continue;
      case Statement::Kind::branch:
        out_ += indent + "if (" + value + " != 0) {\n";
        break;
      case Statement::Kind::loop:
        out_ += indent + "for (u32 " + counter + " = (u64)" + value + " % 8; " + counter +
                " > 0; --" + counter + ") {\n";
        break;
    }
    statements(statement.body, depth + 1);
    out_ += indent + "}\n";
    if (statement.other.empty()) continue;
    out_.back() = ' ';
    out_ += "else {\n";
    statements(statement.other, depth + 1);
    out_ += indent + "}\n";
  }
}

inline std::string Writer::inputs(unsigned variable) const {
  std::string out;
  for (unsigned element = 0; element < kernel_.width; ++element)
    out += (element > 0 ? ", (" : "(") + type(kernel_.variables[variable], true) + ")in[" +
           std::to_string(variable * kernel_.width + element) + "]";
  return out;
}

inline void Writer::write() {
  for (unsigned n = 0; n < kernel_.functions.size(); ++n) {
    const Function& f = kernel_.functions[n];
    out_ += "static __attribute__((noinline)) " + type(f.result) + " " + name_ + "_f" +
            std::to_string(n) + "(" + type(f.arguments[0]) + " v0, " + type(f.arguments[1]) +
            " v1) {\n  return " + text(*f.value) + ";\n}\n";
  }
  out_ += "kernel void " + name_ + "(global const u64* in, global u64* out";
  for (unsigned n = 0; n < parameter_count; ++n) out_ += ", u64 p" + std::to_string(n);
  out_ += ") {\n  const u32 id = __builtin_amdgcn_workgroup_id_x() * " +
          std::to_string(group_size) + " + __builtin_amdgcn_workitem_id_x();\n  in += id * " +
          std::to_string(kernel_.words()) + ";\n  out += id * " + std::to_string(kernel_.words()) +
          ";\n";
  for (unsigned v = 0; v < kernel_.variables.size(); ++v) {
    const std::string own = type(kernel_.variables[v]);
    out_ += "  " + own + " v" + std::to_string(v) + " = (" + own + ")(" + inputs(v) + ");\n";
  }
  if (kernel_.has_array) {
    out_ += "  " + type(kernel_.array_type) + " array[" + std::to_string(array_size) + "];\n" +
            "  for (u32 n = 0; n < " + std::to_string(array_size) + "; ++n) array[n] = (" +
            type(kernel_.array_type) + ")p0;\n";
  }
  statements(kernel_.statements, 1);
  for (unsigned v = 0; v < kernel_.variables.size(); ++v)
    for (unsigned element = 0; element < kernel_.width; ++element)
      out_ += "  out[" + std::to_string(v * kernel_.width + element) + "] = (u64)v" +
              std::to_string(v) + (kernel_.width > 1 ? ".s" + std::to_string(element) : "") + ";\n";
  out_ += "}\n";
}

}  // namespace rocdrill::test::random_kernels
