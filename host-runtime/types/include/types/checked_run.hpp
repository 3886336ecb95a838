#pragma once

namespace copse::types {

/// Returns true if `copse check` runs this program ($COPSE_CHECK). Codelets are then compiled with
/// checked accesses, and images contain the ranges that vertices were given.
bool isCheckedRun();

} // namespace copse::types
