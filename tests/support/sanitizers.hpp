#pragma once

namespace copse::test {

/// True in the tsan preset. Thread sanitizer delays signals until the next call of a library, so a
/// codelet that never returns cannot be interrupted under it, and its shadow memory counts as
/// resident.
#ifdef __SANITIZE_THREAD__
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif

/// True in the asan preset, whose checks open descriptors of their own.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif

} // namespace copse::test
