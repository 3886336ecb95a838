#pragma once

#include "wire/result.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace copse::cluster {

/// A JSON document that knows the line of each of its values, for messages to people.
struct LocatedJson { // NOLINT(bugprone-exception-escape): a JSON value can be moved without any
  using Pointer = nlohmann::json::json_pointer;

  nlohmann::json value;
  std::map<std::string, unsigned> lines; ///< by JSON pointer, such as "/ipus/2/control"; from 1

  /// Returns the line of \p at, or of the value that would contain it if there is no such value.
  unsigned lineOf(Pointer at) const;
};

/// Parses a document. Any text is safe.
/// \returns BadFrame, "line N: why", if the text is not a JSON document, has a key twice in one
///   object, or is nested too deeply
wire::Result<LocatedJson> parseLocated(const std::string &text);

} // namespace copse::cluster
