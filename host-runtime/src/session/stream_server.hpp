#pragma once

#include "session/feed.hpp"
#include "session/machine.hpp"
#include "session/partition.hpp"

#include "fabric/payload.hpp"
#include "wire/session.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace copse::session {

/// Serves the streams and prints of a run. Every IPU of a replica numbers the host transfers of its
/// control program, and all walk the same tree; so the numbers are one order for the whole replica,
/// and it is served in that order, whatever order messages arrive in.
///
/// Life: load(); then for each run beginRun(), serve() and finish() until all IPUs are done. Start
/// anew with load() after a failure. Thread: that of run(). Exceptions of the handler come out of
/// every call that takes one.
class StreamServer {
public:
  /// Sends to an IPU.
  using Send = std::function<void(std::uint32_t ipu, wire::session::Body body,
                                  std::vector<fabric::Payload> payloads)>;

  explicit StreamServer(Send send) : send_(std::move(send)) {}

  /// \param partition  outlives what is loaded
  void load(const Partition &partition, bool prefetch);
  void beginRun(StreamHandler &handler);

  /// One message of an IPU: StreamRequest, StreamTaken, StreamWrite or Print.
  /// \returns BadFrame when it is not what the program may send there
  wire::Status serve(std::uint32_t ipu, const wire::session::Body &body,
                     std::vector<fabric::Payload> payloads, StreamHandler &handler);
  /// All IPUs of \p replica are at the end of the program.
  void finish(std::uint32_t replica, StreamHandler &handler);

  void invalidate(std::uint32_t stream, StreamHandler &handler);

  /// Whether there are IPUs that were not told of all rows which the host has taken from them. They
  /// are told with the next row that goes to them, or the second that comes; or now.
  bool owesCredits() const { return owing_ > 0; }
  void payCredits();

  /// Drops all rows that were made ahead. The callback of \p stream and \p replica is busy and not
  /// told.
  void dropAllBut(std::uint32_t stream, std::uint32_t replica, StreamHandler &handler);

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
  };
  struct Replica {
    std::uint64_t next = 0; ///< number of the transfer that is served
    std::map<std::uint64_t, Transfer> transfers;
  };

  const wire::HostView *viewOf(const Transfer &transfer, std::uint32_t number) const;
  bool allTakePart(const Transfer &transfer, const std::vector<bool> &done) const;
  wire::Status note(std::uint32_t ipu, Kind kind, const wire::session::Transfer &which,
                    const std::function<void(Transfer &, std::uint32_t number)> &change);
  wire::Status notePart(std::uint32_t ipu, Kind kind, const wire::session::Transfer &which,
                        std::vector<fabric::Payload> payloads);

  void advanceAll(StreamHandler &handler);
  bool advance(std::uint32_t replica, StreamHandler &handler);
  bool serveRead(std::uint32_t replica, const Transfer &transfer, StreamHandler &handler);
  bool serveRow(std::uint32_t replica, std::uint64_t number, Transfer &transfer,
                StreamHandler &handler);
  wire::Status noteWrite(std::uint32_t ipu, const wire::session::StreamWrite &write,
                         std::vector<fabric::Payload> payloads);
  void owe(std::uint32_t ipu, std::uint64_t number, std::uint32_t atMost);
  std::uint32_t takeOwed(std::uint32_t ipu);
  void sendPart(Feed &feed, std::uint32_t reader, std::size_t row, std::uint32_t ipu,
                const wire::HostView &view);
  fabric::Payload partOf(const Feed &feed, Feed::Row &row, std::uint32_t number,
                         const wire::HostView &view) const;
  void sendAhead(Feed &feed);
  void forgetMissed(Feed &feed);
  Feed *feedOf(std::uint32_t stream, std::uint32_t replica);
  std::uint32_t readerOf(std::uint32_t stream, std::uint32_t replica) const;

  Send send_;
  const Partition *partition_ = nullptr;
  std::vector<std::vector<Feed>> feeds_; ///< by stream, then by replica (one of a broadcast stream)
  std::vector<Replica> replicas_;
  struct Owed {
    std::uint32_t rows = 0;
    std::uint64_t last = 0; ///< number of the last of them
  };
  std::vector<Owed> owed_;  ///< by IPU
  std::uint32_t owing_ = 0; ///< rows, to all IPUs
  struct Serving {
    std::uint64_t number = 0;
    Kind kind = Kind::Read;
    std::uint32_t exchange = 0;
  };
  std::optional<Serving> serving_;
};

} // namespace copse::session
