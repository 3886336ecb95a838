#include "session/machine.hpp"

#include "daemons.hpp"
#include "only.hpp"
#include "partition.hpp"
#include "partners.hpp"
#include "requests.hpp"
#include "row_server.hpp"
#include "row_store.hpp"
#include "served_run.hpp"
#include "serving_thread.hpp"
#include "stream_server.hpp"

#include "remote_buffers/store.hpp"
#include "wire/envelope.hpp"
#include "wire/image_codec.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <random>
#include <set>
#include <thread>
#include <unistd.h>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

// A daemon answers a question about itself at once; one that does not is not going to.
constexpr std::chrono::seconds kAnswerTimeout{30};
// Loading opens modules and writes initial data.
constexpr std::chrono::seconds kLoadTimeout{120};
// A prefetch that takes longer between runs waits for something.
constexpr std::chrono::seconds kCallTimeout{1};
// A node that is given back answers at once, whatever its IPU is doing.
constexpr std::chrono::seconds kLeaveTimeout{1};

std::uint64_t newToken() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>(1)(device);
}

std::string nameOfThisHost() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    name[0] = '?';
  return std::string(::program_invocation_short_name) + " (pid " + std::to_string(::getpid()) +
         " on " + name.data() + ")";
}

fabric::Payload copyOf(std::span<const std::byte> bytes) {
  fabric::Payload payload(bytes.size());
  std::copy(bytes.begin(), bytes.end(), payload.data());
  return payload;
}

/// \param ipu  number in the partition, of all host programs
std::vector<message::GroupMembers> syncGroups(const Program &program, std::uint32_t ipu) {
  const sync::Replication replication{std::max(program.replicas, program.allReplicas),
                                      static_cast<std::uint32_t>(program.images.size())};
  std::vector<message::GroupMembers> groups;
  auto all = sync::groupsOf(program.syncConfiguration);
  if (program.isShared())
    all.push_back(wire::SyncGroup::Hosts);
  for (const wire::SyncGroup group : all) {
    groups.push_back({group, {}});
    for (const wire::IpuId member :
         sync::membersOf(group, program.syncConfiguration, replication, {ipu}))
      groups.back().members.push_back(member.value);
  }
  return groups;
}

/// \param vertices  of each compute set, as the IPU's image has them
wire::Result<VertexCycles> vertexCyclesIn(const ipud::SessionMessage &message,
                                          const std::vector<std::size_t> &vertices) {
  const Status bad{Code::BadFrame, "an IPU sent cycles of other vertices than it has"};
  const auto *sets = std::get_if<message::VertexCycles>(&message.header.body);
  if (sets == nullptr || message.payloads.size() != 1)
    return bad;
  std::span<const std::byte> left = message.payloads[0].bytes();
  VertexCycles all;
  for (const std::uint32_t set : sets->computeSets) {
    if (set >= vertices.size() || vertices[set] > left.size() / sizeof(std::uint64_t))
      return bad;
    std::vector<std::uint64_t> &cycles = all[set];
    cycles.resize(vertices[set]);
    const std::size_t bytes = cycles.size() * sizeof(std::uint64_t);
    if (bytes > 0)
      std::memcpy(cycles.data(), left.data(), bytes);
    left = left.subspan(bytes);
  }
  if (!left.empty())
    return bad;
  return all;
}

class SessionMachine : public Machine {
public:
  explicit SessionMachine(MachineOptions options)
      : options_(std::move(options)), rows_([this](std::uint32_t ipu, ipud::SessionMessage reply) {
          hub_->send(ipu, std::move(reply));
        }),
        streams_(newStreams()), callThreads_(newCallThreads()) {}

  ~SessionMachine() override {
    // The hub's thread hands messages to the row server, whose thread sends through the hub: first
    // nothing comes any more, then the server ends, then the hub.
    callThreads_->close();
    if (hub_) {
      leaveNodes();
      hub_->stop();
    }
  }

