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
/// control program, and all walk the same tree; so the numbers are one order for the whole replica,
/// and transfers are begun in that order, whatever order messages arrive in. One whose callback is
/// under way does not hold up those after it, of other streams.
///
/// Callbacks are begun through a StartCall, which decides when and where they run; callEnded() tells
/// that one has.
///
/// Life: load(); then for each run beginRun(), serve() and finish() until all IPUs are done, and
/// callEnded() until no call is owed. Start anew with load() after a failure. Thread: one at a time.
/// Exceptions of callbacks come out of callEnded().
class StreamServer {
public:
  /// Sends to an IPU.
  using Send = std::function<void(std::uint32_t ipu, wire::session::Body body,
                                  std::vector<fabric::Payload> payloads)>;

  /// Memory for a payload to an IPU, which is then not copied on its way there.
  using Memory = std::function<fabric::Payload(std::uint32_t ipu, std::size_t bytes)>;

  StreamServer(Send send, StartCall start, Memory memory = {})
      : send_(std::move(send)),
        start_([this, start = std::move(start)](std::shared_ptr<StreamCall> call) {
          if (call->moment == wire::Cycles{}) // those of rows that wait for their turn have theirs
            call->moment = moment_;
          start(std::move(call));
        }),
        memory_(std::move(memory)) {}
  StreamServer(const StreamServer &) = delete; // feeds refer to start_
  StreamServer &operator=(const StreamServer &) = delete;

  /// \param partition  outlives what is loaded
  /// \param sideBySide  calls of different streams may be under way at once
  void load(const Partition &partition, bool prefetch, bool sideBySide);
  /// \param program  index
  void beginRun(std::uint32_t program);

  /// One message of an IPU: StreamRequest, StreamTaken, StreamWrite or Print.
  /// \returns BadFrame when it is not what the program may send there
  wire::Status serve(std::uint32_t ipu, const wire::session::Body &body,
                     std::vector<fabric::Payload> payloads);
  /// All IPUs of \p replica are at the end of the program.
  void finish(std::uint32_t replica);
  /// A call has ended. One that nobody waits for any more is dropped.
  void callEnded(const std::shared_ptr<StreamCall> &call);
  /// A prefetch has ended between runs: nothing else is called or sent for it.
  void prefetchEnded(const std::shared_ptr<StreamCall> &call);
  /// A call never begins.
  void callCancelled(const StreamCall &call);
  /// Whether calls are under way or due that belong to the run: all but prefetch.
  bool owesCalls() const;
  /// Whether a call of \p stream is under way.
  bool hasCall(std::uint32_t stream) const;
  /// Whether a prefetch is under way that is not known to wait.
  bool expectsRows() const;

  void invalidate(std::uint32_t stream, StreamHandler &handler);

  /// Whether there are IPUs that were not told of all rows which the host has taken from them. They
  /// are told with the next row that goes to them, or the second that comes; or now.
  bool owesCredits() const { return owing_ > 0; }
  void payCredits();

  /// Drops all rows that were made ahead. The callback of \p busy, which has not returned, is not
  /// told.
  void dropAllBut(const StreamCall &busy, StreamHandler &handler);

  /// The host transfer that is served, or was last, for messages: "host transfer 3 of the run (copy
  /// 'feed')"; before the first one, "before the first host transfer".
  std::string serving() const;

private:
  enum class Kind : std::uint8_t { Read, Write, Print };
  /// A host transfer that some IPU of the replica has reached, by number within the replica.
  struct Transfer {
    Kind kind = Kind::Read;
    std::uint32_t exchange = 0, index = 0;
    std::vector<bool> asked, taken;
    fabric::Payload row; ///< Write, Print: of all parts that have arrived
    std::vector<bool> arrived;
    std::shared_ptr<StreamCall> print; ///< that was begun for it
    bool done = false;
    wire::Cycles moment{}; ///< the latest of its IPUs'
  };
  struct Replica {
    std::uint64_t next = 0; ///< number of the transfer that is served
    std::map<std::uint64_t, Transfer> transfers;
    /// Rows that come in several transfers, by the number of the first of them.
    std::map<std::uint64_t, fabric::Payload> rowsInParts;
  };
  /// What became of a transfer.
  enum class Progress : std::uint8_t {
    Done,
    Waits, ///< for IPUs
    Calls, ///< a callback
  };
  /// Rows of one stream that wait for their callbacks, the oldest of which is under way.
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
  /// Null: there is none.
  Feed *feedOf(std::uint32_t stream, std::uint32_t replica);
  std::uint32_t readerOf(std::uint32_t stream, std::uint32_t replica) const;

  Send send_;
  StartCall start_;
  Memory memory_;
  wire::Cycles moment_{}; ///< of the calls that begin now
  bool sideBySide_ = false;
  const Partition *partition_ = nullptr;
  std::vector<std::vector<Feed>> feeds_; ///< by stream, then by replica (one of a broadcast stream)
  std::vector<Replica> replicas_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<Taking>>
      taking_;                           ///< by stream and replica
  std::shared_ptr<StreamCall> printing_; ///< under way
  std::vector<std::uint32_t> owed_;      ///< rows that were taken and not told, by IPU
  std::uint32_t owing_ = 0;              ///< of all IPUs
  struct Serving {
    std::uint64_t number = 0;
    Kind kind = Kind::Read;
    std::uint32_t exchange = 0;
  };
  std::optional<Serving> serving_;
};

} // namespace copse::session
