#pragma once

#include "wire/result.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace copse::cluster {

/// A JSON document that knows on which line each of its values stands, for messages to people.
struct LocatedJson { // NOLINT(bugprone-exception-escape): a JSON value can be moved without any
  using Pointer = nlohmann::json::json_pointer;

  nlohmann::json value;
  std::map<std::string, unsigned> lines; ///< by JSON pointer, such as "/ipus/2/control"; from 1

  /// Where \p at stands, or what it would be part of when there is no such value.
  unsigned lineOf(Pointer at) const;
};

/// Any text is safe.
/// \returns BadFrame, "line N: why", for what is no JSON document, names a key twice in one object,
///   or is nested too deeply
wire::Result<LocatedJson> parseLocated(const std::string &text);

} // namespace copse::cluster
