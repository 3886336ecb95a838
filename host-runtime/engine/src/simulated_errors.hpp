#pragma once

#include "poplar/Error.hpp"

#include <vector>

namespace copse::engine {

/// Errors that the user simulates instead of a run.
class SimulatedErrors {
public:
  /// \throws poplar::poplar_error for ErrorCode::NONE
  void insert(poplar::ErrorCode error);
  void erase(poplar::ErrorCode error) { std::erase(errors_, error); }
  void clear() { errors_.clear(); }

  /// Throws the exception of the first error, as if a device had it; does nothing if there is none.
  void raise() const;

private:
  std::vector<poplar::ErrorCode> errors_;
};

} // namespace copse::engine
