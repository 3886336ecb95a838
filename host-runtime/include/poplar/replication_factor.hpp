#pragma once

namespace poplar {

/// Number of replicas of a graph; explicit, so that no other number is taken for it.
struct replication_factor {
  constexpr explicit replication_factor(unsigned n) : val(n) {}
  unsigned val;
};

} // namespace poplar
