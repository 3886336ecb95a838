#pragma once

#include "scalar_functions.hpp"

#include "popc/vertex_type.hpp"

#include <functional>
#include <string>
#include <vector>

namespace copse::popc {

struct FoundVertex {
  VertexType type;
  std::string cppName; ///< the name by which C++ code after the source can use the class
  /// compute() is a function of its own, because the source instantiates it explicitly.
  bool isComputeInstantiated = false;
};

/// The classes and functions of a codelet source that programs can use.
struct FoundCode {
  std::vector<FoundVertex> vertices;
  std::vector<ScalarFunction> functions; ///< empty for CPU targets, which have no tile code
  std::string warnings;                  ///< about classes that look like vertices, but are not
};

/// Finds the vertex classes of codelet source: classes, explicit instantiations and explicit
/// specialisations that derive, directly or not, from a base class of Poplar and have a compute().
/// \param path       absolute path of the source, which need not exist
/// \param expanded   returns the preprocessed source, in which classes that macros write can be
///   found
/// \param arguments  arguments of a compiler: -D, -I, -std= and the like
/// \throws CompileError  if the source cannot be parsed at all; the compiler reports smaller errors
///   later
FoundCode findCode(const std::string &source, const std::function<std::string()> &expanded,
                   const std::string &path, const std::vector<std::string> &arguments,
                   Architecture arch);

} // namespace copse::popc
