#pragma once

namespace poplar {

/// Holds the number of replicas of a graph; explicit, so that no other number is taken for it. See
/// User guide, 2.5.2.
struct replication_factor {
  /// Makes the number.
  constexpr explicit replication_factor(unsigned n) : val(n) {}
  /// The number of replicas.
  unsigned val;
};

} // namespace poplar
