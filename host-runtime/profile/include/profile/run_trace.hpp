#pragma once

#include "compiler/executable_impl.hpp"
#include "profile/report_data.hpp"
#include "profile/run_observations.hpp"
#include "types/trace.hpp"

#include <cstdint>
#include <vector>

namespace copse::profile {

/// When a run began and ended on the wall clock [microseconds, as types::Trace::now() counts].
struct WallSpan {
  double from = 0, to = 0;
};

/// A step of an IPU that ran [microseconds, as WallSpan].
struct TimedStep {
  std::uint32_t step = 0; ///< index into Image::steps
  WallSpan span;
};

/// Writes a run to \p trace: a row for each IPU of the first replica with its steps on the modelled clock, which begins
/// where the run began on the wall clock, and beside it a row with the run and its steps on the wall clock.
/// \param steps  shape [IPUs of a replica][steps that ran]; or empty, if that is not known
void traceRun(types::Trace &trace, const poplar::Executable::Impl &executable, const RunRecord &run,
              const RunObservations &observed, WallSpan wall,
              const std::vector<std::vector<TimedStep>> &steps);

} // namespace copse::profile
