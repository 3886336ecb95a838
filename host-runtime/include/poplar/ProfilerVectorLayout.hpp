#pragma once

#include <string>

namespace poplar {
namespace layout {

/// How a vector field lies in vertex state, as estimators see it: compact layouts are resolved.
enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };

/// The same for a list of vectors.
enum class VectorList {
  NotAVector,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};

/// The enumerator's name.
std::string to_string(Vector layout);
std::string to_string(VectorList layout);

} // namespace layout
} // namespace poplar
