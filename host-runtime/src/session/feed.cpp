#include "session/feed.hpp"

#include <algorithm>

namespace copse::session {

Feed::Feed(std::uint32_t stream, std::uint32_t replica, std::uint64_t rowBytes, std::uint32_t depth,
           std::uint32_t readers, std::uint32_t ipus)
    : stream_(stream), replica_(replica), rowBytes_(rowBytes), depth_(depth), ipus_(ipus),
      positions_(readers), readRows_(readers), finished_(readers), missed_(readers) {}

void Feed::fill(StreamHandler &handler) {
  while (!refused_ && rows_.size() < depth_) {
    Row row = make(true);
    if (handler.prefetch(stream_, replica_, {row.bytes.data(), row.bytes.size()}))
      rows_.push_back(std::move(row));
    else
      refused_ = true;
  }
}

Feed::Row *Feed::current(std::uint32_t reader, StreamHandler &handler) {
  if (positions_[reader] == rows_.size()) {
    if (!rows_.empty())
      return nullptr;
    Row row = make(false);
    handler.fetch(stream_, replica_, {row.bytes.data(), row.bytes.size()});
    rows_.push_back(std::move(row));
    refused_ = false;
  }
  return &rows_[positions_[reader]];
}

bool Feed::advance(std::uint32_t reader, StreamHandler &handler) {
  ++positions_[reader];
  ++readRows_[reader];
  return completeRead(handler);
}

void Feed::beginRun() {
  std::fill(finished_.begin(), finished_.end(), false);
  std::fill(missed_.begin(), missed_.end(), false);
  std::fill(positions_.begin(), positions_.end(), 0);
}

bool Feed::finish(std::uint32_t reader, StreamHandler &handler) {
  finished_[reader] = true;
  return completeRead(handler);
}

bool Feed::drop() {
  const bool any = !rows_.empty();
  rows_.clear();
  std::fill(positions_.begin(), positions_.end(), 0);
  refused_ = false;
  return any;
}

std::uint64_t Feed::sequence(std::uint32_t reader, std::size_t row) const {
  return readRows_[reader] + row - positions_[reader];
}

Feed::Row Feed::make(bool prefetched) const {
  return {fabric::Payload(rowBytes_), {}, prefetched, std::vector<bool>(ipus_)};
}

bool Feed::completeRead(StreamHandler &handler) {
  // How many rows everybody is past. Those who are finished wait for nobody and nobody waits for
  // them; but a row that no one has read stays, for the next run.
  std::size_t read = rows_.size(), furthest = 0;
  for (std::size_t reader = 0; reader < positions_.size(); ++reader) {
    furthest = std::max(furthest, positions_[reader]);
    if (!finished_[reader])
      read = std::min(read, positions_[reader]);
  }
  read = std::min(read, furthest);
  for (std::size_t row = 0; row < read; ++row) {
    rows_.pop_front();
    for (std::size_t reader = 0; reader < positions_.size(); ++reader) {
      if (positions_[reader] == 0)
        missed_[reader] = true;
      else
        --positions_[reader];
    }
    handler.complete(stream_, replica_);
    fill(handler);
  }
  return read > 0;
}

} // namespace copse::session