  Status start() {
    auto daemons = Daemons::start(options_, context_);
    if (!daemons)
      return daemons.status();
    daemons_ = std::move(*daemons);
    hub_.emplace(context_, options_.ipus, options_.heartbeatTimeout,
                 [this](std::uint32_t ipu, ipud::SessionMessage &request) {
                   return rows_.take(ipu, request);
                 });
    requests_.emplace(*hub_);
    if (!options_.nodes.empty())
      return joinNodes();
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      if (Status status = open(ipu); !status.ok())
        return status;
    return greet(allIpus());
  }

  Status load(Program program, const ProgressHandlers &progress) override {
    loaded_ = false;
    tellLoaded_ = progress.loaded;
    if (Status status = checkProgram(program, options_.ipus); !status.ok())
      return status;
    const RowPlace rows(options_, std::to_string(token_) + "." + std::to_string(program.rows));
    auto store = openRows(program, rows);
    if (!store)
      return store.status();
    if (Status status = replaceLost(); !status.ok())
      return status;
    auto images = encodeImages(program);
    if (!images)
      return images.status();
    if (Status status = program.isShared() ? loadShare(program, rows, *images)
                                           : loadAll(program, rows, *images);
        !status.ok())
      return status;
    partition_ = std::make_shared<const Partition>(program);
    store_ = std::move(*store);
    rows_.use(partition_, store_);
    streams_->load(*partition_, program.prefetch);
    callbackTimeout_ = program.callbackTimeout;
    sideBySide_ = program.callbacksSideBySide > 0;
    callThreads_->use(std::max(1U, program.callbacksSideBySide), sideBySide_);
    clock_ = {};
    loaded_ = true;
    return Status::success();
  }

  Status unload() override {
    loaded_ = false;
    if (Status status = replaceLost(); !status.ok())
      return status;
    std::vector<Order> orders;
    for (const std::uint32_t ipu : allIpus())
      orders.push_back({ipu, message::ResetMemory{}, {}});
    return ask(std::move(orders), kAnswerTimeout);
  }

  Status injectErrors(std::span<const InjectedError> errors) override {
    std::vector<Order> orders;
    for (const InjectedError &error : errors) {
      if (error.ipu >= options_.ipus)
        return {Code::InvalidOption, "there is no ipu " + std::to_string(error.ipu) +
                                         " to inject a parity error into, but " +
                                         std::to_string(options_.ipus) + " of them"};
      orders.push_back(
          {error.ipu, message::InjectError{error.where.tile, error.where.address}, {}});
    }
    return ask(std::move(orders), kAnswerTimeout);
  }

  wire::Result<RunReport> run(std::uint32_t index, StreamHandler &handler,
                              const ProgressHandlers &progress) override {
    if (Status status = checkLoaded(); !status.ok())
      return status;
    loaded_ = false; // until all went well
    ServedRun::Parts parts{*hub_,        *requests_,  partition_, streams_,
                           callThreads_, sideBySide_, groups_};
    if (share_)
      parts.trouble = [this] { return partners_->trouble(); };
    parts.tell = progress.ran;
    ServedRun served(std::move(parts), index, clock_);
    Status fault;
    try {
      const Watched watched(share_ && partition_->meets(index) ? &*partners_ : nullptr);
      fault = served.serve(handler, callbackTimeout_, thread_);
    } catch (...) {
      placeOfException_ = served.place();
      (void)failShare({Code::HostFault, placeOfException_ + ": its callback threw an exception"});
      throw;
    }
    if (served.gaveUp())
      leaveStreams(*served.gaveUp(), handler);
    if (!fault.ok())
      return share_ ? failShare(partners_->causeOf(std::move(fault))) : fault;
    loaded_ = true;
    RunReport report;
    for (const auto &answer : requests_->answers()) {
      const auto &done = std::get<message::Done>(answer.message.header.body);
      report.ipus.push_back({done.start, done.end});
    }
    clock_ = report.end();
    return report;
  }

