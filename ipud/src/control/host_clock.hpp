#pragma once

#include "sync/timing.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <unordered_map>

namespace copse::ipud {

/// The modelled time of host exchanges. A row that was prefetched travels in the background from
/// the moment at which the previous transfer of its stream ended; only what is then left of it has
/// to be waited for.
class HostClock {
public:
  HostClock(const sync::TimingModel &timing, std::uint32_t replicas)
      : timing_(timing), replicas_(replicas) {}

  /// The fixed cost of one host exchange, paid first.
  wire::Cycles latency() const { return timing_.hostExchangeLatency(); }

  /// When a transfer of \p exchange that begins at \p now ends.
  wire::Cycles end(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                   bool prefetched, wire::Cycles now);

private:
  const sync::TimingModel &timing_;
  std::uint32_t replicas_;
  std::unordered_map<std::uint32_t, wire::Cycles> lastEnd_; ///< of each stream that was used
};

} // namespace copse::ipud
