#pragma once

#include <cstddef>
#include <cstdint>
#include <poplar/Target.hpp>
#include <utility>
#include <vector>

namespace gcl {

/// Cycles of what collectives are made of. Sources: Target's figures where it has them; the rest is
/// Graphcore's published figures, the same as in Copse's machine models (configs/).
struct FabricModel {
  double clockHz = 1.33e9;
  unsigned workers = 6;
  unsigned computeSetCycles = 31; ///< entering and leaving, starting one vertex
  unsigned exchangeCycles = 190;  ///< on-chip, without the bytes
  unsigned memcpyBytesPerCycle = 8;
  double linkBytesPerSecond = 0;     ///< one direction between two rungs
  double rungBytesPerSecond = 0;     ///< inside a pair, for the pair's own traffic
  double crossingBytesPerSecond = 0; ///< inside a pair, for traffic that goes on
  unsigned hopCycles = 266;
  unsigned globalSyncCycles = 560; ///< without the time on the wire
  double syncHopSeconds = 15e-9;   ///< one way
  bool torus = false;
  unsigned ipus = 1; ///< of the partition

  /// \param ipus  of all replicas
  static FabricModel of(const poplar::Target &target, unsigned ipus);

  std::uint64_t syncCycles() const;
  std::uint64_t computeCycles(std::uint64_t instructionsOfOneWorker) const {
    return computeSetCycles + instructionsOfOneWorker * workers;
  }
};

/// Messages between IPUs at the same time. Their routes are those of Copse's fabric: across the
/// own rung first, then up or down. A route is a few stretches, so a message costs the same effort
/// however far it goes.
class Traffic {
public:
  explicit Traffic(const FabricModel &model);
  void add(unsigned from, unsigned to, std::uint64_t bytes);
  /// Until the last message has arrived.
  std::uint64_t cycles() const;
  /// Bytes on the link and direction with most, whatever its bandwidth.
  std::uint64_t busiestBytes() const;

private:
  /// Ways out of an IPU. Inside a pair, traffic that goes on has a share of its own.
  enum Way : unsigned { Rung, Crossing, Up, Down };
  static constexpr unsigned kWays = 4, kLanes = 2 * kWays;

  /// Calls \p visit(side, way, first, end) for each stretch of a route: hops by \p way out of the
  /// IPUs on \p side of the rungs [first, end).
  template <typename Visit>
  void forEachStretch(unsigned from, unsigned to, const Visit &visit) const;
  template <typename Visit>
  void forEachRun(unsigned side, unsigned rung, unsigned to, const Visit &visit) const;
  std::int64_t &changeAt(unsigned side, Way way, unsigned rung);
  std::vector<std::uint64_t> bytesOf(unsigned side, Way way) const;
  double bandwidth(Way way) const;

  const FabricModel &model_;
  unsigned rungs_;
  /// By which the bytes on a lane change from the rung before to a rung, shape [sides][ways][rungs + 1].
  std::vector<std::int64_t> changes_;
  std::vector<std::pair<unsigned, unsigned>> messages_;
};

} // namespace gcl
