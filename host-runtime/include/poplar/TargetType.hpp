#pragma once

#include <iosfwd>
#include <string>

namespace poplar {

/// The kinds of devices.
enum class TargetType {
  IPU,       ///< emulated hardware: each IPU is a process
  IPU_MODEL, ///< IPUs inside the host process
  CPU        ///< one tile that computes as the host does
};

/// Returns the enumerator's name.
std::string toString(TargetType type);
/// Writes the enumerator's name.
std::ostream &operator<<(std::ostream &out, TargetType type);

} // namespace poplar
