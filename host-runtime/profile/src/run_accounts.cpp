#include "run_accounts.hpp"

#include "machine/machine_models.hpp"
#include "machine/sync_scheme.hpp"
#include "types/target_description.hpp"

#include <utility>

namespace copse::profile {
namespace {

machine::ClockedProgram clockedProgramOf(const poplar::Executable::Impl &executable) {
  machine::ClockedProgram program;
  for (const wire::Image &image : executable.program.images)
    program.images.push_back(&image);
  program.replicas = executable.program.replicas;
  program.syncConfiguration = machine::syncConfigurationOf(executable.target);
  return program;
}

} // namespace

RunAccounts::RunAccounts(const poplar::Executable::Impl &executable)
    : clocks_(
          machine::timingModelOf(types::describe(executable.target), executable.program.replicas),
          clockedProgramOf(executable)) {}

std::vector<std::uint64_t> RunAccounts::of(const RunRecord &run, const RunObservations &observed) {
  if (clocks_.firstBranch(run.program))
    return {};
  clocks_.setMeasured(observed.cycles);
  clocks_.run(run.program, {run.from}, [&](std::uint32_t stream, std::uint32_t /*replica*/) {
    return observed.prefetched.at(stream);
  });
  if (clocks_.latest().value != run.to)
    return {};
  std::vector<std::uint64_t> cycles;
  for (const wire::Cycles spent : clocks_.cyclesOfLatest())
    cycles.push_back(spent.value);
  return cycles;
}

} // namespace copse::profile
