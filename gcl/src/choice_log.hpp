#pragma once

#include "choice.hpp"

namespace gcl {

/// Writes how a collective is done to stderr, if $GCL_LOG_LEVEL is INFO or more; with DEBUG, also what
/// the other ways would take.
/// \throws poputil::poplibs_error if the variable is no level
void logChoice(const Task &task, const Candidate &chosen, const std::vector<Candidate> &all);

} // namespace gcl
