#pragma once

namespace copse::types {

/// Whether `copse check` runs this program ($COPSE_CHECK): codelets are then compiled with checked accesses, and images
/// say what vertices were given.
bool isCheckedRun();

} // namespace copse::types
