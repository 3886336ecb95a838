#include "environment_options.hpp"

#include "poplar/exceptions.hpp"

#include <cstdlib>
#include <string>

namespace copse::types {

poplar::OptionFlags withEnvironment(const poplar::OptionFlags &flags, const char *variable) {
  poplar::OptionFlags merged = flags;
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return merged;
  try {
    poplar::readJSON(text, merged);
  } catch (const poplar::parse_error &e) {
    throw poplar::parse_error("environment variable " + std::string(variable) + ": " + e.what());
  }
  return merged;
}

} // namespace copse::types
