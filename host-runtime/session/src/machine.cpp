#include "session/machine.hpp"

#include "daemons.hpp"
#include "own_share.hpp"
#include "partition.hpp"
#include "program_loading.hpp"
#include "random_token.hpp"
#include "requests.hpp"
#include "row_server.hpp"
#include "row_store.hpp"
#include "served_run.hpp"
#include "serving_thread.hpp"
#include "stream_server.hpp"

#include "remote_buffers/store.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
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

// A prefetch that takes longer between runs waits for something.
constexpr std::chrono::seconds kCallTimeout{1};
// A node that is given back answers at once, whatever its IPU is doing.
constexpr std::chrono::seconds kLeaveTimeout{1};

std::string nameOfThisHost() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0)
    name[0] = '?';
  return std::string(::program_invocation_short_name) + " (pid " + std::to_string(::getpid()) +
         " on " + name.data() + ")";
}

/// \param vertices  of each compute set, as the IPU's image has them
wire::Result<wire::MeasuredCycles> vertexCyclesIn(const ipud::SessionMessage &message,
                                                  const std::vector<std::size_t> &vertices) {
  const Status bad{Code::BadFrame, "an IPU sent cycles of other vertices than it has"};
  const auto *sets = std::get_if<message::VertexCycles>(&message.header.body);
  if (sets == nullptr || message.payloads.size() != 1)
    return bad;
  std::span<const std::byte> left = message.payloads[0].bytes();
  wire::MeasuredCycles all;
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

/// \param steps  of the IPU's image
wire::Result<wire::StepTimes> stepTimesIn(const ipud::SessionMessage &message, std::size_t steps) {
  const Status bad{Code::BadFrame, "an IPU sent times of other steps than it has"};
  const auto *header = std::get_if<message::StepTimes>(&message.header.body);
  if (header == nullptr || message.payloads.size() != 1)
    return bad;
  const std::span<const std::byte> bytes = message.payloads[0].bytes();
  std::array<std::uint64_t, 3> numbers{};
  if (bytes.size() % sizeof numbers != 0)
    return bad;
  wire::StepTimes times;
  times.complete = header->complete;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof numbers) {
    std::memcpy(numbers.data(), bytes.data() + at, sizeof numbers);
    const auto [step, begin, end] = numbers;
    if (step >= steps || begin > end)
      return bad;
    times.steps.push_back({step, begin, end});
  }
  return times;
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
    if (!options_.nodes.empty()) {
      share_.emplace(context_, options_, *requests_, [this] { hub_->nudge(); });
      return joinNodes();
    }
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      if (Status status = open(ipu); !status.ok())
        return status;
    return greet(allIpus());
  }

  Status load(Program program, const ProgressHandlers &progress) override {
    loaded_ = false;
    if (Status status = checkProgram(program, options_.ipus); !status.ok())
      return status;
    const RowPlace rows(options_, std::to_string(token_) + "." + std::to_string(program.rows));
    auto store = openRows(program, rows);
    if (!store)
      return store.status();
    if (Status status = replaceLost(); !status.ok())
      return status;
    auto loading = ProgramLoading::of(program, options_, *requests_);
    if (!loading)
      return loading.status();
    const auto rowStore = rows.forIpus(program);
    if (Status status = program.isShared() ? loadShare(program, *loading, rowStore, progress.loaded)
                                           : loadAll(*loading, rowStore, progress.loaded);
        !status.ok())
      return status;
    groups_ = loading->groups();
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
    return requests_->ask(std::move(orders));
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
    return requests_->ask(std::move(orders));
  }

  wire::Result<RunReport> run(std::uint32_t index, StreamHandler &handler,
                              const ProgressHandlers &progress) override {
    if (Status status = checkLoaded(); !status.ok())
      return status;
    loaded_ = false; // until all went well
    ServedRun::Parts parts{*hub_,        *requests_,  partition_, streams_,
                           callThreads_, sideBySide_, groups_};
    if (isShared())
      parts.trouble = [this] { return share_->trouble(); };
    parts.tell = progress.ran;
    parts.timesSteps = options_.timesSteps;
    ServedRun served(std::move(parts), index, clock_);
    Status fault;
    try {
      const OwnShare::Watched watched(isShared() && partition_->meets(index) ? &*share_ : nullptr);
      fault = served.serve(handler, callbackTimeout_, thread_);
    } catch (...) {
      placeOfException_ = served.place();
      if (isShared())
        (void)share_->fail(
            {Code::HostFault, placeOfException_ + ": its callback threw an exception"});
      throw;
    }
    if (served.gaveUp())
      leaveStreams(*served.gaveUp(), handler);
    if (!fault.ok())
      return failed(index, std::move(fault));
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
    if (Status status = askLoaded(std::move(orders)); !status.ok())
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
      orders.push_back({ipu, message::ViewWrite{view}, fabric::listOf(std::move(payload))});
    }
    return askLoaded(std::move(orders));
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
    if (Status status = requests_->ask(std::move(orders)); !status.ok())
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

  wire::Result<std::vector<wire::MeasuredCycles>> vertexCycles() override {
    if (Status status = askFirstReplica(message::CyclesQuery{}); !status.ok())
      return status;
    std::vector<wire::MeasuredCycles> all;
    for (std::size_t i = 0; i < requests_->answers().size(); ++i) {
      auto cycles = vertexCyclesIn(requests_->answers()[i].message,
                                   partition_->verticesOf(requests_->ipuOf(i)));
      if (!cycles)
        return cycles.status();
      all.push_back(std::move(*cycles));
    }
    return all;
  }

  wire::Result<std::vector<wire::StepTimes>> stepTimes() override {
    std::vector<wire::StepTimes> all;
    if (!options_.timesSteps)
      return all;
    if (Status status = askFirstReplica(message::TimesQuery{}); !status.ok())
      return status;
    for (std::size_t i = 0; i < requests_->answers().size(); ++i) {
      auto times =
          stepTimesIn(requests_->answers()[i].message, partition_->stepsOf(requests_->ipuOf(i)));
      if (!times)
        return times.status();
      all.push_back(std::move(*times));
    }
    return all;
  }

  std::uint32_t ipus() const override { return options_.ipus; }
  std::vector<int> processes() const override { return daemons_->processes(); }

