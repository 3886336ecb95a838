#pragma once

#include "ipud/session_message.hpp"
#include "wire/result.hpp"
#include "wire/step_times.hpp"
#include "wire/vertex_cycles.hpp"

#include <cstddef>
#include <vector>

namespace copse::session {

/// Reads the answer to CyclesQuery.
/// \param vertices  of each compute set, as the IPU's image has them
/// \returns BadFrame for another answer
wire::Result<wire::MeasuredCycles> vertexCyclesIn(const ipud::SessionMessage &message,
                                                  const std::vector<std::size_t> &vertices);

/// Reads the answer to TimesQuery.
/// \param steps  of the IPU's image
/// \returns BadFrame for another answer
wire::Result<wire::StepTimes> stepTimesIn(const ipud::SessionMessage &message, std::size_t steps);

} // namespace copse::session
