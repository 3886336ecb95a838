#include "wire/session.hpp"

#include "frame_reader.hpp"
#include "schema/session.capnp.h"
#include "shape_codec.hpp"
#include "status_codec.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace copse::wire::session {
namespace {

using Builder = session_schema::SessionMessage::Builder;
using Reader = session_schema::SessionMessage::Reader;
using Which = session_schema::SessionMessage::Which;

// Lists and texts.

void encode(capnp::List<capnp::Text>::Builder to, const std::vector<std::string> &texts) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    to.set(static_cast<unsigned>(i), texts[i].c_str());
}

template <class List, class T> void encodeNumbers(List to, const std::vector<T> &numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    to.set(static_cast<unsigned>(i), numbers[i]);
}

unsigned countOf(const auto &list) { return static_cast<unsigned>(list.size()); }

std::string text(capnp::Text::Reader from) { return {from.begin(), from.size()}; }

std::vector<std::string> texts(capnp::List<capnp::Text>::Reader from) {
  std::vector<std::string> all;
  all.reserve(from.size());
  for (const auto one : from)
    all.push_back(text(one));
  return all;
}

template <class T, class List> std::vector<T> numbers(List from) {
  std::vector<T> all;
  all.reserve(from.size());
  for (const auto one : from)
    all.push_back(one);
  return all;
}

// Parts of messages. What throws here is a bad header: readFrame() says so.

SyncGroup groupOf(std::uint8_t number) {
  if (!isSyncGroup(number))
    throw std::invalid_argument("unknown sync group");
  return static_cast<SyncGroup>(number);
}

Topology topologyOf(std::uint8_t number) {
  if (number > static_cast<std::uint8_t>(Topology::Torus))
    throw std::invalid_argument("unknown topology");
  return static_cast<Topology>(number);
}

void encode(session_schema::RowStore::Builder to, const RowStore &from) {
  to.setEndpoint(from.endpoint);
  to.setName(from.name);
  writeShapes(to.initBuffers(countOf(from.buffers)), from.buffers);
}

RowStore decode(session_schema::RowStore::Reader from) {
  return {text(from.getEndpoint()), text(from.getName()), readShapes(from.getBuffers())};
}

void encode(capnp::List<session_schema::Group>::Builder to, const std::vector<GroupMembers> &from) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setGroup(static_cast<std::uint8_t>(from[i].group));
    encodeNumbers(to[i].initMembers(countOf(from[i].members)), from[i].members);
  }
}

std::vector<GroupMembers> decode(capnp::List<session_schema::Group>::Reader from) {
  std::vector<GroupMembers> groups;
  for (const auto group : from)
    groups.push_back({groupOf(group.getGroup()), numbers<std::uint32_t>(group.getMembers())});
  return groups;
}

void encode(capnp::List<session_schema::Link>::Builder to, const std::vector<LinkTraffic> &links) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setNeighbour(links[i].neighbour);
    to[i].setPacketsSent(links[i].packetsSent);
    to[i].setBytesSent(links[i].bytesSent);
    to[i].setPacketsReceived(links[i].packetsReceived);
    to[i].setBytesReceived(links[i].bytesReceived);
    to[i].setForwarded(links[i].forwarded);
    to[i].setResent(links[i].resent);
    to[i].setRepeats(links[i].repeats);
    to[i].setRefused(links[i].refused);
  }
}

std::vector<LinkTraffic> decode(capnp::List<session_schema::Link>::Reader from) {
  std::vector<LinkTraffic> links;
  for (const auto link : from)
    links.push_back({link.getNeighbour(), link.getPacketsSent(), link.getBytesSent(),
                     link.getPacketsReceived(), link.getBytesReceived(), link.getForwarded(),
                     link.getResent(), link.getRepeats(), link.getRefused()});
  return links;
}

ShareStage stageOf(std::uint8_t number) {
  if (number > static_cast<std::uint8_t>(ShareStage::Failed))
    throw std::invalid_argument("unknown stage of a share");
  return static_cast<ShareStage>(number);
}

void encode(session_schema::Share::Builder to, const Share &from) {
  to.setPartition(from.partition);
  to.setFirst(from.first);
  to.setNumber(from.number);
  to.setReplicas(from.replicas);
  to.setTicket(from.ticket);
  to.setStage(static_cast<std::uint8_t>(from.stage));
  to.setEpoch(from.epoch);
  encodeNumbers(to.initTickets(countOf(from.tickets)), from.tickets);
  auto traits = to.initTraits(countOf(from.traits));
  for (unsigned i = 0; i < traits.size(); ++i) {
    traits[i].setName(from.traits[i].name);
    traits[i].setValue(from.traits[i].value);
  }
  encode(to.initLinks(countOf(from.links)), from.links);
  encode(to.initSyncs(countOf(from.syncs)), from.syncs);
  encode(to.initNames(countOf(from.names)), from.names);
  write(to.initFailure(), from.failure);
}

