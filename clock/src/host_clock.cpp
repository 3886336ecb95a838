#include "clock/host_clock.hpp"

#include <algorithm>

namespace copse::clock {
namespace {

/// The part of what all IPUs move in this direction that goes with one of this IPU's transfers: in
/// proportion, so that several transfers of one exchange together count everybody's bytes once.
std::uint64_t shareOfTotal(const wire::HostExchange &exchange, const wire::StreamTransfer &transfer,
                           std::uint32_t replicas) {
  unsigned __int128 own = 0;
  for (const auto &other : exchange.transfers)
    if (other.direction == transfer.direction)
      own += other.view.bytes;
  if (own == 0)
    return 0;
  const unsigned __int128 total = transfer.direction == wire::Direction::ToDevice
                                      ? exchange.replicaBytesToDevice
                                      : exchange.replicaBytesToHost;
  return static_cast<std::uint64_t>(total * replicas * transfer.view.bytes / own);
}

} // namespace

wire::Cycles HostClock::latency(const wire::HostExchange &exchange) const {
  for (const auto &transfer : exchange.transfers)
    if (wire::takesPart(transfer.view, number_))
      return timing_.hostExchangeLatency();
  return {};
}

wire::Cycles HostClock::end(const wire::HostExchange &exchange,
                            const wire::StreamTransfer &transfer, bool prefetched,
                            wire::Cycles now) {
  const bool toDevice = transfer.direction == wire::Direction::ToDevice;
  const auto duration =
      timing_.hostTransfer(transfer.direction, transfer.view.bytes,
                           shareOfTotal(exchange, transfer, replicas_), toDevice && !prefetched);
  auto &last = lastEnd_[transfer.stream];
  last = prefetched ? std::max(now, last + duration) : now + duration;
  return last;
}

bool HostClock::isLaterBy(wire::Cycles by, const HostClock &before) const {
  return std::ranges::all_of(lastEnd_, [&](const auto &end) {
    const auto earlier = before.lastEnd_.find(end.first);
    return earlier != before.lastEnd_.end() &&
           (end.second == earlier->second || end.second == earlier->second + by);
  });
}

void HostClock::putOff(wire::Cycles by, const HostClock &before) {
  for (auto &[stream, end] : lastEnd_)
    if (end != before.lastEnd_.at(stream))
      end += by;
}

} // namespace copse::clock
