#include "modelled_machine.hpp"

#include "clock/timing_model.hpp"
#include "cost_report.hpp"
#include "modelled_rows.hpp"
#include "vertex_probe.hpp"

#include "engine/assumptions.hpp"
#include "ipud/step_names.hpp"
#include "ipud/validate.hpp"
#include "machine/partition_clocks.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace copse::engine {

using machine::PartitionClocks;
using session::RunReport;
using session::StreamHandler;
using wire::Code;
using wire::Status;

namespace {

Status dependsOnData(const wire::Image &image, std::uint32_t step) {
  const std::string where = ipud::describeStep(image, step);
  if (image.steps[step].op == wire::Op::Abort)
    return {Code::InvalidOption, where + ": the program ends here with an error: " +
                                     image.messages[image.steps[step].index]};
  return {Code::InvalidOption,
          where +
              ": modelled cycles depend on data here, which are not computed without an "
              "execution; say what to assume with copse run --assume or COPSE_ASSUME, for "
              "example " +
              Assumptions::exampleFor(image, step) + ", or execute the program"};
}

/// The rows of clocks that are no program's: a row is ready if its stream can prefetch.
class AssumedRows final : public machine::HostRows {
public:
  using Prefetches = std::function<bool(std::uint32_t stream, std::uint32_t replica)>;
  explicit AssumedRows(Prefetches prefetches) : prefetches_(std::move(prefetches)) {}
  bool isReady(std::uint32_t stream, std::uint32_t replica, wire::Cycles /*now*/) override {
    return prefetches_(stream, replica);
  }

private:
  Prefetches prefetches_;
};

/// Says so once in a process, so that zeros are not taken for results.
constexpr const char *kZeros = "time only: data are not computed; all that this program reads from "
                               "its devices is zeros, except for counts of cycles";

class ModelledMachine final : public session::Machine {
public:
  ModelledMachine(session::MachineOptions options, clock::TimingModel timing)
      : options_(std::move(options)), timing_(std::move(timing)) {
    const auto &pod = timing_.machine().pod;
    if (pod && pod->gatewayLinks != clock::GatewayLinks::None)
      gatewaysFree_.emplace(machine::withoutGatewayLinks(timing_.machine()), options_.topology,
                            options_.ipus);
  }

  Status load(session::Program program, const session::ProgressHandlers & /*progress*/) override {
    unloadProgram();
    for (const auto &image : program.images)
      if (Status status = ipud::validate(*image); !status.ok())
        return status;
    program_ = std::move(program);
    clocks_ = newClocks({});
    rows_.emplace(program_, clocks_->clockWords(), [this] { tellOfZeros(); });
    costs_ = CostReport::ofEnvironment(timing_.machine().tileClockHz,
                                       [this](machine::Cost free) { return newClocks(free); });
    if (std::ranges::none_of(program_.images,
                             [](const auto &image) { return wire::hasMeasuredVertices(*image); }))
      return Status::success();
    auto probe = VertexProbe::start(options_, program_);
    if (!probe)
      return probe.status();
    probe_ = std::move(*probe);
    return Status::success();
  }

  wire::Result<RunReport> run(std::uint32_t index, StreamHandler &handler,
                              const session::ProgressHandlers & /*progress*/) override {
    if (!clocks_)
      return Status{Code::Cancelled, "no program is loaded"};
    if (const auto step = clocks_->firstUndecided(index))
      return dependsOnData(*program_.images.front(), *step);
    if (Status status = probe(index, handler); !status.ok())
      return status;
    const wire::Cycles start = clock_;
    rows_->beginRun(index, start, handler);
    clocks_->run(index, start, *rows_);
    if (costs_) {
      AssumedRows rows([&](std::uint32_t stream, std::uint32_t replica) {
        return rows_->mayPrefetch(stream, replica);
      });
      costs_->ran(index, *clocks_, start, program_.replicas, rows);
    }
    RunReport report;
    for (const wire::Cycles end : clocks_->now())
      report.ipus.push_back({start, end});
    clock_ = report.end();
    return report;
  }

  std::string placeOfException() const override { return rows_ ? rows_->place() : ""; }
  void invalidatePrefetched(std::uint32_t stream, StreamHandler &handler) override {
    if (rows_)
      rows_->drop(stream, handler);
  }
  void endRows(std::uint64_t /*rows*/) override {}
  bool awaitCalls() override { return true; }

  Status read(std::uint32_t view, std::span<std::byte> rows) override {
    std::ranges::fill(rows, std::byte{0});
    if (!clocks_ || !readClocks(view, rows))
      tellOfZeros();
    return Status::success();
  }
  Status write(std::uint32_t view, std::span<const std::byte> rows) override {
    if (!probe_)
      return Status::success();
    std::uint64_t row = 0;
    for (const auto &image : program_.images)
      row = std::max(row, image->hostViews[view].rowBytes);
    return probe_->write(view, rows.first(row));
  }
  Status readRow(std::uint32_t /*buffer*/, std::uint32_t /*replica*/, std::uint64_t /*row*/,
                 std::span<std::byte> bytes) override {
    tellOfZeros();
    std::ranges::fill(bytes, std::byte{0});
    return Status::success();
  }
  Status writeRow(std::uint32_t /*buffer*/, std::uint32_t /*replica*/, std::uint64_t /*row*/,
                  std::span<const std::byte> /*bytes*/) override {
    return Status::success();
  }