Share decode(session_schema::Share::Reader from) {
  Share share;
  share.partition = text(from.getPartition());
  share.first = from.getFirst();
  share.number = from.getNumber();
  share.replicas = from.getReplicas();
  share.ticket = from.getTicket();
  share.stage = stageOf(from.getStage());
  share.epoch = from.getEpoch();
  share.tickets = numbers<std::uint64_t>(from.getTickets());
  for (const auto trait : from.getTraits())
    share.traits.push_back({text(trait.getName()), text(trait.getValue())});
  share.links = texts(from.getLinks());
  share.syncs = texts(from.getSyncs());
  share.names = texts(from.getNames());
  share.failure = read(from.getFailure());
  return share;
}

/// Schema structs that begin as Transfer does.
template <class To> void encodeTransfer(To to, const Transfer &from) {
  to.setNumber(from.number);
  to.setExchange(from.exchange);
  to.setIndex(from.index);
}

template <class From> Transfer decodeTransfer(From from) {
  return {from.getNumber(), from.getExchange(), from.getIndex()};
}

template <class Message> void encodeRows(session_schema::Rows::Builder to, const Message &from) {
  to.setCopy(from.copy);
  encodeNumbers(to.initRows(countOf(from.rows)), from.rows);
}

template <class Message> Message decodeRows(session_schema::Rows::Reader from) {
  return {from.getCopy(), numbers<std::uint32_t>(from.getRows())};
}

// Messages, in the order of the schema: kWhich, encode() and decode() of each.

/// Nothing to compare with, for a message that has none of its own below.
template <class Message> constexpr auto kWhich = nullptr;

/// A message without fields is all in its Which.
template <class Message>
  requires std::is_empty_v<Message>
void decode(Reader, Message &) {}

template <> constexpr Which kWhich<Hello> = Which::HELLO;
void encode(Builder root, const Hello &from) {
  auto to = root.initHello();
  to.setHeartbeatMs(from.heartbeatMs);
  to.setHost(from.host);
  to.setToken(from.token);
}
void decode(Reader root, Hello &to) {
  const auto from = root.getHello();
  to = {from.getHeartbeatMs(), text(from.getHost()), from.getToken()};
}

template <> constexpr Which kWhich<Configure> = Which::CONFIGURE;
void encode(Builder root, const Configure &from) {
  auto to = root.initConfigure();
  to.setSelf(from.self);
  to.setEpoch(from.epoch);
  to.setReplica(from.replica);
  to.setReplicas(from.replicas);
  to.setIpusPerReplica(from.ipusPerReplica);
  to.setTopology(static_cast<std::uint8_t>(from.topology));
  encode(to.initLinks(countOf(from.links)), from.links);
  encode(to.initSyncs(countOf(from.syncs)), from.syncs);
  encode(to.initGroups(countOf(from.groups)), from.groups);
  to.setMachineModel(from.machineModel);
  to.setThreads(from.threads);
  to.setSyncTimeoutMs(from.syncTimeoutMs);
  to.setWorkerSeed(from.workerSeed);
  encode(to.initNames(countOf(from.names)), from.names);
  encode(to.initRowStore(), from.rowStore);
}
void decode(Reader root, Configure &to) {
  const auto from = root.getConfigure();
  to.self = from.getSelf();
  to.epoch = from.getEpoch();
  to.replica = from.getReplica();
  to.replicas = from.getReplicas();
  to.ipusPerReplica = from.getIpusPerReplica();
  to.topology = topologyOf(from.getTopology());
  to.links = texts(from.getLinks());
  to.syncs = texts(from.getSyncs());
  to.groups = decode(from.getGroups());
  to.machineModel = text(from.getMachineModel());
  to.threads = from.getThreads();
  to.syncTimeoutMs = from.getSyncTimeoutMs();
  to.workerSeed = from.getWorkerSeed();
  to.names = texts(from.getNames());
  to.rowStore = decode(from.getRowStore());
}

template <> constexpr Which kWhich<ModuleQuery> = Which::MODULE_QUERY;
void encode(Builder root, const ModuleQuery &from) {
  encode(root.initModuleQuery().initSha256(countOf(from.sha256)), from.sha256);
}
void decode(Reader root, ModuleQuery &to) { to.sha256 = texts(root.getModuleQuery().getSha256()); }

