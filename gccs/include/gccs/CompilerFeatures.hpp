#pragma once

/// Marks a declaration as deprecated.
#if defined(__GNUC__) || defined(__clang__)
#define GC_DEPRECATED __attribute__((deprecated))
/// Marks a declaration as deprecated, with a message that names the replacement.
#define GC_DEPRECATED_MSG(message) __attribute__((deprecated(message)))
#else
#define GC_DEPRECATED
#define GC_DEPRECATED_MSG(message)
#endif
