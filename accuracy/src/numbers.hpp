#pragma once

#include <string>

namespace copse::accuracy {

/// Returns \p value with four significant digits.
std::string shortNumber(double value);

/// Returns a signed difference as "+1.5 %".
std::string percent(double difference);

} // namespace copse::accuracy
