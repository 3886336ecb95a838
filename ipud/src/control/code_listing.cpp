#include "control/code_listing.hpp"

#include "isa/instruction.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::ipud {
namespace {

using Json = nlohmann::ordered_json;

Json namesOf(const wire::CodeSection &section, const wire::Image &image) {
  Json names = Json::object();
  for (const wire::CodeSymbol &symbol : section.symbols)
    names.emplace(symbol.name, symbol.address);
  for (const wire::CodeLine &line : section.lines)
    names.emplace(image.sourceFiles[line.file] + ":" + std::to_string(line.line), line.address);
  return names;
}

Json codeOf(const wire::CodeSection &section, const wire::Image &image) {
  Json code = Json::array();
  for (std::uint32_t at = 0; at + 4 <= section.bytes; at += 4) {
    std::array<std::uint32_t, 2> words{};
    std::memcpy(words.data(), image.data.data() + section.offset + at,
                std::min<std::uint32_t>(sizeof words, section.bytes - at));
    code.push_back(
        {(words[0] & isa::kBundleBit) != 0 ? 8 : 4,
         codeText(words, placeIn(section, image, section.address + at), image.architecture)});
  }
  return code;
}

} // namespace

std::string codeText(const std::array<std::uint32_t, 2> &words, const CodePlace &place,
                     wire::Architecture architecture) {
  std::string text = instructionText(words, architecture);
  for (const std::string &more : {place.symbol, place.source})
    if (!more.empty())
      text += "  " + more;
  return text;
}

void writeCodeListing(const wire::Image &image, const std::filesystem::path &path) {
  Json sections = Json::array();
  for (const wire::CodeSection &section : image.code)
    if (!section.isForNativeCode)
      sections.push_back({{"tiles", section.tiles},
                          {"address", section.address},
                          {"names", namesOf(section, image)},
                          {"code", codeOf(section, image)}});
  std::ofstream(path) << sections.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace copse::ipud