template <> constexpr Which kWhich<ModuleBytes> = Which::MODULE_BYTES;
void encode(Builder root, const ModuleBytes &from) {
  auto to = root.initModuleBytes();
  to.setSha256(from.sha256);
  to.setName(from.name);
}
void decode(Reader root, ModuleBytes &to) {
  const auto from = root.getModuleBytes();
  to = {text(from.getSha256()), text(from.getName())};
}

template <> constexpr Which kWhich<Load> = Which::LOAD;
void encode(Builder root, const Load &) { root.setLoad(); }

template <> constexpr Which kWhich<Run> = Which::RUN;
void encode(Builder root, const Run &from) {
  auto to = root.initRun();
  to.setProgram(from.program);
  to.setStart(from.start.value);
  to.setMeets(from.meets);
  to.setTells(from.tells);
  to.setTimes(from.times);
}
void decode(Reader root, Run &to) {
  const auto from = root.getRun();
  to = {from.getProgram(), {from.getStart()}, from.getMeets(), from.getTells(), from.getTimes()};
}

template <> constexpr Which kWhich<Stop> = Which::STOP;
void encode(Builder root, const Stop &from) { write(root.initStop(), from.status); }
void decode(Reader root, Stop &to) { to.status = read(root.getStop()); }

template <> constexpr Which kWhich<ViewRead> = Which::VIEW_READ;
void encode(Builder root, const ViewRead &from) { root.initViewRead().setView(from.view); }
void decode(Reader root, ViewRead &to) { to.view = root.getViewRead().getView(); }

template <> constexpr Which kWhich<ViewWrite> = Which::VIEW_WRITE;
void encode(Builder root, const ViewWrite &from) { root.initViewWrite().setView(from.view); }
void decode(Reader root, ViewWrite &to) { to.view = root.getViewWrite().getView(); }

template <> constexpr Which kWhich<StreamRow> = Which::STREAM_ROW;
void encode(Builder root, const StreamRow &from) {
  auto to = root.initStreamRow();
  to.setStream(from.stream);
  to.setSequence(from.sequence);
  to.setPrefetched(from.prefetched);
  to.setTaken(from.taken);
}
void decode(Reader root, StreamRow &to) {
  const auto from = root.getStreamRow();
  to = {from.getStream(), from.getSequence(), from.getPrefetched(), from.getTaken()};
}

template <> constexpr Which kWhich<StreamDrop> = Which::STREAM_DROP;
void encode(Builder root, const StreamDrop &from) { root.initStreamDrop().setStream(from.stream); }
void decode(Reader root, StreamDrop &to) { to.stream = root.getStreamDrop().getStream(); }

template <> constexpr Which kWhich<TransferTaken> = Which::TRANSFER_TAKEN;
void encode(Builder root, const TransferTaken &from) {
  root.initTransferTaken().setRows(from.rows);
}
void decode(Reader root, TransferTaken &to) { to.rows = root.getTransferTaken().getRows(); }

template <> constexpr Which kWhich<Rows> = Which::ROWS;
void encode(Builder root, const Rows &) { root.setRows(); }

template <> constexpr Which kWhich<Welcome> = Which::WELCOME;
void encode(Builder root, const Welcome &) { root.setWelcome(); }

template <> constexpr Which kWhich<ModuleNeeds> = Which::MODULE_NEEDS;
void encode(Builder root, const ModuleNeeds &from) {
  encode(root.initModuleNeeds().initSha256(countOf(from.sha256)), from.sha256);
}
void decode(Reader root, ModuleNeeds &to) { to.sha256 = texts(root.getModuleNeeds().getSha256()); }

template <> constexpr Which kWhich<Done> = Which::DONE;
void encode(Builder root, const Done &from) {
  auto to = root.initDone();
  to.setStart(from.start.value);
  to.setEnd(from.end.value);
  to.setGs1(from.gs1);
  to.setGs2(from.gs2);
  to.setAll(from.all);
}
void decode(Reader root, Done &to) {
  const auto from = root.getDone();
  to = {{from.getStart()}, {from.getEnd()}, from.getGs1(), from.getGs2(), from.getAll()};
}

template <> constexpr Which kWhich<View> = Which::VIEW;
void encode(Builder root, const View &) { root.setView(); }

