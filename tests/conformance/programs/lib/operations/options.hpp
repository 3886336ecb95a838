#pragma once

// Options of operations: each key has somebody who takes its value, others are refused.
#include <functional>
#include <map>
#include <poplar/OptionFlags.hpp>
#include <poplar/exceptions.hpp>
#include <string>

namespace operations {

using OptionTakers = std::map<std::string, std::function<void(poplar::StringRef)>>;

inline void parse(const poplar::OptionFlags &options, const OptionTakers &takers) {
  for (const auto &entry : options) {
    const auto taker = takers.find(entry.first);
    if (taker == takers.end())
      throw poplar::invalid_option("Unrecognised option '" + entry.first + "'");
    taker->second(entry.second);
  }
}

inline std::function<void(poplar::StringRef)> takesBool(bool &into) {
  return [&into](poplar::StringRef value) {
    if (value != "true" && value != "false")
      throw poplar::invalid_option("Invalid value '" + value + "': must be true or false");
    into = value == "true";
  };
}

} // namespace operations
