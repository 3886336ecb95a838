#include "gp_object.hpp"

#include <bit>
#include <stdexcept>

namespace copse::popc {
namespace {

using assembler::Object;
using assembler::Relocation;
using assembler::RelocationKind;
using assembler::Section;
using assembler::SourceLine;
using assembler::StackUse;
using assembler::Symbol;
using nlohmann::json;

void require(bool condition, const char *what) {
  if (!condition)
    throw std::out_of_range(what);
}

/// Writes records of numbers as one flat list, because there are many.
json toJson(const std::vector<Relocation> &relocations) {
  json list = json::array();
  for (const Relocation &r : relocations)
    list.push_back(
        {r.offset, static_cast<unsigned>(r.kind), r.isSection ? 1 : 0, r.target, r.addend});
  return list;
}

std::vector<Relocation> relocationsFrom(const json &list) {
  std::vector<Relocation> relocations;
  for (const json &r : list) {
    const auto kind = r.at(1).get<unsigned>();
    require(kind <= static_cast<unsigned>(RelocationKind::Setzi20), "kind of a relocation");
    relocations.push_back(
        {r.at(0), static_cast<RelocationKind>(kind), r.at(2).get<int>() != 0, r.at(3), r.at(4)});
  }
  return relocations;
}

json toJson(const std::vector<SourceLine> &lines) {
  json list = json::array();
  for (const SourceLine &line : lines)
    list.push_back({line.offset, line.file, line.line});
  return list;
}

std::vector<SourceLine> linesFrom(const json &list) {
  std::vector<SourceLine> lines;
  for (const json &line : list)
    lines.push_back({line.at(0), line.at(1), line.at(2)});
  return lines;
}

json toJson(const Section &section) {
  return {{"name", section.name},
          {"isExecutable", section.isExecutable},
          {"isWorkerCode", section.isWorkerCode},
          {"align", section.align},
          {"bytes", section.bytes.size()},
          {"relocations", toJson(section.relocations)},
          {"lines", toJson(section.lines)}};
}

Section sectionFrom(const json &j, std::string_view &blobs) {
  Section section;
  section.name = j.at("name");
  section.isExecutable = j.at("isExecutable");
  section.isWorkerCode = j.at("isWorkerCode");
  section.align = j.at("align");
  section.bytes = takeBytes(blobs, j.at("bytes").get<std::uint64_t>());
  section.relocations = relocationsFrom(j.at("relocations"));
  section.lines = linesFrom(j.at("lines"));
  return section;
}

json toJson(const Symbol &symbol) {
  return {{"name", symbol.name}, {"section", symbol.section},   {"offset", symbol.offset},
          {"size", symbol.size}, {"isGlobal", symbol.isGlobal}, {"isFunction", symbol.isFunction}};
}

Symbol symbolFrom(const json &j) {
  return {j.at("name"), j.at("section"),  j.at("offset"),
          j.at("size"), j.at("isGlobal"), j.at("isFunction")};
}

std::uint64_t bytesOf(RelocationKind kind) {
  switch (kind) {
  case RelocationKind::Bytes1:
    return 1;
  case RelocationKind::Bytes2:
    return 2;
  default:
    return 4;
  }
}

void checkSection(const Section &section, const Object &object) {
  constexpr std::uint32_t kMaxAlign = 1 << 16;
  require(std::has_single_bit(section.align) && section.align <= kMaxAlign, "alignment");
  for (const Relocation &r : section.relocations) {
    require(r.offset + bytesOf(r.kind) <= section.bytes.size(), "place of a relocation");
    require(r.target < (r.isSection ? object.sections.size() : object.symbols.size()),
            "target of a relocation");
  }
  for (const SourceLine &line : section.lines)
    require(line.file < object.files.size(), "file of a line");
}

void check(const Object &object) {
  for (const Section &section : object.sections)
    checkSection(section, object);
  for (const Symbol &symbol : object.symbols)
    require(symbol.section == assembler::kNoSection || symbol.section == assembler::kAbsolute ||
                (symbol.section < object.sections.size() &&
                 symbol.offset <= object.sections[symbol.section].bytes.size()),
            "place of a symbol");
}

} // namespace

std::vector<std::byte> takeBytes(std::string_view &blobs, std::uint64_t count) {
  if (count > blobs.size())
    throw std::out_of_range("code of " + std::to_string(count) + " bytes");
  const auto *data = reinterpret_cast<const std::byte *>(blobs.data());
  blobs.remove_prefix(count);
  return {data, data + count};
}

json objectTable(const Object &object) {
  json sections = json::array(), symbols = json::array(), stacks = json::array();
  for (const Section &section : object.sections)
    sections.push_back(toJson(section));
  for (const Symbol &symbol : object.symbols)
    symbols.push_back(toJson(symbol));
  for (const StackUse &use : object.stackUses)
    stacks.push_back({use.name, use.bytes, use.isTotal});
  return {{"architecture", static_cast<unsigned>(object.architecture)},
          {"sections", std::move(sections)},
          {"symbols", std::move(symbols)},
          {"stacks", std::move(stacks)},
          {"files", object.files}};
}

Object objectFrom(const json &table, std::string_view &blobs) {
  Object object;
  const auto architecture = table.at("architecture").get<unsigned>();
  require(architecture <= static_cast<unsigned>(isa::Architecture::Ipu21), "architecture");
  object.architecture = static_cast<isa::Architecture>(architecture);
  for (const json &section : table.at("sections"))
    object.sections.push_back(sectionFrom(section, blobs));
  for (const json &symbol : table.at("symbols"))
    object.symbols.push_back(symbolFrom(symbol));
  for (const json &use : table.at("stacks"))
    object.stackUses.push_back({use.at(0), use.at(1), use.at(2)});
  object.files = table.at("files").get<std::vector<std::string>>();
  check(object);
  return object;
}

} // namespace copse::popc
