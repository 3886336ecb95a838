#pragma once

namespace copse::test {

/// True in the tsan preset. Thread sanitizer holds signals back until the next call of a library,
/// so a codelet that never returns cannot be interrupted under it, and its shadow memory counts as
/// resident.
#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

} // namespace copse::test
