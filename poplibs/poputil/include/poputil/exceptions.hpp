#pragma once

#include <stdexcept>
#include <string>

namespace poputil {

/// An operation was asked for something that it cannot do: shapes, types or dimensions do not fit.
/// Thrown while the graph is built.
struct poplibs_error : std::runtime_error {
  explicit poplibs_error(const std::string &s);
  explicit poplibs_error(const char *s);

  std::string type; ///< the name of the class of exceptions
};

} // namespace poputil
