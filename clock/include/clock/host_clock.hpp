#pragma once

#include "clock/timing_model.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <unordered_map>

namespace copse::clock {

/// The modelled time of host exchanges. A row that is prefetched travels in the background, from the
/// moment at which the previous transfer of its stream ended; only what is then left of it has to be
/// waited for. Where the machine model has a pod, all streams of an IPU share one path to it: rows in
/// the background travel one after another, and those that the IPU waits for go first.
///
/// One per IPU and load: it remembers the rows on their way.
class HostClock {
public:
  HostClock(const TimingModel &timing, IpuPlace place) : timing_(timing), place_(place) {}

  /// The fixed cost of one host exchange, paid first; 0 on an IPU without a part in it.
  wire::Cycles latency(const wire::HostExchange &exchange) const;

  /// When a transfer of \p exchange that begins at \p now ends.
  wire::Cycles end(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                   bool prefetched, wire::Cycles now);

  /// Whether, since \p before, each stream was either not used or has its next row \p by later: what
  /// follows then takes what it took since, if the IPU's own clock is \p by later as well.
  bool isLaterBy(wire::Cycles by, const HostClock &before) const;
  /// Puts off by \p by what isLaterBy() found later than \p before.
  void putOff(wire::Cycles by, const HostClock &before);

private:
  /// The next row of a stream.
  struct Row {
    wire::Cycles begin;    ///< when it may travel; if it does, when it is first on the path
    wire::Cycles duration; ///< on the path, as that of the row before; 0: it does not travel yet
    friend bool operator==(const Row &, const Row &) = default;
  };

  wire::Cycles durationOf(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                          bool waited) const;
  void sendOff(Row &row, wire::Cycles now, wire::Cycles duration);
  void goFirst(wire::Cycles now, wire::Cycles duration);

  const TimingModel &timing_;
  IpuPlace place_;
  std::unordered_map<std::uint32_t, Row> rows_; ///< of each stream that was used
  wire::Cycles pathFree_;                       ///< when the last row in the background arrives
};

} // namespace copse::clock
