#pragma once

#include <utility>
#include <vector>

namespace poplar {

/// Names data that one IPU sends to another.
struct GlobalExchangeFlow {
  /// Makes a flow from IPU \p s to IPU \p d.
  GlobalExchangeFlow(unsigned s, unsigned d) : src(s), dst(d) {}

  ///@{

  /// The numbers of both IPUs.
  unsigned src, dst;
  ///@}

  ///@{

  /// Compares source, then destination.
  friend bool operator==(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
    return a.src == b.src && a.dst == b.dst;
  }
  friend bool operator!=(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
    return !(a == b);
  }
  friend bool operator<(const GlobalExchangeFlow &a, const GlobalExchangeFlow &b) {
    return a.src != b.src ? a.src < b.src : a.dst < b.dst;
  }
  ///@}
};

/// Limits flows that share one piece of wire: together they cannot exceed its bandwidth.
struct GlobalExchangeConstraint {
  /// Makes a limit for flows.
  GlobalExchangeConstraint(double bitsPerSecond, std::vector<GlobalExchangeFlow> f)
      : bandwidth(bitsPerSecond), flows(std::move(f)) {}
  /// The bandwidth [bits per second].
  double bandwidth;
  /// The flows that share it.
  std::vector<GlobalExchangeFlow> flows;

  ///@{

  /// Compares bandwidth, then flows.
  friend bool operator==(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
    return !(a.bandwidth < b.bandwidth) && !(b.bandwidth < a.bandwidth) && a.flows == b.flows;
  }
  friend bool operator!=(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
    return !(a == b);
  }
  friend bool operator<(const GlobalExchangeConstraint &a, const GlobalExchangeConstraint &b) {
    return a.bandwidth < b.bandwidth || (!(b.bandwidth < a.bandwidth) && a.flows < b.flows);
  }
  ///@}
};

} // namespace poplar
