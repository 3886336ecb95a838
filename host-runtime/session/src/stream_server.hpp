#pragma once

#include "feed.hpp"
#include "partition.hpp"

#include "fabric/payload.hpp"
#include "session/machine.hpp"
#include "wire/session.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace copse::session {

/// Serves the streams and prints of a run. Every IPU of a replica numbers the host transfers of its
/// control program, and all IPUs follow one tree of steps. The numbers therefore order the
/// transfers of the whole replica, and transfers start in that order, however messages arrive. A
/// transfer with a running callback does not delay later transfers of other streams.
///
/// Callbacks are started through a StartCall, which decides when and where they run; callEnded()
/// reports their ends.
///
/// Life: load(); then for each run beginRun(), serve() and finish() until all IPUs are done, and
/// callEnded() until owesCalls() is false. After a failure, load() again.
///
/// Thread: one at a time.
///
/// Errors: callEnded() rethrows exceptions of callbacks.
class StreamServer {
public:
  /// Sends a message to an IPU.
  using Send = std::function<void(std::uint32_t ipu, wire::session::Body body,
                                  std::vector<fabric::Payload> payloads)>;

  /// Allocates memory for a payload to an IPU, which is sent without a copy.
  using Memory = std::function<fabric::Payload(std::uint32_t ipu, std::size_t bytes)>;

  StreamServer(Send send, StartCall start, Memory memory = {})
      : send_(std::move(send)),
        start_([this, start = std::move(start)](std::shared_ptr<StreamCall> call) {
          // The call of a row that waited for its turn has its moment already.
          if (call->moment == wire::Cycles{})
            call->moment = moment_;
          start(std::move(call));
        }),
        memory_(std::move(memory)) {}
  StreamServer(const StreamServer &) = delete; // feeds refer to start_
  StreamServer &operator=(const StreamServer &) = delete;

  /// \param partition   must outlive the loaded program
  /// \param sideBySide  calls of different streams may overlap
  void load(const Partition &partition, bool prefetch, bool sideBySide);
  /// \param program  index of the program to run
  void beginRun(std::uint32_t program);

  /// Handles one message of an IPU: StreamRequest, StreamTaken, StreamWrite or Print.
  /// \returns BadFrame if the program may not send it at this point
  wire::Status serve(std::uint32_t ipu, const wire::session::Body &body,
                     std::vector<fabric::Payload> payloads);
  /// Records that all IPUs of \p replica have reached the end of the program.
  void finish(std::uint32_t replica);
  /// Records the end of a call. The result of a call that is no longer needed is dropped.
  void callEnded(const std::shared_ptr<StreamCall> &call);
  /// Records the end of a prefetch between runs, without starting calls or sending rows.
  void prefetchEnded(const std::shared_ptr<StreamCall> &call);
  /// Records that a call will never begin.
  void callCancelled(const StreamCall &call);
  /// Returns true if calls of the run, other than prefetches, are running or due.
  bool owesCalls() const;
  /// Returns true if a call of \p stream is running.
  bool hasCall(std::uint32_t stream) const;
  /// Returns true if a prefetch is running that is not known to wait.
  bool expectsRows() const;

  void invalidate(std::uint32_t stream, StreamHandler &handler);

  /// Returns true if some IPUs have credits due for rows that the host has processed. Credits are
  /// sent with the next row to the IPU, with the second row from it, or by payCredits().
  bool owesCredits() const { return owing_ > 0; }
  void payCredits();

  /// Drops all prefetched rows. The callback of \p busy, which has not returned, is not told.
  void dropAllBut(const StreamCall &busy, StreamHandler &handler);

