#pragma once

#include "choice.hpp"

namespace gcl {

/// Logs how a collective is carried out, to stderr, if $GCL_LOG_LEVEL is INFO or higher. With DEBUG
/// it also logs the cost of the other ways.
/// \throws poputil::poplibs_error  if the variable is not a level
void logChoice(const Task &task, const Candidate &chosen, const std::vector<Candidate> &all);

} // namespace gcl
