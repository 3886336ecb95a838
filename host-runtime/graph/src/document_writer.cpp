#include "document_writer.hpp"

#include <utility>

namespace copse::graph {

namespace {
// CBOR (RFC 8949): a map of a few entries, and a list of unknown length.
constexpr char kMap = '\xA0', kOpenList = '\x9F', kBreak = '\xFF';
} // namespace

DocumentWriter::DocumentWriter(std::ostream &out, poplar::SerializationFormat format,
                               std::uint8_t members)
    : out_(out), text_(format == poplar::SerializationFormat::JSON) {
  out_.put(text_ ? '{' : static_cast<char>(kMap | members));
}

void DocumentWriter::member(const std::string &name, const nlohmann::json &value) {
  writeName(name);
  write(value);
}

void DocumentWriter::finish() {
  if (text_)
    out_ << "}\n";
}

void DocumentWriter::beginList(const std::string &name) {
  writeName(name);
  out_.put(text_ ? '[' : kOpenList);
}

void DocumentWriter::append(const nlohmann::json &entry, bool first) {
  if (text_ && !first)
    out_ << ",\n";
  write(entry);
}

void DocumentWriter::endList() { out_.put(text_ ? ']' : kBreak); }

void DocumentWriter::writeName(const std::string &name) {
  if (text_ && !std::exchange(first_, false))
    out_ << ",\n";
  write(name);
  if (text_)
    out_.put(':');
}

void DocumentWriter::write(const nlohmann::json &value) {
  if (text_)
    out_ << value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  else
    nlohmann::json::to_cbor(value, out_);
}

} // namespace copse::graph
