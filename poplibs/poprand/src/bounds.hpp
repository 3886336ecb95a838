#pragma once

#include <poplar/Type.hpp>

namespace poprand {

/// Returns the smallest number of \p type, FLOAT or HALF, that is not below \p x.
float leastNotBelow(const poplar::Type &type, double x);
/// Returns the largest number of \p type, FLOAT or HALF, that is not above \p x.
float greatestNotAbove(const poplar::Type &type, double x);

} // namespace poprand
