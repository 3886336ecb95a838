#pragma once

/// Marks a declaration as one that users should replace.
#if defined(__GNUC__) || defined(__clang__)
#define GC_DEPRECATED __attribute__((deprecated))
#else
#define GC_DEPRECATED
#endif
