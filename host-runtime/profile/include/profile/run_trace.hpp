#pragma once

#include "compiler/executable_impl.hpp"
#include "profile/profile_data.hpp"
#include "profile/run_observations.hpp"
#include "types/trace.hpp"
#include "wire/step_times.hpp"

#include <cstdint>
#include <vector>

namespace copse::profile {

/// The wall-clock time of a run [microseconds, as Trace::now()].
struct WallSpan {
  double from = 0, to = 0;
};

/// Writes a run to \p trace: a row for each IPU of the first replica with its steps on the modelled
/// clock, which begins at the run's wall-clock start, and beside it a row with the run and its
/// steps on the wall clock.
/// \param times  times of each IPU of a replica; empty if unknown
void traceRun(types::Trace &trace, const poplar::Executable::Impl &executable, const RunRecord &run,
              const RunObservations &observed, WallSpan wall,
              const std::vector<wire::StepTimes> &times);

} // namespace copse::profile
