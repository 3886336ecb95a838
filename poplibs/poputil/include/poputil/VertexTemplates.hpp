#pragma once

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <type_traits>
#include <utility>

// Header only: programs that use nothing else of the library need not link with it.
namespace poputil {

/// Writes an argument of templateVertex(). Specialise it for types of your own.
template <typename T> struct VertexTemplateToString {
  /// Returns the text of a number.
  static std::string to_string(const T &x) { return std::to_string(x); }
};
/// Writes a boolean.
template <> struct VertexTemplateToString<bool> {
  /// Returns "true" or "false".
  static std::string to_string(bool x) { return x ? "true" : "false"; }
};
/// Writes a type.
template <> struct VertexTemplateToString<poplar::Type> {
  /// Returns the C++ spelling.
  static std::string to_string(const poplar::Type &type) { return type.toString().cloneAsString(); }
};
/// Writes text.
template <> struct VertexTemplateToString<std::string> {
  /// Returns the text itself.
  static std::string to_string(const std::string &text) { return text; }
};
/// Writes text.
template <> struct VertexTemplateToString<poplar::StringRef> {
  /// Returns the text itself.
  static std::string to_string(const poplar::StringRef &text) { return text.cloneAsString(); }
};
/// Writes text.
template <> struct VertexTemplateToString<const char *> {
  /// Returns the text itself.
  static std::string to_string(const char *text) { return text; }
};
/// Writes text.
template <> struct VertexTemplateToString<char *> {
  /// Returns the text itself.
  static std::string to_string(const char *text) { return text; }
};

namespace encoding {

template <typename Arg> std::string vertexTemplateArgument(const Arg &arg) {
  return VertexTemplateToString<typename std::decay<Arg>::type>::to_string(arg);
}
inline std::string vertexTemplateArguments() { return ""; }
template <typename First, typename... Rest>
std::string vertexTemplateArguments(const First &first, const Rest &...rest) {
  const std::string more = vertexTemplateArguments(rest...);
  return vertexTemplateArgument(first) + (more.empty() ? more : "," + more);
}

} // namespace encoding

/// Returns the name of a vertex type with its template arguments: templateVertex("ns::Vertex",
/// FLOAT, true, 4u, "x") is `ns::Vertex<float,true,4,x>`, and without arguments the name is as it
/// was. See User guide, 3.5.
template <typename... Args>
inline std::string templateVertex(const std::string &name, Args &&...args) {
  const std::string arguments = encoding::vertexTemplateArguments(args...);
  return sizeof...(Args) == 0 ? name : name + "<" + arguments + ">";
}

} // namespace poputil
