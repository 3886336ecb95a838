#pragma once

/// Marks a declaration as one that users should replace, and by what.
#if defined(__GNUC__) || defined(__clang__)
#define GC_DEPRECATED __attribute__((deprecated))
#define GC_DEPRECATED_MSG(message) __attribute__((deprecated(message)))
#else
#define GC_DEPRECATED
#define GC_DEPRECATED_MSG(message)
#endif