  wire::Result<std::vector<std::vector<wire::session::LinkTraffic>>> links() override {
    return Status{Code::InvalidOption, "a device without execution has no links to count on"};
  }
  wire::Result<std::vector<wire::MeasuredCycles>> vertexCycles() override { return measured_; }
  wire::Result<std::vector<wire::StepTimes>> stepTimes() override {
    return std::vector<wire::StepTimes>{}; // no step is executed
  }

  Status unload() override {
    unloadProgram();
    return Status::success();
  }
  Status injectErrors(std::span<const session::InjectedError> /*errors*/) override {
    return Status::success(); // there is no memory
  }
  std::uint32_t ipus() const override { return options_.ipus; }
  std::vector<int> processes() const override { return {}; }

private:
  void unloadProgram() {
    rows_.reset();
    costs_.reset();
    clocks_.reset();
    probe_.reset();
    probed_.clear();
    measured_.clear();
    clock_ = {};
  }

  /// Returns clocks of the loaded program.
  /// \param free  takes no time; nothing: all costs do
  std::unique_ptr<PartitionClocks> newClocks(std::optional<machine::Cost> free) {
    machine::ClockedProgram clocked;
    for (const auto &image : program_.images)
      clocked.images.push_back(image.get());
    clocked.replicas = program_.replicas;
    clocked.syncConfiguration = program_.syncConfiguration;
    clocked.gatewaysFree = gatewaysFree_;
    clocked.free = free;
    const bool withoutGateways = free == machine::Cost::GatewayLinks && gatewaysFree_;
    auto clocks = std::make_unique<PartitionClocks>(withoutGateways ? *gatewaysFree_ : timing_,
                                                    std::move(clocked));
    clocks->setDecisions(
        [this](std::uint32_t step) { return assumptions_.at(*program_.images.front(), step); });
    return clocks;
  }

  /// Executes a program once to count its vertices' cycles, which are assumed not to change in
  /// later runs.
  Status probe(std::uint32_t index, StreamHandler &handler) {
    if (!probe_ || !probed_.insert(index).second)
      return Status::success();
    auto measured = probe_->run(index, handler);
    if (!measured)
      return {measured.status().code,
              "while one replica counted its vertices' cycles: " + measured.status().message};
    measured_ = std::move(*measured);
    clocks_->setMeasured(measured_);
    if (costs_)
      costs_->setMeasured(measured_);
    return Status::success();
  }

  void tellOfZeros() const {
    if (options_.warn)
      options_.warn(kZeros);
  }
  /// Writes what the program has read of the clocks into the rows of a view.
  /// \returns false if there is nothing
  bool readClocks(std::uint32_t view, std::span<std::byte> rows) const {
    bool any = false;
    for (std::uint32_t replica = 0; replica < program_.replicas; ++replica)
      for (const auto &image : program_.images) {
        const std::size_t row = rows.size() / program_.replicas;
        any |= clocks_->clockWords().copyTo(image->hostViews[view],
                                            replica * image->ipusPerReplica + image->ipu,
                                            rows.subspan(replica * row, row));
      }
    return any;
  }

  session::MachineOptions options_;
  clock::TimingModel timing_;
  /// The machine whose GW-Links take no time; empty: there are no GW-Links.
  std::optional<clock::TimingModel> gatewaysFree_;
  const Assumptions assumptions_ = Assumptions::ofEnvironment();
  session::Program program_;
  std::unique_ptr<PartitionClocks> clocks_; ///< clocks of the loaded program; null: none is loaded
  std::optional<ModelledRows> rows_;        ///< rows of the loaded program; empty: none is loaded
  std::unique_ptr<CostReport> costs_;       ///< null: none is asked for
  std::unique_ptr<VertexProbe> probe_;      ///< null: all cycles are known without execution
  std::set<std::uint32_t> probed_;
  std::vector<wire::MeasuredCycles> measured_;
  wire::Cycles clock_; ///< end of the last run
};

} // namespace

wire::Result<std::unique_ptr<session::Machine>>
startModelledMachine(session::MachineOptions options) {
  auto model = clock::parseMachineModel(options.machineModel);
  if (!model)
    return model.status();
  clock::TimingModel timing(std::move(*model), options.topology, options.ipus);
  return std::unique_ptr<session::Machine>(
      std::make_unique<ModelledMachine>(std::move(options), std::move(timing)));
}

} // namespace copse::engine
