#include "session/machine.hpp"

#include "callback_executor.hpp"
#include "measured_answers.hpp"
#include "partition.hpp"
#include "partition_control.hpp"
#include "row_server.hpp"
#include "row_store.hpp"
#include "served_run.hpp"
#include "stream_server.hpp"

#include "remote_buffers/store.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace copse::session {
namespace {

namespace message = wire::session;
using wire::Code;
using wire::Status;
using Clock = std::chrono::steady_clock;

// Between runs, a prefetch that takes longer than this must be waiting for something.
constexpr std::chrono::seconds kCallTimeout{1};

class SessionMachine : public Machine {
public:
  explicit SessionMachine(MachineOptions options)
      : options_(std::move(options)), control_(options_),
        rows_([this](std::uint32_t ipu, ipud::SessionMessage reply) {
          control_.hub().send(ipu, std::move(reply));
        }),
        streams_(
            [this](std::uint32_t ipu, message::Body body, std::vector<fabric::Payload> payloads) {
              control_.hub().send(ipu, {{0, {}, std::move(body)}, std::move(payloads)});
            },
            [this](std::shared_ptr<StreamCall> call) { calls_.start(std::move(call)); },
            [this](std::uint32_t ipu, std::size_t bytes) {
              return control_.hub().payload(ipu, bytes);
            }),
        calls_([this] { control_.hub().nudge(); }) {}

  ~SessionMachine() override {
    // The hub's thread passes messages to the row server, whose thread sends through the hub. So
    // the incoming messages end first, then the server, then the hub.
    calls_.close();
    control_.close();
  }

  Status start() {
    return control_.start([this](std::uint32_t ipu, ipud::SessionMessage &request) {
      return rows_.take(ipu, request);
    });
  }

  Status load(Program program, const ProgressHandlers &progress) override {
    loaded_ = false;
    if (Status status = checkProgram(program, options_.ipus); !status.ok())
      return status;
    const RowPlace rows(options_,
                        std::to_string(control_.token()) + "." + std::to_string(program.rows));
    auto store = openRows(program, rows);
    if (!store)
      return store.status();
    if (Status status = control_.replaceLost(); !status.ok())
      return status;
    if (Status status = control_.load(program, rows.forIpus(program), progress.loaded);
        !status.ok())
      return status;
    partition_ = std::make_shared<const Partition>(program);
    store_ = std::move(*store);
    rows_.use(partition_, store_);
    streams_.load(*partition_, program.prefetch, program.callbacksSideBySide > 0);
    calls_.use(program.callbacksSideBySide);
    callbackTimeout_ = program.callbackTimeout;
    clock_ = {};
    loaded_ = true;
    return Status::success();
  }

  Status unload() override {
    loaded_ = false;
    if (Status status = control_.replaceLost(); !status.ok())
      return status;
    std::vector<Order> orders;
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      orders.push_back({ipu, message::ResetMemory{}, {}});
    return control_.requests().ask(std::move(orders));
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
    return control_.requests().ask(std::move(orders));
  }

  wire::Result<RunReport> run(std::uint32_t index, StreamHandler &handler,
                              const ProgressHandlers &progress) override {
    if (Status status = checkLoaded(); !status.ok())
      return status;
    loaded_ = false; // until everything has succeeded
    ServedRun::Parts parts{control_.hub(), control_.requests(), partition_,       streams_,
                           calls_,         callbackTimeout_,    control_.groups()};
    const bool meets = partition_->meets(index);
    if (control_.isShared())
      parts.trouble = [this] { return control_.share().trouble(); };
    parts.tell = progress.ran;
    parts.timesSteps = options_.timesSteps;
    parts.programTime = meets ? handler.programTime() : 0;
    parts.began = [&handler](const message::Began &all) {
      handler.began(all.start, all.programTime);
    };
    ServedRun served(std::move(parts), index, clock_);
    Status fault;
    try {
      const OwnShare::Watched watched(control_.isShared() && meets ? &control_.share() : nullptr);
      fault = served.serve(handler);
    } catch (...) {
      placeOfException_ = served.place();
      if (control_.isShared())
        (void)control_.share().fail(
            {Code::HostFault, placeOfException_ + ": its callback threw an exception"});
      throw;
    }
    if (served.abandonedCall())
      leave(*served.abandonedCall(), handler);
    if (!fault.ok())
      return control_.failed(meets, std::move(fault));
    loaded_ = true;
    RunReport report;
    for (const auto &answer : control_.requests().answers()) {
      const auto &done = std::get<message::Done>(answer.message.header.body);
      report.ipus.push_back({done.start, done.end});
      report.endOfAll = std::max(report.endOfAll, done.endOfAll);
    }
    clock_ = report.end();
    return report;
  }

  std::string placeOfException() const override { return placeOfException_; }

  void invalidatePrefetched(std::uint32_t stream, StreamHandler &handler) override {
    if (!partition_)
      return;
    if (streams_.hasCall(stream))
      (void)awaitCalls();
    for (const auto &call : calls_.ended())
      streams_.prefetchEnded(call);
    streams_.invalidate(stream, handler);
  }

