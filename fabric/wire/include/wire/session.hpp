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

/// The header frame of every message between a host and one ipud. What each message means:
/// SESSION.md.
namespace copse::wire::session {

inline constexpr std::uint16_t kVersion = 4;
/// Longest header frame that is read at all [bytes]. A header lists at most rows and hashes, never
/// bulk bytes.
inline constexpr std::size_t kMaxHeaderBytes = 16 * 1024 * 1024;
/// Most raw frames of one message.
inline constexpr std::size_t kMaxFrames = 2;

// Host to ipud.

/// Opens a session. Answered by Welcome, or by Fault when another host holds this ipud.
struct Hello {
  std::uint32_t heartbeatMs =
      3000;           ///< silence after which either side gives the other up [wall-clock ms]
  std::string host{}; ///< who it is, for people: "digits (pid 12 on node7)"
  /// Picked at random by a host program, which may take over a session that it lost; 0: none.
  std::uint64_t token = 0;
  friend bool operator==(const Hello &, const Hello &) = default;
};
struct GroupMembers {
  SyncGroup group = SyncGroup::GS1;
  std::vector<std::uint32_t> members; ///< numbers of IPUs in the partition, ascending
  friend bool operator==(const GroupMembers &, const GroupMembers &) = default;
};
/// A store of an rbufd that has the program's remote buffers, for IPUs that can reach it
/// themselves.
struct RowStore {
  std::string endpoint; ///< empty: rows are asked of the host
  std::string name;
  std::vector<rows::BufferShape> buffers; ///< as the image numbers them
  friend bool operator==(const RowStore &, const RowStore &) = default;
};
/// The partition, and where this IPU stands in it. Drops what was loaded before. Answered by Ok or
/// Fault.
struct Configure {
  std::uint32_t self = 0;
  std::uint32_t epoch = 0; ///< links and barriers ignore what belongs to older ones
  std::uint32_t replica = 0, replicas = 1, ipusPerReplica = 1;
  Topology topology = Topology::Mesh;
  std::vector<std::string> links; ///< link endpoint of every ipud of the partition
  std::vector<std::string> syncs; ///< sync endpoint of every ipud of the partition
  std::vector<GroupMembers> groups;
  std::string machineModel; ///< JSON text
  std::uint32_t threads = 1;
  std::uint32_t syncTimeoutMs = 60'000;
  std::uint64_t workerSeed = 0; ///< of the order in which vertices run; 0: that of the image
  /// Of every ipud of the partition, as the cluster's keys call it; empty: there are no keys.
  std::vector<std::string> names{};
  RowStore rowStore{};
  friend bool operator==(const Configure &, const Configure &) = default;
};
/// Something that must be the same in all host programs that share a partition.
struct Trait {
  std::string name, value; ///< for people
  friend bool operator==(const Trait &, const Trait &) = default;
};
/// How far the load of a share is.
enum class ShareStage : std::uint8_t {
  Open,   ///< looks for the others
  Agreed, ///< of the first share: tickets and epoch hold
  Ready,  ///< its IPUs are configured
  Failed, ///< its last run failed
};
/// The replicas that one host program runs of a program that several host programs share.
struct Share {
  std::string partition;               ///< host programs with the same name share one
  std::uint32_t first = 0, number = 1; ///< replicas of this host program
  std::uint32_t replicas = 1;          ///< of all of them
  std::uint64_t ticket = 0;            ///< of this load, picked at random
  ShareStage stage = ShareStage::Open;
  std::uint32_t epoch = 0; ///< from Agreed on: Configure::epoch of all
  std::vector<std::uint64_t>
      tickets; ///< of all shares in the order of their replicas, if first is 0
  std::vector<Trait> traits;
  std::vector<std::string> links, syncs; ///< endpoints of its IPUs
  std::vector<std::string> names;        ///< as Configure::names
  Status failure;                        ///< if it failed
  friend bool operator==(const Share &, const Share &) = default;
};
/// What other hosts find in State until the session ends. Answered by Ok.
struct Announce {
  Share share;
  friend bool operator==(const Announce &, const Announce &) = default;
};
/// Which of these modules are missing? Answered by ModuleNeeds.
struct ModuleQuery {
  std::vector<std::string> sha256;
  friend bool operator==(const ModuleQuery &, const ModuleQuery &) = default;
};
/// Raw frame: the module. Answered by Ok, or by Fault when the hash is not that of the bytes.
struct ModuleBytes {
  std::string sha256, name;
  friend bool operator==(const ModuleBytes &, const ModuleBytes &) = default;
};
/// Two raw frames: those of encodeImage() and Image::data. Answered by Ok or Fault.
struct Load {
  friend bool operator==(const Load &, const Load &) = default;
};
/// Answered by Done or Fault.
struct Run {
  std::uint32_t program = 0;
  Cycles start; ///< the run begins at this time on all IPUs, or where their clocks stand
  /// It begins and ends together with the IPUs of other host programs: at the latest of their
  /// starts. Done with request 0 then says that this IPU waits for theirs.
  bool meets = false;
  bool tells = false; ///< sends Progress instead of Heartbeat while it runs
  bool times = false; ///< keeps StepTimes
  friend bool operator==(const Run &, const Run &) = default;
};
/// Ends the run that is going on, with this status on its Fault. Not answered.
struct Stop {
  Status status;
};
/// Answered by View.
struct ViewRead {
  std::uint32_t view = 0;
  friend bool operator==(const ViewRead &, const ViewRead &) = default;
};
/// Raw frame: the packed regions. Answered by Ok or Fault.
struct ViewWrite {
  std::uint32_t view = 0;
  friend bool operator==(const ViewWrite &, const ViewWrite &) = default;
};
/// Raw frame: this IPU's part of a row, asked for or ahead of time.
struct StreamRow {
  std::uint32_t stream = 0;
  std::uint64_t sequence = 0; ///< of the row within the stream, since the load
  bool prefetched = false;
  std::uint32_t taken = 0; ///< rows of this IPU that the host has taken since it last said so
  friend bool operator==(const StreamRow &, const StreamRow &) = default;
};
/// Rows of the stream that were sent ahead and not used are void.
struct StreamDrop {
  std::uint32_t stream = 0;
  friend bool operator==(const StreamDrop &, const StreamDrop &) = default;
};
/// The host has dealt with StreamWrites or Prints: the IPU may send as many more.
struct TransferTaken {
  std::uint32_t rows = 1; ///< how many, since the host last said so
  friend bool operator==(const TransferTaken &, const TransferTaken &) = default;
};
/// Answers RowsRead. Raw frame: this IPU's part of the rows.
struct Rows {
  friend bool operator==(const Rows &, const Rows &) = default;
};

/// Answered by Links.
struct LinkQuery {
  friend bool operator==(const LinkQuery &, const LinkQuery &) = default;
};

/// The host gives the IPU back, and what it has loaded is forgotten. Answered by Ok.
struct Detach {
  friend bool operator==(const Detach &, const Detach &) = default;
};
/// From anybody, whoever holds the IPU. Answered by State.
struct Inspect {
  friend bool operator==(const Inspect &, const Inspect &) = default;
};

/// From anybody: ends the session of whoever holds the IPU, and makes its memory good again.
/// Answered by Ok.
struct Reset {
  friend bool operator==(const Reset &, const Reset &) = default;
};
/// The memory is good again, as after a reset. Answered by Ok.
struct ResetMemory {
  friend bool operator==(const ResetMemory &, const ResetMemory &) = default;
};
/// From anybody: the parity of a word of tile memory is wrong until a reset. Answered by Ok.
struct InjectError {
  std::uint32_t tile = 0, address = 0;
  friend bool operator==(const InjectError &, const InjectError &) = default;
};

/// Answered by VertexCycles.
struct CyclesQuery {
  friend bool operator==(const CyclesQuery &, const CyclesQuery &) = default;
};

/// Answered by StepTimes.
struct TimesQuery {
  friend bool operator==(const TimesQuery &, const TimesQuery &) = default;
};

// ipud to host.

/// When the steps of the last run began and ended, if the run was to keep that, the first so many of them. Raw
/// frame: for each step that computed or moved something three numbers of 64 bits, little-endian: the
/// step, an index into Image::steps; its begin and its end [wall-clock ns since the run began].
struct StepTimes {
  bool complete = true; ///< whether all of the run's steps are there
  friend bool operator==(const StepTimes &, const StepTimes &) = default;
};
/// Cycles of the vertices of compute sets that have run since the load, where only a run shows them: their code
/// counts, or is tile code. Raw frame: for each vertex of each of these
/// sets, in their order, the cycles of its last run, a number of 64 bits, little-endian.
struct VertexCycles {
  std::vector<std::uint32_t> computeSets; ///< indices into Image::computeSets, ascending
  friend bool operator==(const VertexCycles &, const VertexCycles &) = default;
};
/// The ipud was told to end.
struct Ending {
  Status status;
};
/// Answers Hello: the host holds the IPU.
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
  friend bool operator==(const Done &, const Done &) = default;
};
/// Traffic of the IPU-Link to one neighbour since Configure. Its counters:
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
  std::string holder;         ///< Hello::host of who holds the IPU; empty: it is free
  std::uint64_t sessions = 0; ///< begun since the ipud started
  bool running = false;       ///< a request of the host is being done
  std::vector<LinkTraffic> links;
  std::uint64_t heard = 0; ///< messages of the holder so far
  /// Of all sessions: runs that were begun, steps of control programs, modelled cycles, and bytes
  /// of streams.
  std::uint64_t runs = 0, steps = 0, modelledCycles = 0, bytesFromHost = 0, bytesToHost = 0;
  std::optional<Share> share{}; ///< what the holder has announced
  friend bool operator==(const State &, const State &) = default;
};
/// How far a run is.
struct Progress {
  std::uint64_t steps = 0; ///< of control programs, so far
  Cycles now;              ///< the modelled clock
  std::uint64_t trip = 0;  ///< of the outermost loop: those that are done,
  std::uint64_t trips = 0; ///< and all; 0: nobody knows, or there is none
  friend bool operator==(const Progress &, const Progress &) = default;
};
/// The IPU has been waiting for others at a sync point for a while: it may be waiting for one that
/// will never come.
struct Waiting {
  SyncGroup group = SyncGroup::GS2;
  std::uint64_t point = 0; ///< its number within the group, since Configure
  std::string where;       ///< the step, for people
  friend bool operator==(const Waiting &, const Waiting &) = default;
};
/// Raw frame: the packed regions.
struct View {
  friend bool operator==(const View &, const View &) = default;
};
/// One host transfer of a run. All IPUs of a replica number their transfers alike, those without
/// data in one included.
struct Transfer {
  std::uint64_t number = 0;   ///< within the run, from 0
  std::uint32_t exchange = 0; ///< index into Image::hostExchanges; 0 in a Print
  std::uint32_t index = 0;    ///< of the transfer in the exchange; index into Image::prints
  Cycles at{};                ///< the IPU's modelled clock: when it asks, or when the row has left
  friend bool operator==(const Transfer &, const Transfer &) = default;
};
/// The IPU waits for its part of a row.
struct StreamRequest : Transfer {};
/// The IPU has its part of a row.
struct StreamTaken : Transfer {};
/// Raw frame: the IPU's part of a row.
struct StreamWrite : Transfer {
  bool takenBefore = false; ///< also says StreamTaken of the transfer right before it
  friend bool operator==(const StreamWrite &, const StreamWrite &) = default;
};
/// Raw frame: the IPU's part of a printed tensor.
struct Print : Transfer {};
/// Answered by Rows or Fault.
struct RowsRead {
  std::uint32_t copy = 0; ///< index into Image::remoteCopies
  std::vector<std::uint32_t> rows;
  friend bool operator==(const RowsRead &, const RowsRead &) = default;
};
/// Raw frame: the IPU's part of the rows. Answered by Ok or Fault.
struct RowsWrite {
  std::uint32_t copy = 0;
  std::vector<std::uint32_t> rows;
  friend bool operator==(const RowsWrite &, const RowsWrite &) = default;
};

