#include "numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace copse::accuracy {

std::string shortNumber(double value) {
  char text[32];
  const int digits = value >= 1000 ? 0 : 3 - static_cast<int>(std::floor(std::log10(value)));
  std::snprintf(text, sizeof text, "%.*f", std::max(0, digits), value);
  std::string number = text;
  if (number.find('.') != std::string::npos)
    number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.'))
    number.pop_back();
  return number;
}

std::string percent(double difference) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * difference);
  return text;
}

} // namespace copse::accuracy