  void endRows(std::uint64_t rows) override {
    const auto found = temporaryRows_.find(rows);
    if (found == temporaryRows_.end())
      return;
    if (store_ == found->second) { // no loaded program can use it
      rows_.use(partition_, nullptr);
      store_.reset();
      loaded_ = false;
    }
    temporaryRows_.erase(found);
  }

  bool awaitCalls() override { return calls_.awaitQuiet(Clock::now() + kCallTimeout); }

  Status read(std::uint32_t view, std::span<std::byte> rows) override {
    if (Status status = checkView(view); !status.ok())
      return status;
    const std::uint64_t rowBytes = partition_->hostView(0, view)->rowBytes;
    if (rows.size() != rowBytes * partition_->replicas())
      return wrongSize(rows.size(), rowBytes);
    std::vector<Order> orders;
    for (const std::uint32_t ipu : holders(view))
      orders.push_back({ipu, message::ViewRead{view}, {}});
    if (Status status = control_.ask(std::move(orders)); !status.ok())
      return status;
    for (std::size_t i = 0; i < control_.requests().answers().size(); ++i) {
      const std::uint32_t ipu = control_.requests().ipuOf(i);
      const wire::HostView &part = *partition_->hostView(partition_->numberOf(ipu), view);
      const auto &payloads = control_.requests().answers()[i].message.payloads;
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
    return control_.ask(std::move(orders));
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
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      orders.push_back({ipu, message::LinkQuery{}, {}});
    if (Status status = control_.requests().ask(std::move(orders)); !status.ok())
      return status;
    std::vector<std::vector<message::LinkTraffic>> all;
    for (auto &answer : control_.requests().answers()) {
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
    for (std::size_t i = 0; i < control_.requests().answers().size(); ++i) {
      auto cycles = vertexCyclesIn(control_.requests().answers()[i].message,
                                   partition_->verticesOf(control_.requests().ipuOf(i)));
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
    for (std::size_t i = 0; i < control_.requests().answers().size(); ++i) {
      auto times = stepTimesIn(control_.requests().answers()[i].message,
                               partition_->stepsOf(control_.requests().ipuOf(i)));
      if (!times)
        return times.status();
      all.push_back(std::move(*times));
    }
    return all;
  }

  std::uint32_t ipus() const override { return options_.ipus; }
  std::vector<int> processes() const override { return control_.processes(); }

private:
  /// Asks each IPU of the first replica; the answers are then in the control's requests.
  Status askFirstReplica(const message::Body &question) {
    if (Status status = checkLoaded(); !status.ok())
      return status;
    std::vector<Order> orders;
    for (std::uint32_t ipu = 0; ipu < partition_->ipusPerReplica(); ++ipu)
      orders.push_back({ipu, question, {}});
    return control_.ask(std::move(orders));
  }

  /// Discards prefetched rows, because a callback is still busy.
  void leave(const StreamCall &call, StreamHandler &handler) {
    if (call.kind != StreamCall::Kind::Print)
      handler.abandoned(call.stream, call.replica);
    streams_.dropAllBut(call, handler);
  }

  /// Opens the remote buffers. A program that is loaded again finds its earlier rows, even
  /// temporary ones.
  wire::Result<std::shared_ptr<remote_buffers::RemoteBufferStore>> openRows(const Program &program,
                                                                            const RowPlace &place) {
    if (program.remoteBuffers.empty() || !place.isTemporary())
      return place.open(program);
    auto &known = temporaryRows_[program.rows];
    if (known && known->readParts(0, 0, {}, {}).ok()) // otherwise the rbufd has lost them
      return known;
    known.reset();
    auto opened = place.open(program);
    if (opened)
      known = *opened;
    return opened;
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
    for (std::uint32_t ipu = 0; ipu < options_.ipus; ++ipu)
      if (partition_->hostView(partition_->numberOf(ipu), view)->bytes > 0)
        all.push_back(ipu);
    return all;
  }

  MachineOptions options_;
  std::shared_ptr<const Partition> partition_;
  std::shared_ptr<remote_buffers::RemoteBufferStore> store_;
  /// The stores of programs that were loaded here, by Program::rows.
  std::map<std::uint64_t, std::shared_ptr<remote_buffers::RemoteBufferStore>> temporaryRows_;
  bool loaded_ = false;
  wire::Cycles clock_; ///< end of the last run; the next one starts there on all IPUs
  // The row server and the hub have threads that call each other; both accept messages until the
  // end.
  PartitionControl control_;
  RowServer rows_;
  StreamServer streams_;
  CallbackExecutor calls_;
  std::chrono::milliseconds callbackTimeout_{0};
  std::string placeOfException_;
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
    // Asio and ZeroMQ throw if no thread or descriptor is left.
  } catch (const std::exception &error) {
    return Status{Code::OutOfMemory, std::string("cannot start the IPUs: ") + error.what()};
  }
}

} // namespace copse::session
