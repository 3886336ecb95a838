#include "wire/session.hpp"

#include "frame_reader.hpp"
#include "schema/session.capnp.h"
#include "status_codec.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace copse::wire::session {
namespace {

using Builder = session_schema::SessionMessage::Builder;
using Reader = session_schema::SessionMessage::Reader;
using Which = session_schema::SessionMessage::Which;

// The tables below name the members of each message once. put() writes a member to its field in the
// schema and get() reads it. readFrame() turns exceptions of get() into a bad header.

/// Visits the members of a message, or of a part of a message, with their fields in \p schema.
template <class Message> struct Members;

template <class Value> constexpr bool kIsVector = false;
template <class Value> constexpr bool kIsVector<std::vector<Value>> = true;
template <class Value> constexpr bool kIsOptional = false;
template <class Value> constexpr bool kIsOptional<std::optional<Value>> = true;

template <class Value> void putItem(auto list, unsigned i, const Value &value) {
  if constexpr (std::is_same_v<Value, std::string>)
    list.set(i, value.c_str());
  else if constexpr (std::is_arithmetic_v<Value>)
    list.set(i, value);
  else
    Members<Value>::visit(list[i], value);
}

/// \param set   sets the field of a builder to a value
/// \param init  initialises the field's struct, or its list of the given length
template <class Value> void put(const Value &value, auto to, auto set, auto init) {
  if constexpr (std::is_arithmetic_v<Value> || std::is_same_v<Value, std::string>) {
    set(to, value);
  } else if constexpr (std::is_enum_v<Value>) {
    set(to, static_cast<std::uint8_t>(value));
  } else if constexpr (std::is_same_v<Value, Cycles>) {
    set(to, value.value);
  } else if constexpr (std::is_same_v<Value, Status>) {
    write(init(to), value);
  } else if constexpr (kIsVector<Value>) {
    auto list = init(to, static_cast<unsigned>(value.size()));
    for (unsigned i = 0; i < list.size(); ++i)
      putItem(list, i, value[i]);
  } else if constexpr (kIsOptional<Value>) {
    if (value)
      putItem(init(to, 1U), 0, *value);
  } else {
    Members<Value>::visit(init(to), value);
  }
}

void require(bool isKnown, const char *unknown) {
  if (!isKnown)
    throw std::invalid_argument(unknown);
}
void requireKnown(SyncGroup group) {
  require(isSyncGroup(static_cast<std::uint8_t>(group)), "unknown sync group");
}
void requireKnown(Topology topology) { require(topology <= Topology::Torus, "unknown topology"); }
void requireKnown(ShareStage stage) {
  require(stage <= ShareStage::Failed, "unknown stage of a share");
}

template <class Value> void get(auto from, Value &value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    value = from;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value.assign(from.begin(), from.size());
  } else if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(from);
    requireKnown(value);
  } else if constexpr (std::is_same_v<Value, Cycles>) {
    value.value = from;
  } else if constexpr (std::is_same_v<Value, Status>) {
    value = read(from);
  } else if constexpr (kIsVector<Value>) {
    value.reserve(from.size());
    for (const auto item : from)
      get(item, value.emplace_back());
  } else if constexpr (kIsOptional<Value>) {
    if (from.size() > 0)
      get(from[0], value.emplace());
  } else {
    Members<Value>::visit(from, value);
  }
}