  std::string placeOfException() const override { return placeOfException_; }

  void invalidatePrefetched(std::uint32_t stream, StreamHandler &handler) override {
    if (!partition_)
      return;
    if (streams_->hasCall(stream))
      (void)awaitCalls();
    for (const auto &call : callThreads_->ended())
      streams_->callEnded(call);
    streams_->invalidate(stream, handler);
  }

  void endRows(std::uint64_t rows) override {
    const auto found = temporaryRows_.find(rows);
    if (found == temporaryRows_.end())
      return;
    if (store_ == found->second) { // nothing is loaded that could use it
      rows_.use(partition_, nullptr);
      store_.reset();
      loaded_ = false;
    }
    temporaryRows_.erase(found);
  }

  bool awaitCalls() override { return callThreads_->awaitQuiet(Clock::now() + kCallTimeout); }

  Status read(std::uint32_t view, std::span<std::byte> rows) override {
    if (Status status = checkView(view); !status.ok())
      return status;
    const std::uint64_t rowBytes = partition_->hostView(0, view)->rowBytes;
    if (rows.size() != rowBytes * partition_->replicas())
      return wrongSize(rows.size(), rowBytes);
    std::vector<Order> orders;
    for (const std::uint32_t ipu : holders(view))
      orders.push_back({ipu, message::ViewRead{view}, {}});
    if (Status status = ask(std::move(orders), kAnswerTimeout); !status.ok())
      return status;
    for (std::size_t i = 0; i < requests_->answers().size(); ++i) {
      const std::uint32_t ipu = requests_->ipuOf(i);
      const wire::HostView &part = *partition_->hostView(partition_->numberOf(ipu), view);
      const auto &payloads = requests_->answers()[i].message.payloads;
      if (payloads.size() != 1 || payloads[0].size() != part.bytes)
        return {Code::BadFrame,
                "ipu " + std::to_string(ipu) + " sent a view of another size than asked for"};
      putIn(part, payloads[0].data(),
            rows.subspan(partition_->replicaOf(ipu) * rowBytes, rowBytes));
    }
    return Status::success();
  }

  Status write(std::uint32_t view, std::span<const std::byte> rows) override {
    if (Status status = checkView(view); !status.ok())
      return status;
    const std::uint64_t rowBytes = partition_->hostView(0, view)->rowBytes;
    const bool forAll = rows.size() == rowBytes;
    if (!forAll && rows.size() != rowBytes * partition_->replicas())
      return wrongSize(rows.size(), rowBytes);
    std::vector<Order> orders;
    for (const std::uint32_t ipu : holders(view)) {
      const wire::HostView &part = *partition_->hostView(partition_->numberOf(ipu), view);
      fabric::Payload payload(part.bytes);
      cutOut(part, rows.subspan(forAll ? 0 : partition_->replicaOf(ipu) * rowBytes, rowBytes),
             payload.data());
      orders.push_back({ipu, message::ViewWrite{view}, only(std::move(payload))});
    }
    return ask(std::move(orders), kAnswerTimeout);
  }

