#include "wire/session.hpp"

#include "frame_reader.hpp"
#include "schema/session.capnp.h"
#include "shape_codec.hpp"
#include "status_codec.hpp"

#include <algorithm>
#include <array>

namespace copse::wire::session {
namespace {

namespace schema = copse::wire::session_schema;

template <class... Cases> struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

// Lists and texts.

void writeTexts(capnp::List<capnp::Text>::Builder to, const std::vector<std::string> &texts) {
  for (std::size_t i = 0; i < texts.size(); ++i)
    to.set(static_cast<unsigned>(i), texts[i].c_str());
}

template <class List, class T> void writeNumbers(List to, const std::vector<T> &numbers) {
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

// Message by message.

void writeRowStore(schema::RowStore::Builder to, const RowStore &from) {
  to.setEndpoint(from.endpoint);
  to.setName(from.name);
  writeShapes(to.initBuffers(countOf(from.buffers)), from.buffers);
}

RowStore readRowStore(schema::RowStore::Reader from) {
  return {text(from.getEndpoint()), text(from.getName()), readShapes(from.getBuffers())};
}

void writeConfigure(schema::Configure::Builder to, const Configure &from) {
  to.setSelf(from.self);
  to.setEpoch(from.epoch);
  to.setReplica(from.replica);
  to.setReplicas(from.replicas);
  to.setIpusPerReplica(from.ipusPerReplica);
  to.setTopology(static_cast<std::uint8_t>(from.topology));
  writeTexts(to.initLinks(countOf(from.links)), from.links);
  writeTexts(to.initSyncs(countOf(from.syncs)), from.syncs);
  auto groups = to.initGroups(countOf(from.groups));
  for (unsigned i = 0; i < groups.size(); ++i) {
    groups[i].setGroup(static_cast<std::uint8_t>(from.groups[i].group));
    writeNumbers(groups[i].initMembers(countOf(from.groups[i].members)), from.groups[i].members);
  }
  to.setMachineModel(from.machineModel);
  to.setThreads(from.threads);
  to.setSyncTimeoutMs(from.syncTimeoutMs);
  to.setWorkerSeed(from.workerSeed);
  writeTexts(to.initNames(countOf(from.names)), from.names);
  writeRowStore(to.initRowStore(), from.rowStore);
}

Result<Configure> readConfigure(schema::Configure::Reader from) {
  Configure to;
  to.self = from.getSelf();
  to.epoch = from.getEpoch();
  to.replica = from.getReplica();
  to.replicas = from.getReplicas();
  to.ipusPerReplica = from.getIpusPerReplica();
  if (from.getTopology() > static_cast<std::uint8_t>(Topology::Torus))
    return Status{Code::BadFrame, "bad session header: unknown topology"};
  to.topology = static_cast<Topology>(from.getTopology());
  to.links = texts(from.getLinks());
  to.syncs = texts(from.getSyncs());
  for (const auto group : from.getGroups()) {
    if (!isSyncGroup(group.getGroup()))
      return Status{Code::BadFrame, "bad session header: unknown sync group"};
    to.groups.push_back(
        {static_cast<SyncGroup>(group.getGroup()), numbers<std::uint32_t>(group.getMembers())});
  }
  to.machineModel = text(from.getMachineModel());
  to.threads = from.getThreads();
  to.syncTimeoutMs = from.getSyncTimeoutMs();
  to.workerSeed = from.getWorkerSeed();
  to.names = texts(from.getNames());
  to.rowStore = readRowStore(from.getRowStore());
  return to;
}

void writeTransfer(schema::Transfer::Builder to, const Transfer &from) {
  to.setNumber(from.number);
  to.setExchange(from.exchange);
  to.setIndex(from.index);
}

Transfer readTransfer(schema::Transfer::Reader from) {
  return {from.getNumber(), from.getExchange(), from.getIndex()};
}

void writeRows(schema::Rows::Builder to, std::uint32_t copy,
               const std::vector<std::uint32_t> &rows) {
  to.setCopy(copy);
  writeNumbers(to.initRows(countOf(rows)), rows);
}

void writeLinks(capnp::List<schema::Link>::Builder to, const std::vector<LinkTraffic> &links) {
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

std::vector<LinkTraffic> readLinks(capnp::List<schema::Link>::Reader from) {
  std::vector<LinkTraffic> links;
  for (const auto link : from)
    links.push_back({link.getNeighbour(), link.getPacketsSent(), link.getBytesSent(),
                     link.getPacketsReceived(), link.getBytesReceived(), link.getForwarded(),
                     link.getResent(), link.getRepeats(), link.getRefused()});
  return links;
}

void writeBody(schema::SessionMessage::Builder to, const Body &body) {
  std::visit(Overloaded{
                 [&](const Heartbeat &) { to.setHeartbeat(); },
                 [&](const Hello &m) {
                   auto hello = to.initHello();
                   hello.setHeartbeatMs(m.heartbeatMs);
                   hello.setHost(m.host);
                   hello.setToken(m.token);
                 },
                 [&](const Configure &m) { writeConfigure(to.initConfigure(), m); },
                 [&](const ModuleQuery &m) {
                   writeTexts(to.initModuleQuery().initSha256(countOf(m.sha256)), m.sha256);
                 },
                 [&](const ModuleBytes &m) {
                   auto module = to.initModuleBytes();
                   module.setSha256(m.sha256);
                   module.setName(m.name);
                 },
                 [&](const Load &) { to.setLoad(); },
                 [&](const Run &m) {
                   auto run = to.initRun();
                   run.setProgram(m.program);
                   run.setStart(m.start.value);
                 },
                 [&](const Stop &m) { write(to.initStop(), m.status); },
                 [&](const ViewRead &m) { to.initViewRead().setView(m.view); },
                 [&](const ViewWrite &m) { to.initViewWrite().setView(m.view); },
                 [&](const StreamRow &m) {
                   auto row = to.initStreamRow();
                   row.setStream(m.stream);
                   row.setSequence(m.sequence);
                   row.setPrefetched(m.prefetched);
                   row.setTaken(m.taken);
                 },
                 [&](const StreamDrop &m) { to.initStreamDrop().setStream(m.stream); },
                 [&](const TransferTaken &m) {
                   auto taken = to.initTransferTaken();
                   taken.setNumber(m.number);
                   taken.setRows(m.rows);
                 },
                 [&](const Rows &) { to.setRows(); },
                 [&](const Welcome &m) {
                   auto welcome = to.initWelcome();
                   welcome.setPid(m.pid);
                   welcome.setCpuLevel(m.cpuLevel);
                   welcome.setLink(m.link);
                   welcome.setSync(m.sync);
                 },
                 [&](const ModuleNeeds &m) {
                   writeTexts(to.initModuleNeeds().initSha256(countOf(m.sha256)), m.sha256);
                 },
                 [&](const Done &m) {
                   auto report = to.initDone();
                   report.setStart(m.start.value);
                   report.setEnd(m.end.value);
                   report.setSteps(m.steps);
                   report.setVertices(m.vertices);
                   report.setGs1(m.gs1);
                   report.setGs2(m.gs2);
                   report.setAll(m.all);
                 },
                 [&](const View &) { to.setView(); },
                 [&](const StreamRequest &m) { writeTransfer(to.initStreamRequest(), m); },
                 [&](const StreamTaken &m) { writeTransfer(to.initStreamTaken(), m); },
                 [&](const StreamWrite &m) {
                   auto write = to.initStreamWrite();
                   writeTransfer(write, m);
                   write.setTakenBefore(m.takenBefore);
                 },
                 [&](const Print &m) { writeTransfer(to.initPrint(), m); },
                 [&](const RowsRead &m) { writeRows(to.initRowsRead(), m.copy, m.rows); },
                 [&](const RowsWrite &m) { writeRows(to.initRowsWrite(), m.copy, m.rows); },
                 [&](const Ok &) { to.setOk(); },
                 [&](const Fault &m) { write(to.initFault(), m.status); },
                 [&](const LinkQuery &) { to.setLinkQuery(); },
                 [&](const Links &m) { writeLinks(to.initLinks(countOf(m.links)), m.links); },
                 [&](const Waiting &m) {
                   auto waiting = to.initWaiting();
                   waiting.setGroup(static_cast<std::uint8_t>(m.group));
                   waiting.setPoint(m.point);
                   waiting.setWhere(m.where);
                 },
                 [&](const Detach &) { to.setDetach(); },
                 [&](const Inspect &) { to.setInspect(); },
                 [&](const Reset &) { to.setReset(); },
                 [&](const ResetMemory &) { to.setResetMemory(); },
                 [&](const InjectError &m) {
                   auto word = to.initInjectError();
                   word.setTile(m.tile);
                   word.setAddress(m.address);
                 },
                 [&](const Ending &m) { write(to.initEnding(), m.status); },
                 [&](const State &m) {
                   auto state = to.initState();
                   state.setPid(m.pid);
                   state.setHolder(m.holder);
                   state.setSessions(m.sessions);
                   state.setRunning(m.running);
                   writeLinks(state.initLinks(countOf(m.links)), m.links);
                 },
             },
             body);
}

Result<Body> readBody(schema::SessionMessage::Reader from) {
  using Which = schema::SessionMessage::Which;
  switch (from.which()) {
  case Which::HELLO:
    return Body{Hello{from.getHello().getHeartbeatMs(), text(from.getHello().getHost()),
                      from.getHello().getToken()}};
  case Which::CONFIGURE: {
    auto configure = readConfigure(from.getConfigure());
    if (!configure)
      return configure.status();
    return Body{std::move(*configure)};
  }
  case Which::MODULE_QUERY:
    return Body{ModuleQuery{texts(from.getModuleQuery().getSha256())}};
  case Which::MODULE_BYTES:
    return Body{ModuleBytes{text(from.getModuleBytes().getSha256()),
                            text(from.getModuleBytes().getName())}};
  case Which::LOAD:
    return Body{Load{}};
  case Which::RUN:
    return Body{Run{from.getRun().getProgram(), {from.getRun().getStart()}}};
  case Which::STOP:
    return Body{Stop{read(from.getStop())}};
  case Which::VIEW_READ:
    return Body{ViewRead{from.getViewRead().getView()}};
  case Which::VIEW_WRITE:
    return Body{ViewWrite{from.getViewWrite().getView()}};
  case Which::STREAM_ROW: {
    const auto row = from.getStreamRow();
    return Body{StreamRow{row.getStream(), row.getSequence(), row.getPrefetched(), row.getTaken()}};
  }
  case Which::STREAM_DROP:
    return Body{StreamDrop{from.getStreamDrop().getStream()}};
  case Which::TRANSFER_TAKEN:
    return Body{
        TransferTaken{from.getTransferTaken().getNumber(), from.getTransferTaken().getRows()}};
  case Which::ROWS:
    return Body{Rows{}};
  case Which::WELCOME: {
    const auto welcome = from.getWelcome();
    return Body{Welcome{welcome.getPid(), text(welcome.getCpuLevel()), text(welcome.getLink()),
                        text(welcome.getSync())}};
  }
  case Which::MODULE_NEEDS:
    return Body{ModuleNeeds{texts(from.getModuleNeeds().getSha256())}};
  case Which::DONE: {
    const auto report = from.getDone();
    return Body{Done{{report.getStart()},
                     {report.getEnd()},
                     report.getSteps(),
                     report.getVertices(),
                     report.getGs1(),
                     report.getGs2(),
                     report.getAll()}};
  }
  case Which::WAITING: {
    const auto waiting = from.getWaiting();
    if (!isSyncGroup(waiting.getGroup()))
      return Status{Code::BadFrame, "bad session header: unknown sync group"};
    return Body{Waiting{static_cast<SyncGroup>(waiting.getGroup()), waiting.getPoint(),
                        text(waiting.getWhere())}};
  }
  case Which::VIEW:
    return Body{View{}};
  case Which::STREAM_REQUEST:
    return Body{StreamRequest{readTransfer(from.getStreamRequest())}};
  case Which::STREAM_TAKEN:
    return Body{StreamTaken{readTransfer(from.getStreamTaken())}};
  case Which::STREAM_WRITE:
    return Body{
        StreamWrite{readTransfer(from.getStreamWrite()), from.getStreamWrite().getTakenBefore()}};
  case Which::PRINT:
    return Body{Print{readTransfer(from.getPrint())}};
  case Which::ROWS_READ:
    return Body{RowsRead{from.getRowsRead().getCopy(),
                         numbers<std::uint32_t>(from.getRowsRead().getRows())}};
  case Which::ROWS_WRITE:
    return Body{RowsWrite{from.getRowsWrite().getCopy(),
                          numbers<std::uint32_t>(from.getRowsWrite().getRows())}};
  case Which::OK:
    return Body{Ok{}};
  case Which::FAULT:
    return Body{Fault{read(from.getFault())}};
  case Which::HEARTBEAT:
    return Body{Heartbeat{}};
  case Which::LINK_QUERY:
    return Body{LinkQuery{}};
  case Which::LINKS:
    return Body{Links{readLinks(from.getLinks())}};
  case Which::DETACH:
    return Body{Detach{}};
  case Which::RESET:
    return Body{Reset{}};
  case Which::RESET_MEMORY:
    return Body{ResetMemory{}};
  case Which::INJECT_ERROR:
    return Body{InjectError{from.getInjectError().getTile(), from.getInjectError().getAddress()}};
  case Which::ENDING:
    return Body{Ending{read(from.getEnding())}};
  case Which::INSPECT:
    return Body{Inspect{}};
  case Which::STATE: {
    const auto state = from.getState();
    return Body{State{state.getPid(), text(state.getHolder()), state.getSessions(),
                      state.getRunning(), readLinks(state.getLinks())}};
  }
  }
  return Status{Code::BadFrame, "bad session header: a message that this build does not know"};
}

} // namespace

std::vector<std::byte> encode(const Header &header) {
  // Most headers fit into this; for all others the builder allocates.
  std::array<capnp::word, 64> scratch{};
  capnp::MallocMessageBuilder message(kj::arrayPtr(scratch.data(), scratch.size()));
  auto root = message.initRoot<schema::SessionMessage>();
  root.setVersion(kVersion);
  root.setRequest(header.request);
  writeNumbers(root.initFrames(countOf(header.frames)), header.frames);
  writeBody(root, header.body);
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
                     const auto root = reader.getRoot<schema::SessionMessage>();
                     if (root.getVersion() != kVersion)
                       return Status{Code::BadFrame, "session protocol version " +
                                                         std::to_string(root.getVersion()) +
                                                         " is not " + std::to_string(kVersion)};
                     if (root.getFrames().size() > kMaxFrames)
                       return Status{Code::BadFrame, "bad session header: too many raw frames"};
                     auto body = readBody(root);
                     if (!body)
                       return body.status();
                     return Header{root.getRequest(), numbers<std::uint64_t>(root.getFrames()),
                                   std::move(*body)};
                   });
}

} // namespace copse::wire::session
