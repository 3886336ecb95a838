#pragma once

#include "poplar/SerializationFormat.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

namespace copse::graph {

/// Writes one object as JSON or CBOR, member by member and with lists entry by entry, so that a
/// graph of a million vertices is not duplicated in memory.
class DocumentWriter {
public:
  /// \param members  number of members, at most 23
  DocumentWriter(std::ostream &out, poplar::SerializationFormat format, std::uint8_t members);

  void member(const std::string &name, const nlohmann::json &value);
  /// \param entry  called with 0 to \p entries - 1; returns the entry
  template <class Entry>
  void list(const std::string &name, std::size_t entries, const Entry &entry) {
    beginList(name);
    for (std::size_t i = 0; i < entries; ++i)
      append(entry(i), i == 0);
    endList();
  }
  /// Call after the last member.
  void finish();

private:
  void beginList(const std::string &name);
  void append(const nlohmann::json &entry, bool first);
  void endList();
  void writeName(const std::string &name);
  void write(const nlohmann::json &value);

  std::ostream &out_;
  const bool text_;
  bool first_ = true;
};

} // namespace copse::graph