  Status readRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                 std::span<std::byte> bytes) override {
    return store_ ? store_->read(buffer, partition_->replicaAmongAll(replica), row, bytes)
                  : notLoaded();
  }

  Status writeRow(std::uint32_t buffer, std::uint32_t replica, std::uint64_t row,
                  std::span<const std::byte> bytes) override {
    return store_ ? store_->write(buffer, partition_->replicaAmongAll(replica), row, bytes)
                  : notLoaded();
  }

  wire::Result<std::vector<std::vector<message::LinkTraffic>>> links() override {
    std::vector<Order> orders;
    for (const std::uint32_t ipu : allIpus())
      orders.push_back({ipu, message::LinkQuery{}, {}});
    if (Status status = ask(std::move(orders), kAnswerTimeout); !status.ok())
      return status;
    std::vector<std::vector<message::LinkTraffic>> all;
    for (auto &answer : requests_->answers()) {
      auto *links = std::get_if<message::Links>(&answer.message.header.body);
      if (links == nullptr)
        return Status{Code::BadFrame, "an IPU sent a reply of another kind than was requested"};
      all.push_back(std::move(links->links));
    }
    return all;
  }

  wire::Result<std::vector<VertexCycles>> vertexCycles() override {
    if (Status status = checkLoaded(); !status.ok())
      return status;
    std::vector<Order> orders;
    for (std::uint32_t ipu = 0; ipu < partition_->ipusPerReplica(); ++ipu)
      orders.push_back({ipu, message::CyclesQuery{}, {}});
    if (Status status = ask(std::move(orders), kAnswerTimeout); !status.ok())
      return status;
    std::vector<VertexCycles> all;
    for (std::size_t i = 0; i < requests_->answers().size(); ++i) {
      auto cycles = vertexCyclesIn(requests_->answers()[i].message,
                                   partition_->verticesOf(requests_->ipuOf(i)));
      if (!cycles)
        return cycles.status();
      all.push_back(std::move(*cycles));
    }
    return all;
  }

  std::uint32_t ipus() const override { return options_.ipus; }
  std::vector<int> processes() const override { return daemons_->processes(); }

