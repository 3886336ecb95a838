#pragma once

#include "ipud/session_message.hpp"
#include "wire/result.hpp"
#include "wire/step_times.hpp"
#include "wire/vertex_cycles.hpp"

#include <cstddef>
#include <vector>

namespace copse::session {

/// Reads the answer to CyclesQuery.
/// \param vertices  number of vertices of each compute set in the IPU's image
/// \returns BadFrame for any other answer
wire::Result<wire::MeasuredCycles> vertexCyclesIn(const ipud::SessionMessage &message,
                                                  const std::vector<std::size_t> &vertices);

/// Reads the answer to TimesQuery.
/// \param steps  number of steps in the IPU's image
/// \returns BadFrame for any other answer
wire::Result<wire::StepTimes> stepTimesIn(const ipud::SessionMessage &message, std::size_t steps);

} // namespace copse::session
