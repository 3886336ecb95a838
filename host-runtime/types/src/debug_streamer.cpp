#include "types/debug_streamer.hpp"

#include "poplar/exceptions.hpp"

#include <utility>

namespace copse::types {
namespace {

// CBOR (RFC 8949): a map of two entries, and a list of unknown length.
constexpr std::uint8_t kMapOfTwo = 0xA2, kOpenList = 0x9F, kBreak = 0xFF;

} // namespace

DebugStreamer::DebugStreamer(const std::string &fileName, poplar::DebugSerializationFormat format)
    : format_(format), file_(fileName, std::ios::binary | std::ios::trunc) {
  if (!file_)
    throw poplar::file_load_error("cannot write the debug file '" + fileName + "'");
  if (format_ == poplar::DebugSerializationFormat::JSON) {
    file_ << "{\"contexts\":[";
  } else {
    appendByte(kMapOfTwo);
    append("contexts");
    appendByte(kOpenList);
  }
}

DebugStreamer::~DebugStreamer() { close(); }

void DebugStreamer::write(nlohmann::json context, const std::string &name,
                          const std::optional<DebugLocation> &location) {
  if (!context.contains("name"))
    context["name"] = indexOf(name);
  if (location) {
    context["location"] = {{"fileName", indexOf(location->file)},
                           {"functionName", indexOf(location->function)},
                           {"lineNumber", location->line}};
  }
  if (format_ == poplar::DebugSerializationFormat::JSON && !std::exchange(first_, false))
    file_ << ",\n";
  append(context);
}

void DebugStreamer::close() {
  if (!std::exchange(open_, false))
    return;
  if (format_ == poplar::DebugSerializationFormat::JSON) {
    file_ << "],\n\"stringTable\":";
    append(strings_);
    file_ << "}\n";
  } else {
    appendByte(kBreak);
    append("stringTable");
    append(strings_);
  }
  file_.close();
}

std::size_t DebugStreamer::indexOf(const std::string &text) {
  const auto [entry, added] = indices_.try_emplace(text, strings_.size());
  if (added)
    strings_.push_back(text);
  return entry->second;
}

void DebugStreamer::append(const nlohmann::json &value) {
  if (format_ == poplar::DebugSerializationFormat::JSON)
    file_ << value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  else
    nlohmann::json::to_cbor(value, file_);
}

} // namespace copse::types
