#pragma once

namespace lib {
template <typename T> inline T scaled(T x, T by) { return x * by; }
} // namespace lib
