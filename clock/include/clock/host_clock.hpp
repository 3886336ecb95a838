#pragma once

#include "clock/timing_model.hpp"

#include "wire/image.hpp"

#include <cstdint>
#include <unordered_map>

namespace copse::clock {

/// The modelled time of host exchanges. A row that was prefetched travels in the background from
/// the moment at which the previous transfer of its stream ended; only what is then left of it has
/// to be waited for.
///
/// One per IPU and load: it remembers when the transfers of each stream ended.
class HostClock {
public:
  /// \param number  of the IPU within its replica
  HostClock(const TimingModel &timing, std::uint32_t number, std::uint32_t replicas)
      : timing_(timing), number_(number), replicas_(replicas) {}

  /// The fixed cost of one host exchange, paid first; 0 on an IPU without a part in it.
  wire::Cycles latency(const wire::HostExchange &exchange) const;

  /// When a transfer of \p exchange that begins at \p now ends.
  wire::Cycles end(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                   bool prefetched, wire::Cycles now);

  /// Whether, since \p before, each stream was either not used or has its last end \p by later: what
  /// follows then takes what it took since, if the IPU's own clock is \p by later as well.
  bool isLaterBy(wire::Cycles by, const HostClock &before) const;
  /// Puts off by \p by what isLaterBy() found later than \p before.
  void putOff(wire::Cycles by, const HostClock &before);

private:
  const TimingModel &timing_;
  std::uint32_t number_, replicas_;
  std::unordered_map<std::uint32_t, wire::Cycles> lastEnd_; ///< of each stream that was used
};

} // namespace copse::clock
