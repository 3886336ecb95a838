#include "types/checked_run.hpp"

#include "wire/environment.hpp"

namespace copse::types {

bool isCheckedRun() { return !wire::environmentVariable("COPSE_CHECK").empty(); }

} // namespace copse::types
