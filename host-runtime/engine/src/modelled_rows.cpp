#include "modelled_rows.hpp"

#include <algorithm>

namespace copse::engine {

using session::StreamHandler;

/// Returns the replica whose feed serves \p replica: a broadcast stream has one for all.
std::uint32_t ModelledRows::ownerOf(std::uint32_t stream, std::uint32_t replica) const {
  return program_.streams[stream].broadcast ? 0 : replica;
}

bool ModelledRows::mayPrefetch(std::uint32_t stream, std::uint32_t replica) const {
  const session::StreamDescription &of = program_.streams[stream];
  return program_.prefetch && of.prefetch && of.direction == wire::Direction::ToDevice &&
         handler_->mayWait(Call::Prefetch, stream, ownerOf(stream, replica));
}

void ModelledRows::beginRun(std::uint32_t index, wire::Cycles start, StreamHandler &handler) {
  handler_ = &handler;
  for (const std::uint32_t stream : program_.streamsOfPrograms[index]) {
    const std::uint32_t feeds = program_.streams[stream].broadcast ? 1 : program_.replicas;
    for (std::uint32_t replica = 0; replica < feeds; ++replica)
      fill(stream, replica, start);
  }
}

void ModelledRows::drop(std::uint32_t stream, StreamHandler &handler) {
  for (auto &[of, feed] : feeds_)
    if (of.first == stream && std::exchange(feed, {}).rows > 0)
      handler.invalidatePrefetched(stream, of.second);
}

StreamHandler &ModelledRows::callAt(std::uint32_t stream, std::uint32_t replica, wire::Cycles now) {
  ++calls_;
  lastStream_ = stream;
  lastReplica_ = replica;
  handler_->calledAt(now);
  return *handler_;
}

std::string ModelledRows::place() const {
  if (calls_ == 0)
    return {};
  return "stream '" + program_.streams[lastStream_].handle + "', replica " +
         std::to_string(lastReplica_) + " of " + std::to_string(program_.replicas);
}

std::span<std::byte> ModelledRows::row(std::uint32_t stream) {
  row_.assign(program_.streams[stream].rowBytes, std::byte{0});
  return row_;
}

/// Prefetches rows until as many are ready as the stream buffers, or there are no more.
void ModelledRows::fill(std::uint32_t stream, std::uint32_t replica, wire::Cycles now) {
  if (!mayPrefetch(stream, replica))
    return;
  Feed &feed = feeds_[{stream, replica}];
  while (!feed.refused && feed.rows < program_.streams[stream].bufferingDepth) {
    feed.refused = !callAt(stream, replica, now).prefetch(stream, replica, row(stream));
    if (feed.refused)
      return;
    feed.isPrefetched = true;
    ++feed.rows;
  }
}

bool ModelledRows::isReady(std::uint32_t stream, std::uint32_t replica, wire::Cycles now) {
  const std::uint32_t owner = ownerOf(stream, replica);
  Feed &feed = feeds_[{stream, owner}];
  if (feed.rows > 0)
    return feed.isPrefetched;
  if (handler_->mayWait(Call::Fetch, stream, owner))
    callAt(stream, owner, now).fetch(stream, owner, row(stream));
  feed = {1, false, false};
  return false;
}

void ModelledRows::transferred(std::uint32_t exchange, std::size_t transfer, std::uint32_t replica,
                               wire::Cycles end) {
  const wire::StreamTransfer &of =
      program_.images.front()->hostExchanges[exchange].transfers[transfer];
  if (of.direction == wire::Direction::ToHost)
    take(exchange, transfer, replica, end);
  else if (!program_.streams[of.stream].broadcast || replica + 1 == program_.replicas)
    complete(of.stream, ownerOf(of.stream, replica), end);
}

void ModelledRows::complete(std::uint32_t stream, std::uint32_t replica, wire::Cycles end) {
  --feeds_[{stream, replica}].rows;
  if (handler_->mayWait(Call::Complete, stream, replica))
    callAt(stream, replica, end).complete(stream, replica);
  fill(stream, replica, end);
}

void ModelledRows::take(std::uint32_t exchange, std::size_t transfer, std::uint32_t replica,
                        wire::Cycles end) {
  const std::uint32_t stream =
      program_.images.front()->hostExchanges[exchange].transfers[transfer].stream;
  const std::span<std::byte> taken = row(stream);
  bool hasClock = false;
  for (const auto &image : program_.images)
    hasClock |= words_.copyTo(image->hostExchanges[exchange].transfers[transfer].view,
                              replica * image->ipusPerReplica + image->ipu, taken);
  if (!hasClock)
    tellOfZeros_();
  if (hasClock || handler_->mayWait(Call::Take, stream, replica))
    callAt(stream, replica, end).take(stream, replica, taken);
  else
    handler_->take(stream, replica, taken);
}

} // namespace copse::engine