template <> constexpr Which kWhich<StreamRequest> = Which::STREAM_REQUEST;
void encode(Builder root, const StreamRequest &from) {
  encodeTransfer(root.initStreamRequest(), from);
}
void decode(Reader root, StreamRequest &to) { to = {decodeTransfer(root.getStreamRequest())}; }

template <> constexpr Which kWhich<StreamTaken> = Which::STREAM_TAKEN;
void encode(Builder root, const StreamTaken &from) { encodeTransfer(root.initStreamTaken(), from); }
void decode(Reader root, StreamTaken &to) { to = {decodeTransfer(root.getStreamTaken())}; }

template <> constexpr Which kWhich<StreamWrite> = Which::STREAM_WRITE;
void encode(Builder root, const StreamWrite &from) {
  auto to = root.initStreamWrite();
  encodeTransfer(to, from);
  to.setTakenBefore(from.takenBefore);
}
void decode(Reader root, StreamWrite &to) {
  const auto from = root.getStreamWrite();
  to = {decodeTransfer(from), from.getTakenBefore()};
}

template <> constexpr Which kWhich<Print> = Which::PRINT;
void encode(Builder root, const Print &from) { encodeTransfer(root.initPrint(), from); }
void decode(Reader root, Print &to) { to = {decodeTransfer(root.getPrint())}; }

template <> constexpr Which kWhich<RowsRead> = Which::ROWS_READ;
void encode(Builder root, const RowsRead &from) { encodeRows(root.initRowsRead(), from); }
void decode(Reader root, RowsRead &to) { to = decodeRows<RowsRead>(root.getRowsRead()); }

template <> constexpr Which kWhich<RowsWrite> = Which::ROWS_WRITE;
void encode(Builder root, const RowsWrite &from) { encodeRows(root.initRowsWrite(), from); }
void decode(Reader root, RowsWrite &to) { to = decodeRows<RowsWrite>(root.getRowsWrite()); }

template <> constexpr Which kWhich<Ok> = Which::OK;
void encode(Builder root, const Ok &) { root.setOk(); }

template <> constexpr Which kWhich<Fault> = Which::FAULT;
void encode(Builder root, const Fault &from) { write(root.initFault(), from.status); }
void decode(Reader root, Fault &to) { to.status = read(root.getFault()); }

template <> constexpr Which kWhich<Heartbeat> = Which::HEARTBEAT;
void encode(Builder root, const Heartbeat &) { root.setHeartbeat(); }

template <> constexpr Which kWhich<LinkQuery> = Which::LINK_QUERY;
void encode(Builder root, const LinkQuery &) { root.setLinkQuery(); }

template <> constexpr Which kWhich<Links> = Which::LINKS;
void encode(Builder root, const Links &from) {
  encode(root.initLinks(countOf(from.links)), from.links);
}
void decode(Reader root, Links &to) { to.links = decode(root.getLinks()); }

template <> constexpr Which kWhich<Waiting> = Which::WAITING;
void encode(Builder root, const Waiting &from) {
  auto to = root.initWaiting();
  to.setGroup(static_cast<std::uint8_t>(from.group));
  to.setPoint(from.point);
  to.setWhere(from.where);
}
void decode(Reader root, Waiting &to) {
  const auto from = root.getWaiting();
  to = {groupOf(from.getGroup()), from.getPoint(), text(from.getWhere())};
}

template <> constexpr Which kWhich<Detach> = Which::DETACH;
void encode(Builder root, const Detach &) { root.setDetach(); }

template <> constexpr Which kWhich<Inspect> = Which::INSPECT;
void encode(Builder root, const Inspect &) { root.setInspect(); }

template <> constexpr Which kWhich<State> = Which::STATE;
void encode(Builder root, const State &from) {
  auto to = root.initState();
  to.setPid(from.pid);
  to.setHolder(from.holder);
  to.setSessions(from.sessions);
  to.setRunning(from.running);
  encode(to.initLinks(countOf(from.links)), from.links);
  to.setHeard(from.heard);
  to.setRuns(from.runs);
  to.setSteps(from.steps);
  to.setModelledCycles(from.modelledCycles);
  to.setBytesFromHost(from.bytesFromHost);
  to.setBytesToHost(from.bytesToHost);
  if (from.share)
    encode(to.initShare(1)[0], *from.share);
}
void decode(Reader root, State &to) {
  const auto from = root.getState();
  to.pid = from.getPid();
  to.holder = text(from.getHolder());
  to.sessions = from.getSessions();
  to.running = from.getRunning();
  to.links = decode(from.getLinks());
  to.heard = from.getHeard();
  to.runs = from.getRuns();
  to.steps = from.getSteps();
  to.modelledCycles = from.getModelledCycles();
  to.bytesFromHost = from.getBytesFromHost();
  to.bytesToHost = from.getBytesToHost();
  if (from.getShare().size() > 0)
    to.share = decode(from.getShare()[0]);
}

