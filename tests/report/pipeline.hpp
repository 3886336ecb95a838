#pragma once

#include <pva/pva.hpp>
#include <string>

namespace copse::test {

/// Runs a small pipeline over the four IPUs of a model, with a stream, a remote buffer, and a
/// compute set in which one tile has most of the work. Writes profile.pop to \p directory, and a
/// page to \p page if that is not empty.
/// \param numbers  that each tile works on: more of them take more memory and time
/// \returns the report of the same engine
pva::Report runPipeline(const std::string &directory, unsigned numbers,
                        const std::string &page = "");

} // namespace copse::test
