#pragma once

#include <stdexcept>
#include <string>

namespace popdist {

/// Reports that the environment of poprun makes no sense, or instances do not reach each other: the
/// only exception of this library's own.
class popdist_error : public std::runtime_error {
public:
  /// Makes the exception with its text.
  explicit popdist_error(const std::string &what) : std::runtime_error(what) {}
};

} // namespace popdist