template <> constexpr Which kWhich<Ending> = Which::ENDING;
void encode(Builder root, const Ending &from) { write(root.initEnding(), from.status); }
void decode(Reader root, Ending &to) { to.status = read(root.getEnding()); }

template <> constexpr Which kWhich<Reset> = Which::RESET;
void encode(Builder root, const Reset &) { root.setReset(); }

template <> constexpr Which kWhich<ResetMemory> = Which::RESET_MEMORY;
void encode(Builder root, const ResetMemory &) { root.setResetMemory(); }

template <> constexpr Which kWhich<InjectError> = Which::INJECT_ERROR;
void encode(Builder root, const InjectError &from) {
  auto to = root.initInjectError();
  to.setTile(from.tile);
  to.setAddress(from.address);
}
void decode(Reader root, InjectError &to) {
  const auto from = root.getInjectError();
  to = {from.getTile(), from.getAddress()};
}

template <> constexpr Which kWhich<CyclesQuery> = Which::CYCLES_QUERY;
void encode(Builder root, const CyclesQuery &) { root.setCyclesQuery(); }

template <> constexpr Which kWhich<VertexCycles> = Which::VERTEX_CYCLES;
void encode(Builder root, const VertexCycles &from) {
  encodeNumbers(root.initVertexCycles(countOf(from.computeSets)), from.computeSets);
}
void decode(Reader root, VertexCycles &to) {
  to.computeSets = numbers<std::uint32_t>(root.getVertexCycles());
}

template <> constexpr Which kWhich<TimesQuery> = Which::TIMES_QUERY;
void encode(Builder root, const TimesQuery &) { root.setTimesQuery(); }

template <> constexpr Which kWhich<StepTimes> = Which::STEP_TIMES;
void encode(Builder root, const StepTimes &from) { root.setStepTimes(from.complete); }
void decode(Reader root, StepTimes &to) { to.complete = root.getStepTimes(); }

template <> constexpr Which kWhich<Announce> = Which::ANNOUNCE;
void encode(Builder root, const Announce &from) { encode(root.initAnnounce(), from.share); }
void decode(Reader root, Announce &to) { to.share = decode(root.getAnnounce()); }

template <> constexpr Which kWhich<Progress> = Which::PROGRESS;
void encode(Builder root, const Progress &from) {
  auto to = root.initProgress();
  to.setSteps(from.steps);
  to.setNow(from.now.value);
  to.setTrip(from.trip);
  to.setTrips(from.trips);
}
void decode(Reader root, Progress &to) {
  const auto from = root.getProgress();
  to = {from.getSteps(), {from.getNow()}, from.getTrip(), from.getTrips()};
}

// Any message.

/// Tries the kinds of message from number \p I on.
template <std::size_t I = 0> Result<Body> decodeBody(Reader root, Which which) {
  if constexpr (I == std::variant_size_v<Body>) {
    return Status{Code::BadFrame, "bad session header: a message that this build does not know"};
  } else {
    using Message = std::variant_alternative_t<I, Body>;
    if (which != kWhich<Message>)
      return decodeBody<I + 1>(root, which);
    Message message;
    decode(root, message);
    return Body{std::move(message)};
  }
}

} // namespace

std::vector<std::byte> encode(const Header &header) {
  // Most headers fit into this; for all others the builder allocates.
  std::array<capnp::word, 64> scratch{};
  capnp::MallocMessageBuilder message(kj::arrayPtr(scratch.data(), scratch.size()));
  auto root = message.initRoot<session_schema::SessionMessage>();
  root.setVersion(kVersion);
  root.setRequest(header.request);
  encodeNumbers(root.initFrames(countOf(header.frames)), header.frames);
  std::visit([&root](const auto &body) { encode(root, body); }, header.body);
  return flatten(message);
}

Result<Header> decode(std::span<const std::byte> frame) {
  if (frame.size() > kMaxHeaderBytes)
    return Status{Code::BadFrame,
                  "bad session header: " + std::to_string(frame.size()) + " bytes are too many"};
  // Each part is visited a few times at most; lists of voids cost no bytes, but we have none.
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
                     return Header{root.getRequest(), numbers<std::uint64_t>(root.getFrames()),
                                   std::move(*body)};
                   });
}

} // namespace copse::wire::session
