#pragma once

#include "poplar/DebugContext.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace copse::types {

/// A source location that owns its names, because a program may free the names of a
/// poplar::SourceLocation with its context.
struct DebugLocation {
  std::string file, function;
  unsigned line = 0;
};

/// Returns true if this process has ever made a poplar::DebugInfo. May be called on any thread.
bool hasDebugInfo();

/// Writes a debug file: `{"contexts": [...], "stringTable": [...]}`, in JSON or CBOR. Contexts are
/// written as they come; close() writes the strings to which they refer by number.
///
/// Thread: one at a time, guarded by DebugInfo's lock.
class DebugStreamer {
public:
  /// \throws poplar::file_load_error if the file cannot be written
  DebugStreamer(const std::string &fileName, poplar::DebugSerializationFormat format);
  ~DebugStreamer();

  /// Writes \p context, a JSON object, with its `location` added, and its `name` if it has none.
  /// The name is the number of \p name, which may be empty, in the string table.
  void write(nlohmann::json context, const std::string &name,
             const std::optional<DebugLocation> &location);
  /// Completes the file; nothing can be written afterwards.
  void close();

private:
  std::size_t indexOf(const std::string &text); // in the string table
  void append(const nlohmann::json &value);
  void appendByte(std::uint8_t byte) { file_.put(static_cast<char>(byte)); }

  poplar::DebugSerializationFormat format_;
  std::ofstream file_;
  bool open_ = true;
  bool first_ = true;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::size_t> indices_;
};

} // namespace copse::types
