#pragma once

#include <string>

namespace copse::graph {

/// The host handle by which the metadata of a host tensor are read, or written: `handle` is that of
/// the tensor. For a write there is one of either kind, a read of those that are a constant.
inline std::string metadataHandle(const std::string &handle, bool ofWrite) {
  return (ofWrite ? "metadata of host write " : "metadata of host read ") + handle;
}

} // namespace copse::graph
