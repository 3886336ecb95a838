#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

namespace poplin {

/// Returns the shape as messages and plans write it: "[2,3]".
inline std::string textOf(const std::vector<std::size_t> &shape) {
  std::ostringstream out;
  out << '[';
  for (std::size_t i = 0; i != shape.size(); ++i)
    out << (i == 0 ? "" : ",") << shape[i];
  out << ']';
  return out.str();
}

} // namespace poplin
