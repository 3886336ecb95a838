#pragma once

// Names of vertex types that are templates, made of types, truth values, numbers and texts.
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <type_traits>

namespace operations {

template <typename T> struct TemplateArgument {
  static std::string text(const T &value) { return std::to_string(value); }
};
template <> struct TemplateArgument<bool> {
  static std::string text(bool value) { return value ? "true" : "false"; }
};
template <> struct TemplateArgument<poplar::Type> {
  static std::string text(const poplar::Type &type) { return type.toString(); }
};
template <> struct TemplateArgument<poplar::StringRef> {
  static std::string text(const poplar::StringRef &ref) { return ref; }
};
template <> struct TemplateArgument<std::string> {
  static std::string text(const std::string &s) { return s; }
};

template <typename... Args> std::string vertexName(const std::string &name, const Args &...args) {
  std::string list;
  for (const std::string &arg : {TemplateArgument<std::decay_t<Args>>::text(args)...})
    list += (list.empty() ? "" : ",") + arg;
  return name + "<" + list + ">";
}

} // namespace operations