// Both ways.

struct Ok {
  friend bool operator==(const Ok &, const Ok &) = default;
};
struct Fault {
  Status status;
};
struct Heartbeat {
  friend bool operator==(const Heartbeat &, const Heartbeat &) = default;
};
/// Raw frame: the next bytes of the raw frames of the last message whose header says inPieces.
struct Piece {
  friend bool operator==(const Piece &, const Piece &) = default;
};

using Body = std::variant<Heartbeat, Hello, Configure, ModuleQuery, ModuleBytes, Load, Run, Stop,
                          ViewRead, ViewWrite, StreamRow, StreamDrop, TransferTaken, Rows, Welcome,
                          ModuleNeeds, Done, View, StreamRequest, StreamTaken, StreamWrite, Print,
                          RowsRead, RowsWrite, Ok, Fault, LinkQuery, Links, Waiting, Detach,
                          Inspect, State, Reset, Ending, ResetMemory, InjectError, CyclesQuery,
                          VertexCycles, Announce, Progress, TimesQuery, StepTimes, Piece>;

struct Header {
  std::uint64_t request =
      0; ///< an answer carries the number of what it answers; 0: wants none, answers none
  std::vector<std::uint64_t> frames; ///< sizes of the raw frames that follow [bytes]
  Body body;
  bool inPieces = false; ///< the raw frames follow in messages of their own, Pieces
};

/// The header frame.
std::vector<std::byte> encode(const Header &header);

/// Any bytes are safe, aligned or not.
/// \returns BadFrame when they are no header of this version
Result<Header> decode(std::span<const std::byte> frame);

} // namespace copse::wire::session
