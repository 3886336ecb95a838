#pragma once

#include "stream_call.hpp"

#include "fabric/payload.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace copse::session {

/// The rows of one host-to-device stream on their way to one replica, or to all of them for a
/// broadcast stream. A row is made once (by prefetch or fetch), read by each of its readers, and
/// complete when all have read it.
///
/// What is called when depends on nothing but the order of take() and finish(): rows are made ahead
/// when a run begins and after a row was complete, and a row is fetched only when all before it are
/// complete. One call is under way at a time, until ended() says that it has ended.
///
/// Thread: that of run().
class Feed {
public:
  struct Row {
    /// The whole row; not written after it was made. One in memory of Memory is the receiver's when
    /// it was sent.
    fabric::Payload bytes;
    std::vector<fabric::Payload> parts; ///< by number within the replica, where replicas share them
    bool prefetched = false;
    std::vector<bool> sent; ///< by IPU: its part was sent
  };

  /// Memory for a row that is sent once, as it is.
  using Memory = std::function<fabric::Payload(std::size_t bytes)>;

  /// \param readers  replicas that read each row: 1, or all of a broadcast stream
  /// \param depth    rows that may be made and not be complete, with prefetch; 0: without
  /// \param start    begins a call; outlives the feed
  /// \param memory   empty: memory of this process
  Feed(std::uint32_t stream, std::uint32_t replica, std::uint64_t rowBytes, std::uint32_t depth,
       std::uint32_t readers, std::uint32_t ipus, const StartCall &start, Memory memory = {});

  Feed(const Feed &) = delete; // rows cannot be copied
  Feed &operator=(const Feed &) = delete;
  Feed(Feed &&) = default;

  std::uint32_t stream() const { return stream_; }
  std::uint32_t replica() const { return replica_; } ///< 0 of a broadcast stream

  /// Begins the next call that is due: rows are made ahead, as many as may be.
  void fill();
  /// The row that \p reader reads next. Null: rows before it are not complete yet, or a call is under
  /// way, which begins now if need be.
  Row *current(std::uint32_t reader);
  /// \p reader has read a part of its current row, and another one follows.
  void partRead(std::uint32_t reader) { ++readParts_[reader]; }
  /// \p reader has read its current row.
  /// \returns whether that completed rows (and made others ahead)
  bool advance(std::uint32_t reader);

  /// The call that is under way; null: there is none.
  const std::shared_ptr<StreamCall> &call() const { return call_; }
  /// It has ended: its row is there, if it made one, and the next calls are made. An exception of
  /// it comes out.
  void ended();
  /// The same between runs: no call follows it now, and none of its exceptions is heard of.
  void endedBetweenRuns();
  /// It will not begin: at the next occasion another one does.
  void cancelled() { call_.reset(); }
  /// A transfer waits for the call that is under way.
  /// \param place  of it, for messages
  void need(const std::string &place);
  /// Whether the end of a run must wait for calls: all but a prefetch.
  bool owesCalls() const;
  /// Whether prefetch of this stream is known to wait for something.
  bool isKnownToWait() const { return waits_; }

  /// A run begins: all readers are there again.
  /// \param used  by its program: rows of other streams are not made ahead, not even when a
  ///   prefetch ends that began in an earlier run
  void beginRun(bool used = true);
  /// \p reader reads nothing any more in this run.
  /// \returns as advance()
  bool finish(std::uint32_t reader);
  /// Drops all rows, and that of a call under way.
  /// \returns whether there were any
  bool drop();

  /// Whether rows were completed without \p reader, which had finished: what was sent to it ahead
  /// is void.
  bool missed(std::uint32_t reader) const { return missed_[reader]; }

  /// Rows that are not complete, in order; those from position() on are still to be read by \p
  /// reader.
  std::deque<Row> &rows() { return rows_; }
  std::uint64_t sequence(std::uint32_t reader, std::size_t row) const;
  std::size_t position(std::uint32_t reader) const { return positions_[reader]; }

private:
  bool completeRead();
  std::optional<StreamCall::Kind> nextCall() const;
  void takeResult(StreamCall &call);

  std::uint32_t stream_, replica_;
  std::uint64_t rowBytes_;
  std::uint32_t depth_, ipus_;
  const StartCall *start_;
  Memory memory_;
  std::deque<Row> rows_;
  std::vector<std::size_t>
      positions_; ///< by reader: index into rows_ of the row that it reads next
  std::vector<std::uint64_t> readParts_; ///< by reader: rows, or parts of them, read since the load
  std::vector<bool> finished_;           ///< by reader: in this run
  std::vector<bool> missed_;             ///< by reader
  bool used_ = true;                     ///< by the program that runs
  bool refused_ = false;                 ///< prefetch had nothing: the next row is fetched
  bool fetched_ = false;    ///< the row that is not complete was: nothing is made ahead of it
  bool wanted_ = false;     ///< a reader waits for a row that nobody makes yet
  bool waits_ = false;      ///< a prefetch has waited for something
  unsigned quickCalls_ = 0; ///< without one in between that took longer
  std::uint32_t read_ = 0;  ///< rows that are read, and complete() is still to be called for
  std::shared_ptr<StreamCall> call_; ///< under way
};

} // namespace copse::session
