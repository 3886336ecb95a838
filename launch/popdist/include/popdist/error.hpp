#pragma once

#include <stdexcept>
#include <string>

namespace popdist {

/// The only exception class of this library. Reports that poprun's environment variables are
/// inconsistent, or that instances do not reach each other.
class popdist_error : public std::runtime_error {
public:
  /// Makes the exception with its text.
  explicit popdist_error(const std::string &what) : std::runtime_error(what) {}
};

} // namespace popdist
