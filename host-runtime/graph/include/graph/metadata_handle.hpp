#pragma once

#include <string>

namespace copse::graph {

/// Returns the host handle by which the metadata of a host tensor are read or written; `handle` is
/// the tensor's own. A tensor for writing has both handles; metadata that are constant can only be
/// read.
inline std::string metadataHandle(const std::string &handle, bool ofWrite) {
  return (ofWrite ? "metadata of host write " : "metadata of host read ") + handle;
}

} // namespace copse::graph
