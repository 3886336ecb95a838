#include "environment_options.hpp"

#include "poplar/exceptions.hpp"
#include "wire/environment.hpp"

#include <string>

namespace poplar {

void readJSONFromEnv(StringRef variable, OptionFlags &flags) {
  const std::string name = variable.cloneAsString();
  const std::string text = copse::wire::environmentVariable(name.c_str());
  if (text.empty())
    return;
  try {
    readJSON(text, flags);
  } catch (const parse_error &e) {
    throw parse_error("environment variable " + name + ": " + e.what());
  }
}

} // namespace poplar

namespace copse::types {

poplar::OptionFlags withEnvironment(const poplar::OptionFlags &flags, const char *variable) {
  poplar::OptionFlags merged = flags;
  poplar::readJSONFromEnv(variable, merged);
  return merged;
}

} // namespace copse::types
