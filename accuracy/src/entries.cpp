#include "entries.hpp"

#include <stdexcept>

namespace copse::accuracy {

void refuseUnknown(const nlohmann::json &object, const std::set<std::string> &known) {
  for (const auto &entry : object.items())
    if (!known.contains(entry.key()))
      throw std::runtime_error("there is no entry '" + entry.key() + "'");
}

} // namespace copse::accuracy