  /// Returns the current or last host transfer for messages: "host transfer 3 of the run (copy
  /// 'feed')"; before the first one, "before the first host transfer".
  std::string serving() const;

private:
  enum class Kind : std::uint8_t { Read, Write, Print };
  /// A host transfer that an IPU of the replica has reached, by number within the replica.
  struct Transfer {
    Kind kind = Kind::Read;
    std::uint32_t exchange = 0, index = 0;
    std::vector<bool> asked, taken;
    fabric::Payload row; ///< Write, Print: from all parts that have arrived
    std::vector<bool> arrived;
    std::shared_ptr<StreamCall> print; ///< the call that was started for it
    bool done = false;
    wire::Cycles moment{}; ///< the latest of its IPUs' times
  };
  struct Replica {
    std::uint64_t next = 0; ///< number of the current transfer
    std::map<std::uint64_t, Transfer> transfers;
    /// Rows that arrive in several transfers, by the number of the first transfer.
    std::map<std::uint64_t, fabric::Payload> rowsInParts;
  };
  /// The state of a transfer.
  enum class Progress : std::uint8_t {
    Done,
    Waits, ///< for IPUs
    Calls, ///< waits for a callback
  };
  /// The rows of one stream that wait for their callbacks; the oldest callback is running.
  struct Taking {
    std::shared_ptr<StreamCall> call;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> owed; ///< IPUs, and their rowsPerCredit
  };

  Feed::Memory memoryOf(std::uint32_t stream, std::uint32_t replica) const;
  const wire::HostView *viewOf(const Transfer &transfer, std::uint32_t number) const;
  bool allTakePart(const Transfer &transfer, const std::vector<bool> &done) const;
  wire::Status note(std::uint32_t ipu, Kind kind, const wire::session::Transfer &which,
                    const std::function<void(Transfer &, std::uint32_t number)> &change);
  wire::Status notePart(std::uint32_t ipu, Kind kind, const wire::session::Transfer &which,
                        std::vector<fabric::Payload> payloads);

  fabric::Payload &rowOf(Replica &replica, std::uint64_t number, Transfer &transfer) const;
  void advanceAll();
  bool advance(std::uint32_t replica);
  Progress serve(std::uint32_t replica, std::uint64_t number, Transfer &transfer);
  Progress serveRead(std::uint32_t replica, const Transfer &transfer);
  void beginReadsAfter(std::uint32_t replica, const Transfer &transfer);
  Progress serveRow(std::uint32_t replica, std::uint64_t number, Transfer &transfer);
  Progress servePrint(std::uint32_t replica, Transfer &transfer);
  std::shared_ptr<StreamCall> callOf(StreamCall::Kind kind, std::uint32_t stream,
                                     std::uint32_t replica, fabric::Payload row) const;
  void takeEnded(const std::shared_ptr<StreamCall> &call);
  void take(std::uint32_t replica, std::uint64_t number, Transfer &transfer);
  void takeNext(std::deque<Taking> &waiting);
  void pay(const Taking &taken);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> owedFor(std::uint32_t replica,
                                                               const Transfer &transfer) const;
  wire::Status noteWrite(std::uint32_t ipu, const wire::session::StreamWrite &write,
                         std::vector<fabric::Payload> payloads);
  void owe(std::uint32_t ipu, std::uint32_t atMost);
  std::uint32_t takeOwed(std::uint32_t ipu);
  void sendPart(Feed &feed, std::uint32_t reader, std::size_t row, std::uint32_t ipu,
                const wire::HostView &view);
  fabric::Payload partOf(const Feed &feed, Feed::Row &row, std::uint32_t number,
                         const wire::HostView &view) const;
  void sendAhead(Feed &feed);
  void forgetMissed(Feed &feed);
  std::uint32_t streamOf(const Transfer &transfer) const;
  /// Returns null if there is none.
  Feed *feedOf(std::uint32_t stream, std::uint32_t replica);
  std::uint32_t readerOf(std::uint32_t stream, std::uint32_t replica) const;

  Send send_;
  StartCall start_;
  Memory memory_;
  wire::Cycles moment_{}; ///< time of the calls that begin now
  bool sideBySide_ = false;
  const Partition *partition_ = nullptr;
  /// By stream, then by replica (one for a broadcast stream).
  std::vector<std::vector<Feed>> feeds_;
  std::vector<Replica> replicas_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Taking>>
      taking_;                           ///< by stream and replica
  std::shared_ptr<StreamCall> printing_; ///< running
  std::vector<std::uint32_t> owed_;      ///< by IPU: rows processed but not yet credited
  std::uint32_t owing_ = 0;              ///< sum over all IPUs
  struct Serving {
    std::uint64_t number = 0;
    Kind kind = Kind::Read;
    std::uint32_t exchange = 0;
  };
  std::optional<Serving> serving_;
};

} // namespace copse::session