/// Visits a member of `message` with the name of its field in the schema.
#define FIELD(Name, member)                                                                        \
  if constexpr (std::is_const_v<Message>)                                                          \
    put(                                                                                           \
        message.member, schema, [](auto to, const auto &value) { to.set##Name(value); },           \
        [](auto to, auto... items) { return to.init##Name(items...); });                           \
  else                                                                                             \
    get(schema.get##Name(), message.member);

/// The FIELDs of a type.
#define MEMBERS(Type, ...)                                                                         \
  template <> struct Members<Type> {                                                               \
    template <class Schema, class Message> static void visit(Schema schema, Message &message) {    \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  };

MEMBERS(rows::BufferShape, FIELD(Handle, handle) FIELD(RowBytes, rowBytes) FIELD(Rows, rows))
MEMBERS(RowStore, FIELD(Endpoint, endpoint) FIELD(Name, name) FIELD(Buffers, buffers))
MEMBERS(GroupMembers, FIELD(Group, group) FIELD(Members, members))
MEMBERS(Trait, FIELD(Name, name) FIELD(Value, value))
MEMBERS(LinkTraffic,
        FIELD(Neighbour, neighbour) FIELD(PacketsSent, packetsSent) FIELD(BytesSent, bytesSent)
            FIELD(PacketsReceived, packetsReceived) FIELD(BytesReceived, bytesReceived)
                FIELD(Forwarded, forwarded) FIELD(Resent, resent) FIELD(Repeats, repeats)
                    FIELD(Refused, refused))
MEMBERS(Share,
        FIELD(Partition, partition) FIELD(First, first) FIELD(Number, number)
            FIELD(Replicas, replicas) FIELD(Ticket, ticket) FIELD(Stage, stage) FIELD(Epoch, epoch)
                FIELD(Tickets, tickets) FIELD(Traits, traits) FIELD(Links, links)
                    FIELD(Syncs, syncs) FIELD(Names, names) FIELD(Failure, failure))

/// Accesses a message's member of the schema's union.
template <class Message> struct InUnion;

/// Defines a message whose struct in the schema is Name.
// NOLINTBEGIN(bugprone-macro-parentheses): a type in a declaration has no parentheses
#define MESSAGE(Type, Kind, Name, ...)                                                             \
  MEMBERS(Type, __VA_ARGS__)                                                                       \
  template <> struct InUnion<Type> {                                                               \
    static constexpr Which kWhich = Which::Kind;                                                   \
    static void write(Builder root, const Type &from) {                                            \
      Members<Type>::visit(root.init##Name(), from);                                               \
    }                                                                                              \
    static void read(Reader root, Type &to) { Members<Type>::visit(root.get##Name(), to); }        \
  };

/// Defines a message whose only member is stored directly in the union.
#define SINGLE(Type, Kind, field)                                                                  \
  MEMBERS(Type, field)                                                                             \
  template <> struct InUnion<Type> {                                                               \
    static constexpr Which kWhich = Which::Kind;                                                   \
    static void write(Builder root, const Type &from) { Members<Type>::visit(root, from); }        \
    static void read(Reader root, Type &to) { Members<Type>::visit(root, to); }                    \
  };

/// Defines a message without members.
#define EMPTY(Type, Kind)                                                                          \
  template <> struct InUnion<Type> {                                                               \
    static constexpr Which kWhich = Which::Kind;                                                   \
    static void write(Builder root, const Type &) { root.set##Type(); }                            \
    static void read(Reader, Type &) {}                                                            \
  };
// NOLINTEND(bugprone-macro-parentheses)

#define TRANSFER FIELD(Number, number) FIELD(Exchange, exchange) FIELD(Index, index) FIELD(At, at)

// clang-format off: one message per line if there is room.
// In the order of the schema.
MESSAGE(Hello, HELLO, Hello, FIELD(HeartbeatMs, heartbeatMs) FIELD(Host, host) FIELD(Token, token))
MESSAGE(Configure, CONFIGURE, Configure,
        FIELD(Self, self) FIELD(Epoch, epoch) FIELD(Replica, replica) FIELD(Replicas, replicas)
            FIELD(IpusPerReplica, ipusPerReplica) FIELD(Topology, topology) FIELD(Links, links)
                FIELD(Syncs, syncs) FIELD(Groups, groups) FIELD(MachineModel, machineModel)
                    FIELD(Threads, threads) FIELD(SyncTimeoutMs, syncTimeoutMs)
                        FIELD(WorkerSeed, workerSeed) FIELD(Names, names) FIELD(RowStore, rowStore))
MESSAGE(ModuleQuery, MODULE_QUERY, ModuleQuery, FIELD(Sha256, sha256))
MESSAGE(ModuleBytes, MODULE_BYTES, ModuleBytes, FIELD(Sha256, sha256) FIELD(Name, name))
EMPTY(Load, LOAD)
MESSAGE(Run, RUN, Run,
        FIELD(Program, program) FIELD(Start, start) FIELD(Meets, meets) FIELD(Tells, tells)
            FIELD(Times, times) FIELD(ProgramTime, programTime))
SINGLE(Stop, STOP, FIELD(Stop, status))
MESSAGE(ViewRead, VIEW_READ, ViewRead, FIELD(View, view))
MESSAGE(ViewWrite, VIEW_WRITE, ViewWrite, FIELD(View, view))
MESSAGE(StreamRow, STREAM_ROW, StreamRow,
        FIELD(Stream, stream) FIELD(Sequence, sequence) FIELD(Prefetched, prefetched)
            FIELD(Taken, taken))
MESSAGE(StreamDrop, STREAM_DROP, StreamDrop, FIELD(Stream, stream))
MESSAGE(TransferTaken, TRANSFER_TAKEN, TransferTaken, FIELD(Rows, rows))
EMPTY(Rows, ROWS)
EMPTY(Welcome, WELCOME)
MESSAGE(ModuleNeeds, MODULE_NEEDS, ModuleNeeds, FIELD(Sha256, sha256))
MESSAGE(Done, DONE, Done,
        FIELD(Start, start) FIELD(End, end) FIELD(Gs1, gs1) FIELD(Gs2, gs2) FIELD(All, all)
            FIELD(EndOfAll, endOfAll))
EMPTY(View, VIEW)
MESSAGE(StreamRequest, STREAM_REQUEST, StreamRequest, TRANSFER)
MESSAGE(StreamTaken, STREAM_TAKEN, StreamTaken, TRANSFER)
MESSAGE(StreamWrite, STREAM_WRITE, StreamWrite, TRANSFER FIELD(TakenBefore, takenBefore))
MESSAGE(Print, PRINT, Print, TRANSFER)
MESSAGE(RowsRead, ROWS_READ, RowsRead, FIELD(Copy, copy) FIELD(Rows, rows))
MESSAGE(RowsWrite, ROWS_WRITE, RowsWrite, FIELD(Copy, copy) FIELD(Rows, rows))
EMPTY(Ok, OK)
SINGLE(Fault, FAULT, FIELD(Fault, status))
EMPTY(Heartbeat, HEARTBEAT)
EMPTY(LinkQuery, LINK_QUERY)
SINGLE(Links, LINKS, FIELD(Links, links))
MESSAGE(Waiting, WAITING, Waiting, FIELD(Group, group) FIELD(Point, point) FIELD(Where, where))
EMPTY(Detach, DETACH)
EMPTY(Inspect, INSPECT)
MESSAGE(State, STATE, State,
        FIELD(Pid, pid) FIELD(Holder, holder) FIELD(Sessions, sessions) FIELD(Running, running)
            FIELD(Links, links) FIELD(Heard, heard) FIELD(Share, share) FIELD(Runs, runs)
                FIELD(Steps, steps) FIELD(ModelledCycles, modelledCycles)
                    FIELD(BytesFromHost, bytesFromHost) FIELD(BytesToHost, bytesToHost))
SINGLE(Ending, ENDING, FIELD(Ending, status))
EMPTY(Reset, RESET)
EMPTY(ResetMemory, RESET_MEMORY)
MESSAGE(InjectError, INJECT_ERROR, InjectError, FIELD(Tile, tile) FIELD(Address, address))
EMPTY(CyclesQuery, CYCLES_QUERY)
SINGLE(VertexCycles, VERTEX_CYCLES, FIELD(VertexCycles, computeSets))
SINGLE(Announce, ANNOUNCE, FIELD(Announce, share))
MESSAGE(Progress, PROGRESS, Progress,
        FIELD(Steps, steps) FIELD(Now, now) FIELD(Trip, trip) FIELD(Trips, trips))
EMPTY(TimesQuery, TIMES_QUERY)
SINGLE(StepTimes, STEP_TIMES, FIELD(StepTimes, complete))
EMPTY(Piece, PIECE)
MESSAGE(Began, BEGAN, Began, FIELD(Start, start) FIELD(ProgramTime, programTime))
// clang-format on

#undef TRANSFER
#undef EMPTY
#undef SINGLE
#undef MESSAGE
#undef MEMBERS
#undef FIELD

// Any message.

/// Tries the kinds of message from number \p I on.
template <std::size_t I = 0> Result<Body> decodeBody(Reader root, Which which) {
  if constexpr (I == std::variant_size_v<Body>) {
    return Status{Code::BadFrame, "bad session header: a message that this build does not know"};
  } else {
    using Message = std::variant_alternative_t<I, Body>;
    if (which != InUnion<Message>::kWhich)
      return decodeBody<I + 1>(root, which);
    Message message;
    InUnion<Message>::read(root, message);
    return Body{std::move(message)};
  }
}

} // namespace

std::vector<std::byte> encode(const Header &header) {
  // Most headers fit into this buffer; for larger ones the builder allocates.
  std::array<capnp::word, 64> scratch{};
  capnp::MallocMessageBuilder message(kj::arrayPtr(scratch.data(), scratch.size()));
  auto root = message.initRoot<session_schema::SessionMessage>();
  root.setVersion(kVersion);
  root.setRequest(header.request);
  root.setInPieces(header.inPieces);
  auto frames = root.initFrames(static_cast<unsigned>(header.frames.size()));
  for (unsigned i = 0; i < frames.size(); ++i)
    frames.set(i, header.frames[i]);
  std::visit(
      [&root](const auto &body) { InUnion<std::decay_t<decltype(body)>>::write(root, body); },
      header.body);
  return flatten(message);
}

Result<Header> decode(std::span<const std::byte> frame) {
  if (frame.size() > kMaxHeaderBytes)
    return Status{Code::BadFrame,
                  "bad session header: " + std::to_string(frame.size()) + " bytes are too many"};
  // Each part is visited a few times at most. Lists of voids, which cost no bytes, do not occur in
  // the schema.
  const std::uint64_t words = 8 * frame.size() / sizeof(capnp::word) + 64;
  return readFrame("session header", frame, words,
                   [](capnp::MessageReader &reader) -> Result<Header> {
                     const auto root = reader.getRoot<session_schema::SessionMessage>();
                     if (root.getVersion() != kVersion)
                       return Status{Code::BadFrame, "session protocol version " +
                                                         std::to_string(root.getVersion()) +
                                                         " is not " + std::to_string(kVersion)};
                     if (root.getFrames().size() > kMaxFrames)
                       return Status{Code::BadFrame, "bad session header: too many raw frames"};
                     auto body = decodeBody(root, root.which());
                     if (!body)
                       return body.status();
                     Header header{root.getRequest(), {}, std::move(*body), root.getInPieces()};
                     get(root.getFrames(), header.frames);
                     return header;
                   });
}

} // namespace copse::wire::session
