#pragma once

#include "schema/rows.capnp.h"

#include "wire/rows.hpp"

#include <string>
#include <vector>

namespace copse::wire {

/// Private to the codecs: the shapes of remote buffers, which sessions and rows both name.
/// \param to  as long as \p from
inline void writeShapes(capnp::List<rows_schema::Shape>::Builder to,
                        const std::vector<rows::BufferShape> &from) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setHandle(from[i].handle);
    to[i].setRowBytes(from[i].rowBytes);
    to[i].setRows(from[i].rows);
  }
}

inline std::vector<rows::BufferShape> readShapes(capnp::List<rows_schema::Shape>::Reader from) {
  std::vector<rows::BufferShape> shapes;
  for (const auto shape : from) {
    const auto handle = shape.getHandle();
    shapes.push_back(
        {std::string(handle.begin(), handle.size()), shape.getRowBytes(), shape.getRows()});
  }
  return shapes;
}

} // namespace copse::wire
