#pragma once

#ifndef __POPC__ // what estimators of host programs call layouts; codelets have no use for it
#include "poplar/ProfilerVectorLayout.hpp"
#endif

namespace poplar {

/// The ways in which a one-dimensional field lies in vertex state. See User guide, 4.1.2.
enum class VectorLayout {
  NOT_A_VECTOR,
  SPAN,
  SHORT_SPAN,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR
};

/// The ways in which a jagged two-dimensional field lies in vertex state. See User guide, 4.2.4.
enum class VectorListLayout {
  NOT_A_VECTOR,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  DELTAN,
  DELTANELEMENTS,
  COMPACT_DELTAN
};

} // namespace poplar
