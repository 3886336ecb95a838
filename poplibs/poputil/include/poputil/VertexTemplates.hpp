#pragma once

#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <type_traits>
#include <utility>

// Header only: programs that use nothing else of the library need not link with it.
namespace poputil {

/// How an argument of templateVertex() is written. Specialise it for types of your own.
template <typename T> struct VertexTemplateToString {
  static std::string to_string(const T &x) { return std::to_string(x); }
};
template <> struct VertexTemplateToString<bool> {
  static std::string to_string(bool x) { return x ? "true" : "false"; }
};
template <> struct VertexTemplateToString<poplar::Type> {
  static std::string to_string(const poplar::Type &type) { return type.toString().cloneAsString(); }
};
template <> struct VertexTemplateToString<std::string> {
  static std::string to_string(const std::string &text) { return text; }
};
template <> struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(const poplar::StringRef &text) { return text.cloneAsString(); }
};
template <> struct VertexTemplateToString<const char *> {
  static std::string to_string(const char *text) { return text; }
};
template <> struct VertexTemplateToString<char *> {
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

/// The name of an instance of a vertex class:
/// templateVertex("ns::Vertex", FLOAT, true, 4u, "x") is `ns::Vertex<float,true,4,x>`, and without
/// arguments the name is as it was.
template <typename... Args>
inline std::string templateVertex(const std::string &name, Args &&...args) {
  const std::string arguments = encoding::vertexTemplateArguments(args...);
  return sizeof...(Args) == 0 ? name : name + "<" + arguments + ">";
}

} // namespace poputil
