#pragma once

#include <stdexcept>
#include <string>

namespace poputil {

/// Reports arguments of an operation that do not fit: their shapes, types or dimensions. Thrown
/// while the graph is built.
struct poplibs_error : std::runtime_error {
  ///@{

  /// Makes the exception with its text.
  explicit poplibs_error(const std::string &s);
  explicit poplibs_error(const char *s);
  ///@}

  /// The name of the class of exceptions.
  std::string type;
};

} // namespace poputil