private:
  std::shared_ptr<StreamServer> newStreams() {
    return std::make_shared<StreamServer>(
        [this](std::uint32_t ipu, message::Body body, std::vector<fabric::Payload> payloads) {
          hub_->send(ipu, {{0, {}, std::move(body)}, std::move(payloads)});
        });
  }

  std::shared_ptr<CallThreads> newCallThreads() {
    return std::make_shared<CallThreads>([this] { hub_->nudge(); });
  }

  /// A callback is still busy with rows of the streams: others take their place.
  void leaveStreams(const CallGuard::Call &call, StreamHandler &handler) {
    if (call.ofStream)
      handler.leftToItself(call.stream, call.replica);
    streams_->dropAllBut(call.stream, call.replica, handler);
    streams_ = newStreams();
    callThreads_->close();
    callThreads_ = newCallThreads();
  }

  // Life of the daemons.

  std::vector<std::uint32_t> allIpus() const {
    std::vector<std::uint32_t> all(options_.ipus);
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      all[ipu] = ipu;
    return all;
  }

  Status open(std::uint32_t ipu) {
    Hub::Peer peer{daemons_->endpoints(ipu).control, daemons_->who(ipu),
                   daemons_->pidDescriptor(ipu), options_.keys.get()};
    if (!options_.nodes.empty())
      peer.nameAmongKeys = options_.nodes[ipu].identity;
    return hub_->open(ipu, peer);
  }

  Status greet(const std::vector<std::uint32_t> &ipus) {
    const message::Hello hello{static_cast<std::uint32_t>(options_.heartbeatTimeout.count()),
                               nameOfThisHost(), token_};
    std::vector<Order> orders;
    orders.reserve(ipus.size());
    for (const std::uint32_t ipu : ipus)
      orders.push_back({ipu, hello, {}});
    return ask(std::move(orders), kAnswerTimeout);
  }

  /// One node after another, the lowest first: of two programs that want some of the same nodes,
  /// one gets the lowest of those, and the other none.
  Status joinNodes() {
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu) {
      if (Status status = open(ipu); !status.ok())
        return status;
      if (Status status = greet({ipu}); !status.ok())
        return status;
      joined_.insert(ipu);
    }
    return Status::success();
  }

  /// Gives the nodes back at once, so that nobody has to wait until they notice our silence.
  void leaveNodes() {
    std::vector<Order> orders;
    for (const std::uint32_t ipu : joined_)
      if (!requests_->lost().contains(ipu))
        orders.push_back({ipu, message::Detach{}, {}});
    if (!orders.empty())
      (void)ask(std::move(orders), kLeaveTimeout); // they will notice
  }

  Status replaceLost() {
    // What has happened since the last call, and nobody has looked at yet.
    while (requests_->step(Clock::now())) {
    }
    std::vector<std::uint32_t> replaced;
    const auto lost = requests_->lost();
    for (const auto &[ipu, why] : lost) {
      hub_->close(ipu); // it watches the old process
      if (Status status = daemons_->restart(ipu); !status.ok())
        return status;
      if (Status status = open(ipu); !status.ok())
        return status;
      requests_->found(ipu);
      replaced.push_back(ipu);
    }
    return greet(replaced);
  }

  // Loading.

  /// A program that is loaded again finds the rows that it had, also where they are temporary.
  wire::Result<std::shared_ptr<remote_buffers::RemoteBufferStore>> openRows(const Program &program,
                                                                            const RowPlace &place) {
    if (program.remoteBuffers.empty() || !place.isTemporary())
      return place.open(program);
    auto &known = temporaryRows_[program.rows];
    if (known && known->readParts(0, 0, {}, {}).ok()) // else the rbufd has lost them
      return known;
    known.reset();
    auto opened = place.open(program);
    if (opened)
      known = *opened;
    return opened;
  }

  /// By IPU of a replica: its image and the image's data.
  using EncodedImages = std::vector<std::pair<fabric::Payload, fabric::Payload>>;

  Status loadAll(const Program &program, const RowPlace &rows, EncodedImages &images) {
    if (share_)
      (void)failShare({Code::Disconnected, "it has loaded a program that it does not share"});
    share_.reset();
    requests_->nameFrom(0);
    ++epoch_;
    if (Status status = configure(program, rows, ownEndpoints()); !status.ok())
      return status;
    if (Status status = sendModules(program); !status.ok())
      return status;
    return sendImages(images);
  }

  // Other host programs run the other replicas.

  /// A run during which the partners have to be there.
  class Watched {
  public:
    explicit Watched(Partners *partners) : partners_(partners) {
      if (partners_ != nullptr)
        partners_->watch();
    }
    ~Watched() {
      if (partners_ != nullptr)
        partners_->rest();
    }
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;

  private:
    Partners *partners_;
  };

  Status loadShare(const Program &program, const RowPlace &rows, EncodedImages &images) {
    if (options_.nodes.empty())
      return {Code::InvalidOption,
              "this host program runs " + std::to_string(program.replicas) + " of " +
                  std::to_string(program.allReplicas) +
                  " replicas, so its IPUs must be of a cluster; set COPSE_CLUSTER to its file"};
    share_ = shareOf(program, images);
    const Status status = joinPartners(program, rows, images);
    return status.ok() ? status : failShare(status);
  }

  Status joinPartners(const Program &program, const RowPlace &rows, EncodedImages &images) {
    if (!partners_)
      partners_.emplace(context_, options_, [this] { hub_->nudge(); });
    const auto deadline = Clock::now() + patienceOf(program);
    auto shares = partners_->find(
        *share_, [this](const auto &share) { return announce(share); }, deadline);
    if (!shares)
      return shares.status();
    requests_->nameFrom(program.firstReplica * static_cast<std::uint32_t>(program.images.size()));
    epoch_ = share_->epoch;
    if (Status status = configure(program, rows, endpointsOf(*shares)); !status.ok())
      return status;
    share_->stage = message::ShareStage::Ready;
    if (Status status = announce(*share_); !status.ok())
      return status;
    // An IPU may be waited for by others from now on, but not before.
    if (Status status = partners_->awaitReady(deadline); !status.ok())
      return status;
    if (Status status = sendModules(program); !status.ok())
      return status;
    return sendImages(images);
  }

  std::chrono::milliseconds patienceOf(const Program &program) const {
    return std::min(program.syncTimeout.value_or(options_.syncTimeout),
                    std::chrono::milliseconds(UINT32_MAX));
  }

  message::Share shareOf(const Program &program, const EncodedImages &images) const {
    message::Share share;
    share.partition = options_.partition;
    share.first = program.firstReplica;
    share.number = program.replicas;
    share.replicas = program.allReplicas;
    share.ticket = newToken();
    const bool torus = options_.topology == wire::Topology::Torus;
    share.traits = {{"the number of replicas", std::to_string(program.allReplicas)},
                    {"the number of IPUs of a replica", std::to_string(program.images.size())},
                    {"the topology of IPU-Links", torus ? "torus" : "mesh"},
                    {"the sync configuration",
                     std::to_string(static_cast<unsigned>(program.syncConfiguration))},
                    {"the machine model", hashOf(std::as_bytes(std::span(options_.machineModel)))}};
    for (std::size_t ipu = 0; ipu < images.size(); ++ipu)
      share.traits.push_back({"the executable", hashOf(images[ipu].first.bytes()) +
                                                    hashOf(images[ipu].second.bytes())});
    const Endpoints own = ownEndpoints();
    share.links = own.links;
    share.syncs = own.syncs;
    share.names = own.names;
    return share;
  }

  static std::string hashOf(std::span<const std::byte> bytes) {
    std::array<char, 17> text{};
    (void)std::snprintf(text.data(), text.size(), "%016llx",
                        static_cast<unsigned long long>(wire::payloadHash(bytes)));
    return text.data();
  }

  Status announce(const message::Share &share) {
    std::vector<Order> orders;
    orders.push_back({0, message::Announce{share}, {}});
    return ask(std::move(orders), kAnswerTimeout);
  }

  /// Lets the partners know that their run, or their load, need not wait for this host program.
  Status failShare(Status why) {
    if (!share_)
      return why;
    share_->stage = message::ShareStage::Failed;
    share_->failure = why;
    if (!requests_->lost().contains(0))
      (void)announce(*share_); // else they notice
    return why;
  }

  /// Of all IPUs of the partition, in their order.
  struct Endpoints {
    std::vector<std::string> links, syncs, names; ///< as message::Configure has them
  };
  Endpoints ownEndpoints() const {
    Endpoints own;
    for (const std::uint32_t ipu : allIpus()) {
      own.links.push_back(daemons_->endpoints(ipu).link);
      own.syncs.push_back(daemons_->endpoints(ipu).sync);
      if (options_.keys)
        own.names.push_back(options_.nodes[ipu].identity);
    }
    return own;
  }
  static Endpoints endpointsOf(const std::vector<message::Share> &shares) {
    Endpoints all;
    for (const message::Share &share : shares) {
      all.links.insert(all.links.end(), share.links.begin(), share.links.end());
      all.syncs.insert(all.syncs.end(), share.syncs.begin(), share.syncs.end());
      all.names.insert(all.names.end(), share.names.begin(), share.names.end());
    }
    return all;
  }

  Status configure(const Program &program, const RowPlace &rows, Endpoints endpoints) {
    message::Configure plan;
    plan.epoch = epoch_;
    plan.replicas = std::max(program.replicas, program.allReplicas);
    plan.ipusPerReplica = static_cast<std::uint32_t>(program.images.size());
    plan.topology = options_.topology;
    plan.machineModel = options_.machineModel;
    plan.threads =
        options_.threadsPerIpu != 0
            ? options_.threadsPerIpu
            : std::max(1U, std::thread::hardware_concurrency() / std::max(1U, options_.ipus));
    plan.syncTimeoutMs = static_cast<std::uint32_t>(std::min<std::int64_t>(
        program.syncTimeout.value_or(options_.syncTimeout).count(), UINT32_MAX));
    plan.workerSeed = program.workerSeed;
    plan.rowStore = rows.forIpus(program);
    plan.links = std::move(endpoints.links);
    plan.syncs = std::move(endpoints.syncs);
    plan.names = std::move(endpoints.names);
    std::vector<Order> orders;
    groups_.clear();
    for (const std::uint32_t ipu : allIpus()) {
      plan.self = program.firstReplica * plan.ipusPerReplica + ipu;
      plan.replica = plan.self / plan.ipusPerReplica;
      plan.groups = syncGroups(program, plan.self);
      groups_.push_back(plan.groups);
      orders.push_back({ipu, plan, {}});
    }
    return ask(std::move(orders), kAnswerTimeout);
  }

  Status sendModules(const Program &program) {
    std::vector<Order> queries;
    for (const std::uint32_t ipu : allIpus()) {
      std::vector<std::string> hashes;
      for (const auto &module : program.images[ipu % program.images.size()]->modules)
        hashes.push_back(module.sha256);
      queries.push_back({ipu, message::ModuleQuery{std::move(hashes)}, {}});
    }
    if (Status status = ask(std::move(queries), kAnswerTimeout); !status.ok())
      return status;
    std::vector<Order> orders;
    std::map<std::string, fabric::Payload> contents; ///< by hash
    for (std::size_t i = 0; i < requests_->answers().size(); ++i) {
      const std::uint32_t ipu = requests_->ipuOf(i);
      const auto *needs =
          std::get_if<message::ModuleNeeds>(&requests_->answers()[i].message.header.body);
      if (needs == nullptr)
        return {Code::BadFrame,
                "ipu " + std::to_string(ipu) + " does not say which modules it needs"};
      for (const auto &module : program.images[ipu % program.images.size()]->modules)
        if (std::find(needs->sha256.begin(), needs->sha256.end(), module.sha256) !=
            needs->sha256.end()) {
          const auto [content, isNew] = contents.try_emplace(module.sha256);
          if (isNew)
            content->second = copyOf(program.modules(module.sha256));
          orders.push_back({ipu, message::ModuleBytes{module.sha256, module.name},
                            only(content->second.share())});
        }
    }
    return ask(std::move(orders), kLoadTimeout);
  }

  /// Encoded once for all replicas; ZeroMQ shares the bytes between the messages. The frame is the
  /// image's second copy, after the one in Cap'n Proto's segments; the data are not copied at all.
  static wire::Result<EncodedImages> encodeImages(const Program &program) {
    EncodedImages encoded;
    for (const auto &image : program.images) {
      fabric::Payload frame;
      Status status = wire::encodeImage(*image, [&frame](std::size_t bytes) {
        frame = fabric::Payload(bytes);
        return frame.data();
      });
      if (!status.ok())
        return status;
      encoded.emplace_back(std::move(frame), fabric::Payload(image->data, image));
    }
    return encoded;
  }

  /// \param bytes  of the image of each IPU
  void tellLoaded(const std::vector<std::uint64_t> &bytes) const {
    if (!tellLoaded_)
      return;
    std::uint64_t done = 0, all = 0;
    for (std::size_t ipu = 0; ipu < bytes.size(); ++ipu) {
      all += bytes[ipu];
      done += requests_->answered(ipu) ? bytes[ipu] : 0;
    }
    tellLoaded_(done, all);
  }

  Status sendImages(EncodedImages &encoded) {
    std::vector<Order> orders;
    std::vector<std::uint64_t> bytes;
    for (const std::uint32_t ipu : allIpus()) {
      auto &[frame, data] = encoded[ipu % encoded.size()];
      Order order{ipu, message::Load{}, {}};
      order.payloads.push_back(frame.share());
      order.payloads.push_back(data.share());
      bytes.push_back(frame.size() + data.size());
      orders.push_back(std::move(order));
    }
    return ask(std::move(orders), kLoadTimeout, [&] { tellLoaded(bytes); });
  }

  // Asking.

  /// \param onAnswer  called after each; may be empty
  Status ask(std::vector<Order> orders, std::chrono::milliseconds timeout,
             const std::function<void()> &onAnswer = {}) {
    const auto deadline = Clock::now() + timeout;
    requests_->send(std::move(orders));
    while (requests_->pending() > 0) {
      if (onAnswer)
        onAnswer();
      if (!requests_->step(deadline))
        requests_->giveUp({Code::Timeout, "no answer within " + std::to_string(timeout.count()) +
                                              " ms; load the program again to replace it"});
    }
    return requests_->verdict();
  }

  static Status notLoaded() {
    return {Code::NotFound, "no program is loaded; call Engine::load() first"};
  }

  Status checkLoaded() const { return loaded_ ? Status::success() : notLoaded(); }

  Status checkView(std::uint32_t view) const {
    if (!loaded_)
      return notLoaded();
    if (partition_->hostView(0, view) == nullptr)
      return {Code::NotFound, "the program has no host view " + std::to_string(view)};
    return Status::success();
  }

  Status wrongSize(std::uint64_t bytes, std::uint64_t rowBytes) const {
    return {Code::InvalidOption, std::to_string(bytes) + " bytes are not " +
                                     std::to_string(partition_->replicas()) + " rows of " +
                                     std::to_string(rowBytes)};
  }

  std::vector<std::uint32_t> holders(std::uint32_t view) const {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t ipu : allIpus())
      if (partition_->hostView(partition_->numberOf(ipu), view)->bytes > 0)
        all.push_back(ipu);
    return all;
  }

  MachineOptions options_;
  zmq::context_t context_{1};
  std::unique_ptr<Daemons> daemons_;
  std::shared_ptr<const Partition> partition_;
  std::shared_ptr<remote_buffers::RemoteBufferStore> store_;
  /// By Program::rows, of what was loaded here.
  std::map<std::uint64_t, std::shared_ptr<remote_buffers::RemoteBufferStore>> temporaryRows_;
  DivergenceWatch::Groups groups_;
  // Of nodes, the host program before this one has numbered its epochs as well: what it left on the
  // way between IPUs must not be taken for ours.
  std::uint32_t epoch_ = options_.nodes.empty() ? 0 : std::random_device()();
  const std::uint64_t token_ =
      newToken();                  ///< to join a node again that has not noticed our absence
  std::set<std::uint32_t> joined_; ///< nodes that this machine holds, or held
  bool loaded_ = false;
  wire::Cycles clock_; ///< when the last run ended: the host starts the next one on all IPUs
  // The row server and the hub each have a thread that calls the other; both take messages to the
  // very end.
  std::optional<Hub> hub_;
  RowServer rows_;
  std::shared_ptr<StreamServer> streams_;    ///< shared with a callback that was given up
  std::shared_ptr<CallThreads> callThreads_; ///< the same
  bool sideBySide_ = false;
  std::optional<Requests> requests_;
  std::optional<message::Share>
      share_; ///< as it was announced; none if this host runs all replicas
  std::chrono::milliseconds callbackTimeout_{0};
  std::string placeOfException_;
  std::function<void(std::uint64_t, std::uint64_t)> tellLoaded_; ///< of the load that is going on
  std::optional<Partners> partners_;                             ///< after the hub, which it calls
  ServingThread thread_;                                         ///< last: ends before what it uses
};

} // namespace

wire::Cycles RunReport::end() const {
  wire::Cycles latest;
  for (const IpuReport &ipu : ipus)
    latest = std::max(latest, ipu.end);
  return latest;
}

wire::Result<std::unique_ptr<Machine>> Machine::start(MachineOptions options) {
  if (options.ipus == 0)
    return Status{Code::InvalidOption, "a device of no IPUs"};
  try {
    auto machine = std::make_unique<SessionMachine>(std::move(options));
    if (Status status = machine->start(); !status.ok())
      return status;
    return std::unique_ptr<Machine>(std::move(machine));
  } catch (const std::exception &error) { // of Asio and ZeroMQ: no thread or descriptor is left
    return Status{Code::OutOfMemory, std::string("cannot start the IPUs: ") + error.what()};
  }
}

} // namespace copse::session
