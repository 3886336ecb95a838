#include "modelled_machine.hpp"

#include "clock/timing_model.hpp"
#include "vertex_probe.hpp"

#include "ipud/step_names.hpp"
#include "ipud/validate.hpp"
#include "machine/partition_clocks.hpp"
#include "wire/vertex_cycles.hpp"

#include <algorithm>
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

Status hasNoData(const char *what) {
  return {Code::InvalidOption, std::string(what) +
                                   " cannot be read: the device was made with copse.execution "
                                   "'modelled', so it has modelled cycles and no data"};
}

Status dependsOnData(const wire::Image &image, std::uint32_t step) {
  return {Code::InvalidOption,
          ipud::describeStep(image, step) +
              ": modelled cycles depend on data here, which a device with copse.execution "
              "'modelled' does not have; run the program on a device that executes"};
}

class ModelledMachine final : public session::Machine {
public:
  ModelledMachine(session::MachineOptions options, clock::TimingModel timing)
      : options_(std::move(options)), timing_(std::move(timing)) {}

  Status load(session::Program program, const session::ProgressHandlers & /*progress*/) override {
    unloadProgram();
    for (const auto &image : program.images)
      if (Status status = ipud::validate(*image); !status.ok())
        return status;
    program_ = std::move(program);
    machine::ClockedProgram clocked;
    for (const auto &image : program_.images)
      clocked.images.push_back(image.get());
    clocked.replicas = program_.replicas;
    clocked.syncConfiguration = program_.syncConfiguration;
    clocks_.emplace(timing_, std::move(clocked));
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
    if (const auto step = clocks_->firstBranch(index))
      return dependsOnData(*program_.images.front(), *step);
    if (Status status = probe(index); !status.ok())
      return status;
    const wire::Cycles start = clock_;
    clocks_->run(index, start, [&](std::uint32_t stream, std::uint32_t replica) {
      return isPrefetched(stream, replica, handler);
    });
    RunReport report;
    for (const wire::Cycles end : clocks_->now())
      report.ipus.push_back({start, end});
    clock_ = report.end();
    return report;
  }

  std::string placeOfException() const override { return {}; } // there are no callbacks
  void invalidatePrefetched(std::uint32_t /*stream*/, StreamHandler & /*handler*/) override {}
  void endRows(std::uint64_t /*rows*/) override {}
  bool awaitCalls() override { return true; }

  Status read(std::uint32_t /*view*/, std::span<std::byte> /*rows*/) override {
    return hasNoData("a tensor");
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
                 std::span<std::byte> /*bytes*/) override {
    return hasNoData("a row of a remote buffer");
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
    clocks_.reset();
    probe_.reset();
    probed_.clear();
    measured_.clear();
    clock_ = {};
  }

  /// Executes a program once to count its vertices' cycles, which are assumed not to change in
  /// later runs.
  Status probe(std::uint32_t index) {
    if (!probe_ || !probed_.insert(index).second)
      return Status::success();
    auto measured = probe_->run(index);
    if (!measured)
      return {measured.status().code, "while one replica counted its vertices' cycles, on zeros "
                                      "from the host: " +
                                          measured.status().message};
    measured_ = std::move(*measured);
    clocks_->setMeasured(measured_);
    return Status::success();
  }

  bool isPrefetched(std::uint32_t stream, std::uint32_t replica,
                    const StreamHandler &handler) const {
    const session::StreamDescription &description = program_.streams[stream];
    return program_.prefetch && description.prefetch &&
           handler.mayWait(StreamHandler::Call::Prefetch, stream,
                           description.broadcast ? 0 : replica);
  }

  session::MachineOptions options_;
  clock::TimingModel timing_;
  session::Program program_;
  std::optional<PartitionClocks> clocks_; ///< of the program; empty: none is loaded
  std::unique_ptr<VertexProbe> probe_;    ///< null: all cycles are known without execution
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
