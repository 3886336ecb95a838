#include "clock/host_clock.hpp"

#include "shares.hpp"

#include <algorithm>

namespace copse::clock {
namespace {

/// Returns the bytes that this IPU moves in one direction in the transfers of \p exchange.
std::uint64_t ownBytes(const wire::HostExchange &exchange, wire::Direction direction) {
  std::uint64_t own = 0;
  for (const auto &transfer : exchange.transfers)
    own += transfer.direction == direction ? transfer.view.bytes : 0;
  return own;
}

} // namespace

wire::Cycles HostClock::latency(const wire::HostExchange &exchange) const {
  for (const auto &transfer : exchange.transfers)
    if (wire::takesPart(transfer.view, place_.number))
      return timing_.hostExchangeLatency();
  return {};
}

wire::Cycles HostClock::durationOf(const wire::HostExchange &exchange,
                                   const wire::StreamTransfer &transfer, bool waited) const {
  if (transfer.view.bytes == 0)
    return timing_.hostTransfer(transfer.direction, {}, waited);
  const bool toDevice = transfer.direction == wire::Direction::ToDevice;
  const std::uint64_t own = ownBytes(exchange, transfer.direction);
  const HostLoad all = timing_.hostLoad(
      own, toDevice ? exchange.replicaBytesToDevice : exchange.replicaBytesToHost, place_);
  // The shared bytes are divided in proportion, so that all transfers of one exchange together
  // count the bytes of other IPUs once.
  const HostLoad load{transfer.view.bytes, shareOf(all.machine, transfer.view.bytes, own),
                      shareOf(all.host, transfer.view.bytes, own)};
  return timing_.hostTransfer(transfer.direction, load, waited);
}

wire::Cycles HostClock::end(const wire::HostExchange &exchange,
                            const wire::StreamTransfer &transfer, bool prefetched,
                            wire::Cycles now) {
  const bool toDevice = transfer.direction == wire::Direction::ToDevice;
  const wire::Cycles duration = durationOf(exchange, transfer, toDevice && !prefetched);
  // Rows to the host use the opposite direction of the path and delay none of these rows.
  if (!toDevice || duration == wire::Cycles{})
    return now + duration;
  Row &row = rows_[transfer.stream];
  if (prefetched && row.duration == wire::Cycles{})
    sendOff(row, row.begin, duration);
  if (!prefetched)
    goFirst(now, duration);
  const wire::Cycles end = prefetched ? std::max(now, row.begin + duration) : now + duration;
  row = {end, {}};
  if (prefetched)
    sendOff(row, end, duration);
  return end;
}

/// Queues a row behind all rows that are in the background at \p now.
void HostClock::sendOff(Row &row, wire::Cycles now, wire::Cycles duration) {
  row = {timing_.machine().pod ? std::max(now, pathFree_) : now, duration};
  pathFree_ = row.begin + duration;
}

/// Delays the rows in the background by the \p duration of a row that the IPU waits for.
void HostClock::goFirst(wire::Cycles now, wire::Cycles duration) {
  if (!timing_.machine().pod)
    return;
  for (auto &[stream, row] : rows_)
    if (row.begin + row.duration > now)
      row.begin += duration;
  if (pathFree_ > now)
    pathFree_ += duration;
}

bool HostClock::isLaterBy(wire::Cycles by, const HostClock &before) const {
  const bool isPathLater = pathFree_ == before.pathFree_ || pathFree_ == before.pathFree_ + by;
  return isPathLater && std::ranges::all_of(rows_, [&](const auto &entry) {
           const auto earlier = before.rows_.find(entry.first);
           const Row &row = entry.second;
           return earlier != before.rows_.end() &&
                  (row == earlier->second || row == Row{earlier->second.begin + by, row.duration});
         });
}

void HostClock::putOff(wire::Cycles by, const HostClock &before) {
  for (auto &[stream, row] : rows_)
    if (row.begin != before.rows_.at(stream).begin)
      row.begin += by;
  if (pathFree_ != before.pathFree_)
    pathFree_ += by;
}

} // namespace copse::clock