private:
  /// Asks each IPU of the first replica; requests_ then has the answers.
  Status askFirstReplica(const message::Body &question) {
    if (Status status = checkLoaded(); !status.ok())
      return status;
    std::vector<Order> orders;
    for (std::uint32_t ipu = 0; ipu < partition_->ipusPerReplica(); ++ipu)
      orders.push_back({ipu, question, {}});
    return askLoaded(std::move(orders));
  }

  /// Asks IPUs of the loaded program. Other host programs that share it are told if one is gone:
  /// between runs, too, they would wait for it.
  Status askLoaded(std::vector<Order> orders) {
    Status status = requests_->ask(std::move(orders));
    if (status.ok() || !isShared() || requests_->lost().empty())
      return status;
    return share_->fail(std::move(status));
  }

  std::shared_ptr<StreamServer> newStreams() {
    return std::make_shared<StreamServer>(
        [this](std::uint32_t ipu, message::Body body, std::vector<fabric::Payload> payloads) {
          hub_->send(ipu, {{0, {}, std::move(body)}, std::move(payloads)});
        },
        [this](std::uint32_t ipu, std::size_t bytes) { return hub_->payload(ipu, bytes); });
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
    return requests_->ask(std::move(orders));
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
      (void)requests_->ask(std::move(orders), kLeaveTimeout); // they will notice
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

  using TellLoaded = std::function<void(std::uint64_t, std::uint64_t)>;

  Status loadAll(ProgramLoading &loading, const message::RowStore &rows,
                 const TellLoaded &tellLoaded) {
    if (share_)
      share_->leave();
    requests_->nameFrom(0);
    ++epoch_;
    if (Status status = loading.configure(rows, endpointsOf(*daemons_, options_), epoch_);
        !status.ok())
      return status;
    return loading.send(tellLoaded);
  }

  /// Other host programs run the other replicas.
  Status loadShare(const Program &program, ProgramLoading &loading, const message::RowStore &rows,
                   const TellLoaded &tellLoaded) {
    if (!share_)
      return {Code::InvalidOption,
              "this host program runs " + std::to_string(program.replicas) + " of " +
                  std::to_string(program.allReplicas) +
                  " replicas, so its IPUs must be of a cluster; set COPSE_CLUSTER to its file"};
    const Status status = loadJoined(program, loading, rows, tellLoaded);
    return status.ok() ? status : share_->fail(status);
  }

  Status loadJoined(const Program &program, ProgramLoading &loading, const message::RowStore &rows,
                    const TellLoaded &tellLoaded) {
    const auto deadline = Clock::now() + patienceOf(program);
    auto endpoints =
        share_->join(program, loading.hashes(), endpointsOf(*daemons_, options_), deadline);
    if (!endpoints)
      return endpoints.status();
    requests_->nameFrom(program.firstReplica * static_cast<std::uint32_t>(program.images.size()));
    epoch_ = share_->epoch();
    if (Status status = loading.configure(rows, std::move(*endpoints), epoch_); !status.ok())
      return status;
    if (Status status = share_->ready(deadline); !status.ok())
      return status;
    return loading.send(tellLoaded);
  }

  std::chrono::milliseconds patienceOf(const Program &program) const {
    return std::min(program.syncTimeout.value_or(options_.syncTimeout),
                    std::chrono::milliseconds(UINT32_MAX));
  }

  /// A run that does not meet those of other host programs fails by itself.
  Status failed(std::uint32_t index, Status fault) {
    if (!isShared())
      return fault;
    return partition_->meets(index) ? share_->failBy(std::move(fault))
                                    : share_->fail(std::move(fault));
  }

  /// Whether the program that is loaded is.
  bool isShared() const { return share_ && share_->isJoined(); }

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
  std::chrono::milliseconds callbackTimeout_{0};
  std::string placeOfException_;
  std::optional<OwnShare> share_; ///< of nodes; after the hub, which it calls
  ServingThread thread_;          ///< last: ends before what it uses
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
