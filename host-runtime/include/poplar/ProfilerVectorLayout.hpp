#pragma once

#include <string>

namespace poplar {
/// Layouts of fields, as estimators see them.
namespace layout {

/// The ways in which a vector field lies in vertex state, as estimators see it: compact layouts are
/// resolved. See User guide, 4.2.
enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };

/// The ways in which a list of vectors lies in vertex state. See User guide, 4.2.4.
enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};

///@{

/// Returns the enumerator's name.
std::string to_string(Vector layout);
std::string to_string(VectorList layout);
///@}

} // namespace layout
} // namespace poplar
