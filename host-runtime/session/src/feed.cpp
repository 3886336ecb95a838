#include "feed.hpp"

#include <algorithm>
#include <utility>

namespace copse::session {
namespace {

// A call shorter than this delays messages of the run by an acceptable time, so waking a thread is
// not worthwhile. After a few short calls, the next one is assumed to be short too.
constexpr std::chrono::microseconds kQuick{200};
constexpr unsigned kFewCalls = 4;

} // namespace

Feed::Feed(std::uint32_t stream, std::uint32_t replica, std::uint64_t rowBytes, std::uint32_t depth,
           std::uint32_t readers, std::uint32_t ipus, const StartCall &start, Memory memory)
    : stream_(stream), replica_(replica), rowBytes_(rowBytes), depth_(depth), ipus_(ipus),
      start_(&start), memory_(std::move(memory)), positions_(readers), readParts_(readers),
      finished_(readers), missed_(readers) {}

void Feed::fill() {
  const auto kind = call_ ? std::nullopt : nextCall();
  if (!kind)
    return;
  call_ = std::make_shared<StreamCall>();
  call_->kind = *kind;
  call_->stream = stream_;
  call_->replica = replica_;
  call_->expectedToWait = waits_;
  call_->isQuick = !waits_ && quickCalls_ >= kFewCalls;
  if (*kind == StreamCall::Kind::Complete) {
    --read_;
    call_->neededSince = StreamCall::Clock::now(); // the run does not end without this call
  } else {
    call_->row = memory_ ? memory_(rowBytes_) : fabric::Payload(rowBytes_);
  }
  (*start_)(call_);
}

/// Returns the next call to make. A row counts until complete() was called for it, so that the
/// order of calls does not depend on how many rows are read at once.
std::optional<StreamCall::Kind> Feed::nextCall() const {
  if (used_ && !refused_ && !fetched_ && rows_.size() + read_ < depth_)
    return StreamCall::Kind::Prefetch;
  if (read_ > 0)
    return StreamCall::Kind::Complete;
  if (wanted_)
    return StreamCall::Kind::Fetch;
  return {};
}

void Feed::takeResult(StreamCall &call) {
  if (call.kind == StreamCall::Kind::Complete) {
    fetched_ = false;
    return;
  }
  const bool prefetched = call.kind == StreamCall::Kind::Prefetch;
  refused_ = prefetched && !call.filled;
  if (refused_)
    return;
  fetched_ = !prefetched;
  rows_.push_back({std::move(call.row), {}, prefetched, std::vector<bool>(ipus_)});
  wanted_ = false;
}

void Feed::ended() {
  const auto call = std::exchange(call_, nullptr);
  waits_ = waits_ || (call->hasWaited && call->kind == StreamCall::Kind::Prefetch);
  quickCalls_ = call->took < kQuick ? quickCalls_ + 1 : 0;
  if (call->thrown)
    std::rethrow_exception(call->thrown);
  takeResult(*call);
  fill();
}

void Feed::endedBetweenRuns() {
  const auto call = std::exchange(call_, nullptr);
  if (!call->thrown)
    takeResult(*call);
}

void Feed::need(const std::string &place) {
  if (!call_ || call_->neededSince)
    return;
  call_->neededSince = StreamCall::Clock::now();
  call_->place = place;
}

bool Feed::owesCalls() const {
  if (call_)
    return call_->kind != StreamCall::Kind::Prefetch;
  return read_ > 0;
}

Feed::Row *Feed::current(std::uint32_t reader) {
  if (positions_[reader] < rows_.size())
    return &rows_[positions_[reader]];
  if (rows_.empty()) {
    wanted_ = true;
    fill();
  }
  return nullptr;
}

bool Feed::advance(std::uint32_t reader) {
  ++positions_[reader];
  ++readParts_[reader];
  return completeRead();
}

void Feed::beginRun(bool used) {
  used_ = used;
  std::fill(finished_.begin(), finished_.end(), false);
  std::fill(missed_.begin(), missed_.end(), false);
  std::fill(positions_.begin(), positions_.end(), 0);
}

bool Feed::finish(std::uint32_t reader) {
  finished_[reader] = true;
  return completeRead();
}

bool Feed::drop() {
  const bool any = !rows_.empty() || (call_ && call_->kind == StreamCall::Kind::Prefetch);
  rows_.clear();
  call_.reset();
  read_ = 0;
  wanted_ = fetched_ = false;
  std::fill(positions_.begin(), positions_.end(), 0);
  refused_ = false;
  return any;
}

std::uint64_t Feed::sequence(std::uint32_t reader, std::size_t row) const {
  return readParts_[reader] + row - positions_[reader];
}

bool Feed::completeRead() {
  // Count the rows that all readers have passed. Finished readers neither wait nor are waited for;
  // but a row that no reader has read is kept for the next run.
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
    ++read_;
    fill();
  }
  return read > 0;
}

} // namespace copse::session
