#pragma once

#include <utility>
#include <vector>

namespace poplar {

/// Data that one IPU sends to another.
struct GlobalExchangeFlow {
  GlobalExchangeFlow(unsigned s, unsigned d) : src(s), dst(d) {}
  unsigned src, dst; ///< IPUs

  friend bool operator==(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
    return a.src == b.src && a.dst == b.dst;
  }
  friend bool operator!=(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
    return !(a == b);
  }
  friend bool operator<(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
    return a.src != b.src ? a.src < b.src : a.dst < b.dst;
  }
};

/// Flows that share one piece of wire: together they cannot exceed its bandwidth.
struct GlobalExchangeConstraint {
  GlobalExchangeConstraint(double bitsPerSecond, std::vector<GlobalExchangeFlow> f)
      : bandwidth(bitsPerSecond), flows(std::move(f)) {}
  double bandwidth; ///< [bits per second]
  std::vector<GlobalExchangeFlow> flows;

  friend bool operator==(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
    return !(a.bandwidth < b.bandwidth) && !(b.bandwidth < a.bandwidth) && a.flows == b.flows;
  }
  friend bool operator!=(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
    return !(a == b);
  }
  friend bool operator<(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
    return a.bandwidth < b.bandwidth || (!(b.bandwidth < a.bandwidth) && a.flows < b.flows);
  }
};

} // namespace poplar
