#pragma once

#include "scalar_functions.hpp"

#include "popc/vertex_type.hpp"

#include <functional>
#include <string>
#include <vector>

namespace copse::popc {

struct FoundVertex {
  VertexType type;
  std::string cppName; ///< how C++ code after the source can name the class
  /// compute() is a function of its own in any case, by an explicit instantiation.
  bool isComputeInstantiated = false;
};

/// What a program can use of a codelet source.
struct FoundCode {
  std::vector<FoundVertex> vertices;
  std::vector<ScalarFunction> functions; ///< none on CPU targets, which have no tile code
  std::string warnings;                  ///< of classes that look like vertices and are none
};

/// Finds the vertex classes of codelet source: classes, explicit instantiations and explicit
/// specialisations that derive, in whatever way, from a base of Poplar and have a compute().
/// \param path  absolute; where the source would stand. Need not exist
/// \param expanded  gives the source after the preprocessor: what macros wrote of classes stands there only
/// \param arguments  of a compiler: -D, -I, -std= and the like
/// \throws CompileError if nothing sensible could be parsed; smaller errors are left to the real
///   compiler
FoundCode findCode(const std::string &source, const std::function<std::string()> &expanded,
                   const std::string &path, const std::vector<std::string> &arguments,
                   Architecture arch);

} // namespace copse::popc
