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

/// The rows of one host-to-device stream on their way to one replica, or to all replicas for a
/// broadcast stream. A row is filled once (by prefetch or fetch), read by each of its readers, and
/// complete when all have read it.
///
/// The sequence of callbacks depends only on the order of take() and finish(): rows are prefetched
/// when a run begins and after a row has been completed, and a row is fetched only when all rows
/// before it are complete. One call is in progress at a time, until ended().
///
/// Thread: the thread of run().
class Feed {
public:
  struct Row {
    /// The whole row; not changed after it was filled. If its memory came from Memory, it belongs
    /// to the receiver once it was sent.
    fabric::Payload bytes;
    /// The parts by number within the replica, if replicas share them.
    std::vector<fabric::Payload> parts;
    bool prefetched = false;
    std::vector<bool> sent; ///< by IPU: its part was sent
  };

  /// Allocates memory for a row that is sent once and unchanged.
  using Memory = std::function<fabric::Payload(std::size_t bytes)>;

  /// \param readers  number of replicas that read each row: 1, or all for a broadcast stream
  /// \param depth    number of filled but incomplete rows, with prefetch; 0: no prefetch
  /// \param start    starts a call; must outlive the feed
  /// \param memory   empty: rows are in the memory of this process
  Feed(std::uint32_t stream, std::uint32_t replica, std::uint64_t rowBytes, std::uint32_t depth,
       std::uint32_t readers, std::uint32_t ipus, const StartCall &start, Memory memory = {});

  Feed(const Feed &) = delete; // rows cannot be copied
  Feed &operator=(const Feed &) = delete;
  Feed(Feed &&) = default;

  std::uint32_t stream() const { return stream_; }
  std::uint32_t replica() const { return replica_; } ///< 0 for a broadcast stream

  /// Starts the next call that is due, which prefetches up to the allowed number of rows.
  void fill();
  /// Returns the row that \p reader reads next. Returns null if rows before it are incomplete, or
  /// if a call is in progress, which this function starts if necessary.
  Row *current(std::uint32_t reader);
  /// Records that \p reader has read a part of its current row, and another part follows.
  void partRead(std::uint32_t reader) { ++readParts_[reader]; }
  /// Records that \p reader has read its current row.
  /// \returns true if that completed rows (and started prefetches)
  bool advance(std::uint32_t reader);

  /// Returns the call in progress; null if there is none.
  const std::shared_ptr<StreamCall> &call() const { return call_; }
  /// Records that the call has ended, stores its row if it filled one, and starts the next calls.
  /// Rethrows an exception of the call.
  void ended();
  /// Records that a call has ended between runs. Unlike ended(), starts no calls and ignores
  /// exceptions.
  void endedBetweenRuns();
  /// Records that the call will not begin; another call is started at the next opportunity.
  void cancelled() { call_.reset(); }
  /// Records that a transfer waits for the call in progress.
  /// \param place  place of the transfer, for messages
  void need(const std::string &place);
  /// Returns true if the end of a run must wait for calls, other than a prefetch.
  bool owesCalls() const;
  /// Returns true if prefetches of this stream are known to wait for something.
  bool isKnownToWait() const { return waits_; }

  /// Begins a run; all readers take part again.
  /// \param used  true if the run's program uses the stream. Otherwise its rows are not prefetched,
  ///   even when a prefetch ends that began in an earlier run
  void beginRun(bool used = true);
  /// Records that \p reader reads no more rows in this run.
  /// \returns as advance()
  bool finish(std::uint32_t reader);
  /// Drops all rows, including the row of a call in progress.
  /// \returns true if there were any
  bool drop();

  /// Returns true if rows were completed without \p reader, which had finished; rows sent to it in
  /// advance are then invalid.
  bool missed(std::uint32_t reader) const { return missed_[reader]; }

  /// Returns the incomplete rows in order. \p reader has yet to read those from position() on.
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
  std::vector<std::size_t> positions_;   ///< by reader: index into rows_ of its next row
  std::vector<std::uint64_t> readParts_; ///< by reader: rows or parts read since the load
  std::vector<bool> finished_;           ///< by reader: in this run
  std::vector<bool> missed_;             ///< by reader
  bool used_ = true;                     ///< by the current program
  bool refused_ = false;                 ///< a prefetch had no data: the next row is fetched
  bool fetched_ = false;    ///< the incomplete row was fetched: nothing is prefetched beyond it
  bool wanted_ = false;     ///< a reader waits for a row for which no call has started
  bool waits_ = false;      ///< a prefetch has waited for something
  unsigned quickCalls_ = 0; ///< number of consecutive short calls
  std::uint32_t read_ = 0;  ///< rows that were read, but not yet reported to complete()
  std::shared_ptr<StreamCall> call_; ///< in progress
};

} // namespace copse::session
