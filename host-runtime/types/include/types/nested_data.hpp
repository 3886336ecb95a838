#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

namespace copse::types {

/// The nesting limit for lists and maps in files that Copse reads. Copse's own files have fewer
/// than twenty levels.
inline constexpr std::size_t kMostLevels = 200;

[[noreturn]] inline void refuseLevels() {
  throw nlohmann::json::other_error::create(501, "the data are nested too deeply", nullptr);
}

/// A parser that recurses would exhaust its stack on deeply nested data of a hostile peer or file.
/// This class builds a document event by event, and refuses more than kMostLevels levels.
class BoundedDocument : public nlohmann::detail::json_sax_dom_parser<nlohmann::json> {
public:
  using nlohmann::detail::json_sax_dom_parser<nlohmann::json>::json_sax_dom_parser;

  bool start_object(std::size_t size) { // NOLINT(readability-identifier-naming)
    enter();
    return json_sax_dom_parser::start_object(size);
  }
  bool end_object() { // NOLINT(readability-identifier-naming)
    --levels_;
    return json_sax_dom_parser::end_object();
  }
  bool start_array(std::size_t size) { // NOLINT(readability-identifier-naming)
    enter();
    return json_sax_dom_parser::start_array(size);
  }
  bool end_array() { // NOLINT(readability-identifier-naming)
    --levels_;
    return json_sax_dom_parser::end_array();
  }

private:
  void enter() {
    if (++levels_ > kMostLevels)
      refuseLevels();
  }
  std::size_t levels_ = 0;
};

/// Parses CBOR from a stream or a string, possibly an untrusted file. The parser of nlohmann::json
/// recurses at each level, so 100 kB of nested lists would overflow the stack.
/// \throws nlohmann::json::exception
template <class Input>
nlohmann::json
parseCbor(Input &&input,
          nlohmann::json::cbor_tag_handler_t tags = nlohmann::json::cbor_tag_handler_t::error) {
  using nlohmann::json;
  json result;
  BoundedDocument document(result, true);
  auto adapter = nlohmann::detail::input_adapter(std::forward<Input>(input));
  nlohmann::detail::binary_reader<json, decltype(adapter), BoundedDocument> reader(
      std::move(adapter), json::input_format_t::cbor);
  reader.sax_parse(json::input_format_t::cbor, &document, true, tags);
  return result;
}

/// Parses JSON from a stream or a string, with the limit kMostLevels, because code that walks
/// through the document recurses.
/// \throws nlohmann::json::exception
template <class Input> nlohmann::json parseJson(Input &&input) {
  nlohmann::json result;
  BoundedDocument document(result, true);
  nlohmann::json::sax_parse(std::forward<Input>(input), &document);
  return result;
}

} // namespace copse::types
