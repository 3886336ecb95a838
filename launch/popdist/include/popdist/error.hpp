#pragma once

#include <stdexcept>
#include <string>

namespace popdist {

/// The only exception of this library's own: the environment of poprun makes no sense, or instances
/// do not reach each other.
class popdist_error : public std::runtime_error {
public:
  explicit popdist_error(const std::string &what) : std::runtime_error(what) {}
};

} // namespace popdist
