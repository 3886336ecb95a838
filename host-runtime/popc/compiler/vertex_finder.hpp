#pragma once

#include "scalar_functions.hpp"

#include "popc/vertex_type.hpp"

#include <string>
#include <vector>

namespace clang {
class Sema;
}

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

/// Finds the vertex classes of a parsed source: classes, explicit instantiations and explicit
/// specialisations that derive, directly or not, from a base class of Poplar and have a compute().
/// \param sema  of a source without errors
/// \param path  absolute path of the source
FoundCode findCode(clang::Sema &sema, const std::string &path, Architecture arch);

} // namespace copse::popc
