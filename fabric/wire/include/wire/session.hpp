#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"
#include "wire/rows.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

/// The header frame of every message between a host and one ipud. SESSION.md explains each message.
namespace copse::wire::session {

inline constexpr std::uint16_t kVersion = 4;
/// The longest header frame that is accepted [bytes]. A header contains row numbers and hashes,
/// never bulk data.
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024 * 1024;
/// The largest number of raw frames in one message.
inline constexpr std::size_t kMaxFrames = 2;

// Host to ipud.

/// Opens a session. Answered by Welcome, or by Fault if another host holds this ipud.
struct Hello {
  std::uint32_t heartbeatMs =
      3000;           ///< silence after which either side drops the other [wall-clock ms]
  std::string host{}; ///< the host's name for people: "digits (pid 12 on node7)"
  /// A random number by which a host program may take over a session that it lost; 0: none.
  std::uint64_t token = 0;
  friend bool operator==(const Hello &, const Hello &) = default;
};
struct GroupMembers {
  SyncGroup group = SyncGroup::GS1;
  std::vector<std::uint32_t> members; ///< numbers of IPUs in the partition, ascending
  friend bool operator==(const GroupMembers &, const GroupMembers &) = default;
};
/// The rbufd store with the program's remote buffers, for IPUs that can reach the rbufd themselves.
struct RowStore {
  std::string endpoint; ///< empty: rows are requested from the host
  std::string name;
  std::vector<rows::BufferShape> buffers; ///< in the image's order
  friend bool operator==(const RowStore &, const RowStore &) = default;
};
/// Describes the partition and this IPU's place in it, and drops what was loaded before. Answered
/// by Ok or Fault.
struct Configure {
  std::uint32_t self = 0;
  std::uint32_t epoch = 0; ///< links and barriers ignore messages of other epochs
  std::uint32_t replica = 0, replicas = 1, ipusPerReplica = 1;
  Topology topology = Topology::Mesh;
  std::vector<std::string> links; ///< link endpoint of every ipud of the partition
  std::vector<std::string> syncs; ///< sync endpoint of every ipud of the partition
  std::vector<GroupMembers> groups;
  std::string machineModel; ///< JSON text
  std::uint32_t threads = 1;
  std::uint32_t syncTimeoutMs = 60'000;
  /// The seed of the order in which vertices run; 0: the order of the image.
  std::uint64_t workerSeed = 0;
  /// The name of every ipud of the partition in the cluster file; empty if there are no keys.
  std::vector<std::string> names{};
  RowStore rowStore{};
  friend bool operator==(const Configure &, const Configure &) = default;
};
/// A property that all host programs that share a partition must agree on.
struct Trait {
  std::string name, value; ///< readable by people
  friend bool operator==(const Trait &, const Trait &) = default;
};
/// The state of the load of a share.
enum class ShareStage : std::uint8_t {
  Open,   ///< looks for the other shares
  Agreed, ///< only the first share: tickets and epoch are fixed
  Ready,  ///< the share's IPUs are configured
  Failed, ///< the share's last run failed
};
/// The replicas that one of several host programs runs of a shared program.
struct Share {
  std::string partition;               ///< host programs that give the same name share a partition
  std::uint32_t first = 0, number = 1; ///< replicas of this host program
  std::uint32_t replicas = 1;          ///< replicas of all host programs together
  std::uint64_t ticket = 0;            ///< random number of this load
  ShareStage stage = ShareStage::Open;
  std::uint32_t epoch = 0; ///< from Agreed on: the Configure::epoch of all shares
  /// Tickets of all shares, ordered by replica; only if first is 0.
  std::vector<std::uint64_t> tickets;
  std::vector<Trait> traits;
  std::vector<std::string> links, syncs; ///< endpoints of the share's IPUs
  std::vector<std::string> names;        ///< see Configure::names
  Status failure;                        ///< if the stage is Failed
  friend bool operator==(const Share &, const Share &) = default;
};
/// Publishes the share to other hosts, in State, until the session ends. Answered by Ok.
struct Announce {
  Share share;
  friend bool operator==(const Announce &, const Announce &) = default;
};
/// Asks which of these modules are missing. Answered by ModuleNeeds.
struct ModuleQuery {
  std::vector<std::string> sha256;
  friend bool operator==(const ModuleQuery &, const ModuleQuery &) = default;
};
/// Sends a module as the raw frame. Answered by Ok, or by Fault if the hash does not match the
/// bytes.
struct ModuleBytes {
  std::string sha256, name;
  friend bool operator==(const ModuleBytes &, const ModuleBytes &) = default;
};
/// Loads an image. The two raw frames are encodeImage() and Image::data. Answered by Ok or Fault.
struct Load {
  friend bool operator==(const Load &, const Load &) = default;
};
/// Starts a run. Answered by Done or Fault.
struct Run {
  std::uint32_t program = 0;
  /// The time at which the run begins on this IPU, unless its clock is already later.
  Cycles start;
  /// True: the run begins at the latest start of the IPUs of all host programs, and ends together
  /// with them. The message Done with request 0 then says that this IPU waits for the others.
  bool meets = false;
  bool tells = false; ///< send Progress instead of Heartbeat during the run
  bool times = false; ///< record StepTimes
  /// The clock of a host program whose clocks are modelled [modelled ns since 1970]. An IPU that
  /// meets others then sends Began. 0: the clocks are real.
  std::uint64_t programTime = 0;
  friend bool operator==(const Run &, const Run &) = default;
};
/// Ends the current run; its Fault carries this status. Not answered.
struct Stop {
  Status status;
};
/// Reads a host view. Answered by View.
struct ViewRead {
  std::uint32_t view = 0;
  friend bool operator==(const ViewRead &, const ViewRead &) = default;
};
/// Writes a host view; the raw frame contains the packed regions. Answered by Ok or Fault.
struct ViewWrite {
  std::uint32_t view = 0;
  friend bool operator==(const ViewWrite &, const ViewWrite &) = default;
};
/// Sends this IPU's part of a stream row as the raw frame, on request or in advance.
struct StreamRow {
  std::uint32_t stream = 0;
  std::uint64_t sequence = 0; ///< number of the row within the stream, since the load
  bool prefetched = false;
  /// The number of this IPU's rows that the host has processed since its last report.
  std::uint32_t taken = 0;
  friend bool operator==(const StreamRow &, const StreamRow &) = default;
};
/// Invalidates the rows of the stream that were sent in advance and not used.
struct StreamDrop {
  std::uint32_t stream = 0;
  friend bool operator==(const StreamDrop &, const StreamDrop &) = default;
};
/// Returns credits: the host has processed StreamWrites or Prints, so the IPU may send as many
/// more.
struct TransferTaken {
  std::uint32_t rows = 1; ///< number of rows since the last report
  friend bool operator==(const TransferTaken &, const TransferTaken &) = default;
};
/// Answers RowsRead; the raw frame contains this IPU's part of the rows.
struct Rows {
  friend bool operator==(const Rows &, const Rows &) = default;
};

/// Requests the traffic of the links. Answered by Links.
struct LinkQuery {
  friend bool operator==(const LinkQuery &, const LinkQuery &) = default;
};

/// Releases the IPU, which forgets what was loaded. Answered by Ok.
struct Detach {
  friend bool operator==(const Detach &, const Detach &) = default;
};
/// Requests the state of the ipud. Any client may send this, whether it holds the IPU or not.
/// Answered by State.
struct Inspect {
  friend bool operator==(const Inspect &, const Inspect &) = default;
};

/// Ends the session of the current holder and repairs memory errors. Any client may send this.
/// Answered by Ok.
struct Reset {
  friend bool operator==(const Reset &, const Reset &) = default;
};
/// Repairs memory errors, as a reset does. Answered by Ok.
struct ResetMemory {
  friend bool operator==(const ResetMemory &, const ResetMemory &) = default;
};
/// Makes the parity of a word of tile memory wrong until a reset. Any client may send this.
/// Answered by Ok.
struct InjectError {
  std::uint32_t tile = 0, address = 0;
  friend bool operator==(const InjectError &, const InjectError &) = default;
};

/// Requests measured cycles. Answered by VertexCycles.
struct CyclesQuery {
  friend bool operator==(const CyclesQuery &, const CyclesQuery &) = default;
};

/// Requests the step times of the last run. Answered by StepTimes.
struct TimesQuery {
  friend bool operator==(const TimesQuery &, const TimesQuery &) = default;
};

// ipud to host.

/// The times of the steps of the last run that recorded them, limited to the first steps. The raw
/// frame has three little-endian 64-bit numbers for each step that computed or moved something: the
/// step, an index into Image::steps; its begin and its end [wall-clock ns since the run began].
struct StepTimes {
  bool complete = true; ///< true if no step of the run is missing
  friend bool operator==(const StepTimes &, const StepTimes &) = default;
};
/// The cycles of vertices in the compute sets that have run since the load and whose cycles are
/// known only from a run: because their code counts them, or because it is tile code. The raw frame
/// has, for each vertex of each of these sets in order, the cycles of its last run, a little-endian
/// 64-bit number.
struct VertexCycles {
  std::vector<std::uint32_t> computeSets; ///< indices into Image::computeSets, ascending
  friend bool operator==(const VertexCycles &, const VertexCycles &) = default;
};
/// Says that the ipud was told to end.
struct Ending {
  Status status;
};
/// Answers Hello: the host now holds the IPU.
struct Welcome {
  friend bool operator==(const Welcome &, const Welcome &) = default;
};
struct ModuleNeeds {
  std::vector<std::string> sha256;
  friend bool operator==(const ModuleNeeds &, const ModuleNeeds &) = default;
};
struct Done {
  Cycles start, end;
  std::uint64_t gs1 = 0, gs2 = 0, all = 0; ///< sync points left since Configure, by group
  /// The latest end of the IPUs of all hosts, in the answer to a run that meets them.
  Cycles endOfAll{};
  friend bool operator==(const Done &, const Done &) = default;
};
/// The traffic of the IPU-Link to one neighbour since Configure, in the units of
/// fabric::LinkCounters.
struct LinkTraffic {
  std::uint32_t neighbour = 0;
  std::uint64_t packetsSent = 0, bytesSent = 0, packetsReceived = 0, bytesReceived = 0;
  std::uint64_t forwarded = 0, resent = 0, repeats = 0, refused = 0;
  friend bool operator==(const LinkTraffic &, const LinkTraffic &) = default;
};
struct Links {
  std::vector<LinkTraffic> links;
  friend bool operator==(const Links &, const Links &) = default;
};
/// The activity of an ipud.
struct State {
  std::int64_t pid = 0;
  std::string holder;         ///< Hello::host of the holder; empty: the IPU is free
  std::uint64_t sessions = 0; ///< begun since the ipud started
  bool running = false;       ///< a request of the host is in progress
  std::vector<LinkTraffic> links;
  std::uint64_t heard = 0; ///< number of messages received from the holder
  /// Totals over all sessions: runs started, steps of control programs, modelled cycles, and bytes
  /// of streams.
  std::uint64_t runs = 0, steps = 0, modelledCycles = 0, bytesFromHost = 0, bytesToHost = 0;
  std::optional<Share> share{}; ///< announced by the holder
  friend bool operator==(const State &, const State &) = default;
};
/// The progress of a run.
struct Progress {
  std::uint64_t steps = 0; ///< executed steps of control programs, so far
  Cycles now;              ///< the modelled clock
  std::uint64_t trip = 0;  ///< finished turns of the outermost loop
  /// All turns of that loop; 0: unknown, or there is no loop.
  std::uint64_t trips = 0;
  friend bool operator==(const Progress &, const Progress &) = default;
};
/// Says that a run that meets the IPUs of other host programs has begun, before any transfer of it.
struct Began {
  Cycles start;                  ///< the latest start of all these IPUs
  std::uint64_t programTime = 0; ///< the latest Run::programTime
  friend bool operator==(const Began &, const Began &) = default;
};
/// Says that the IPU has waited at a sync point for a while, possibly for an IPU that will never
/// arrive.
struct Waiting {
  SyncGroup group = SyncGroup::GS2;
  std::uint64_t point = 0; ///< number within the group since Configure
  std::string where;       ///< the step, readable by people
  friend bool operator==(const Waiting &, const Waiting &) = default;
};
/// Answers ViewRead; the raw frame contains the packed regions.
struct View {
  friend bool operator==(const View &, const View &) = default;
};
/// One host transfer of a run. All IPUs of a replica count their transfers alike, including those
/// without data for them.
struct Transfer {
  std::uint64_t number = 0;   ///< within the run, from 0
  std::uint32_t exchange = 0; ///< index into Image::hostExchanges; 0 in a Print
  /// The index of the transfer within the exchange; for a Print, an index into Image::prints.
  std::uint32_t index = 0;
  Cycles at{}; ///< the IPU's modelled clock when it asks, or when the row has left
  friend bool operator==(const Transfer &, const Transfer &) = default;
};
/// Says that the IPU waits for its part of a row.
struct StreamRequest : Transfer {};
/// Says that the IPU has received its part of a row.
struct StreamTaken : Transfer {};
/// Sends the IPU's part of a row as the raw frame.
struct StreamWrite : Transfer {
  bool takenBefore = false; ///< also reports StreamTaken of the preceding transfer
  friend bool operator==(const StreamWrite &, const StreamWrite &) = default;
};
/// Sends the IPU's part of a printed tensor as the raw frame.
struct Print : Transfer {};
/// Requests rows of a remote buffer. Answered by Rows or Fault.
struct RowsRead {
  std::uint32_t copy = 0; ///< index into Image::remoteCopies
  std::vector<std::uint32_t> rows;
  friend bool operator==(const RowsRead &, const RowsRead &) = default;
};
/// Writes rows of a remote buffer; the raw frame contains the IPU's part of them. Answered by Ok or
/// Fault.
struct RowsWrite {
  std::uint32_t copy = 0;
  std::vector<std::uint32_t> rows;
  friend bool operator==(const RowsWrite &, const RowsWrite &) = default;
};

// Both directions.

struct Ok {
  friend bool operator==(const Ok &, const Ok &) = default;
};
struct Fault {
  Status status;
};
struct Heartbeat {
  friend bool operator==(const Heartbeat &, const Heartbeat &) = default;
};
/// Continues the last message whose header has inPieces set. The raw frame has the next bytes of
/// that message's raw frames.
struct Piece {
  friend bool operator==(const Piece &, const Piece &) = default;
};

using Body = std::variant<Heartbeat, Hello, Configure, ModuleQuery, ModuleBytes, Load, Run, Stop,
                          ViewRead, ViewWrite, StreamRow, StreamDrop, TransferTaken, Rows, Welcome,
                          ModuleNeeds, Done, View, StreamRequest, StreamTaken, StreamWrite, Print,
                          RowsRead, RowsWrite, Ok, Fault, LinkQuery, Links, Waiting, Detach,
                          Inspect, State, Reset, Ending, ResetMemory, InjectError, CyclesQuery,
                          VertexCycles, Announce, Progress, TimesQuery, StepTimes, Piece, Began>;

/// The first frame of every message between a host and an ipud (SESSION.md).
struct Header {
  /// An answer has the number of its request; 0: not an answer, and none is expected.
  std::uint64_t request = 0;
  std::vector<std::uint64_t> frames; ///< sizes of the raw frames that follow [bytes]
  Body body;
  bool inPieces = false; ///< the raw frames follow in messages of their own, Pieces
};

/// Encodes a header frame.
std::vector<std::byte> encode(const Header &header);

/// Decodes a header frame, which may be arbitrary bytes, aligned or not.
/// \returns BadFrame if the bytes are not a header of this version
Result<Header> decode(std::span<const std::byte> frame);

} // namespace copse::wire::session
