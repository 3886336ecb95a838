#pragma once

#include "clock/timing_model.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <unordered_map>

namespace copse::clock {

/// Models how long an IPU waits for its host. A prefetched row travels in the background from the
/// moment at which the previous transfer of its stream ended, so the IPU waits only for the rest of
/// that transfer. If the machine model has a pod, all streams of an IPU share one path to the host:
/// background rows travel one after another, and a row that the IPU waits for overtakes them.
///
/// Life: one object per IPU and load, because it remembers which rows are in flight.
class HostClock {
public:
  HostClock(const TimingModel &timing, IpuPlace place) : timing_(timing), place_(place) {}

  /// Returns the fixed cost of one host exchange, which precedes its transfers; 0 if this IPU takes
  /// no part.
  wire::Cycles latency(const wire::HostExchange &exchange) const;

  /// Returns the time at which a transfer of \p exchange ends that begins at \p now.
  wire::Cycles end(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                   bool prefetched, wire::Cycles now);

  /// Returns true if, since \p before, each stream was either unused or has its next row \p by
  /// later. If the IPU's own clock has also advanced by \p by, a repetition of the same steps takes
  /// equally long.
  bool isLaterBy(wire::Cycles by, const HostClock &before) const;
  /// Moves the transfers in flight \p by later, as a repetition would that isLaterBy() has
  /// recognised.
  void putOff(wire::Cycles by, const HostClock &before);

private:
  /// The next row of a stream.
  struct Row {
    /// The time at which the row may start to travel; once it travels, the time at which it is
    /// first on the path.
    wire::Cycles begin;
    /// The time on the path, estimated by the stream's previous row; 0: the row is not in flight.
    wire::Cycles duration;
    friend bool operator==(const Row &, const Row &) = default;
  };

  wire::Cycles durationOf(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                          bool waited) const;
  void sendOff(Row &row, wire::Cycles now, wire::Cycles duration);
  void goFirst(wire::Cycles now, wire::Cycles duration);

  const TimingModel &timing_;
  IpuPlace place_;
  std::unordered_map<std::uint32_t, Row> rows_; ///< by stream, for each stream that was used
  wire::Cycles pathFree_;                       ///< arrival of the last background row
};

} // namespace copse::clock
