#include "assembly_block.hpp"

#include "assembler/assembler.hpp"
#include "assembler/linker.hpp"
#include "popc/popc.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>

namespace copse::popc {
namespace {

const std::string kEntry = "__copseInlineAssembly";

/// With a marker before each line, so that errors name the lines of the source.
std::string withMarkers(const std::string &text, const std::vector<SourcePlace> &places) {
  std::string marked = ".globl " + kEntry + "\nDEF_STACK_USAGE 0 " + kEntry + "\n" + kEntry + ":\n";
  std::istringstream lines(text);
  SourcePlace place = places.front();
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line); ++number) {
    if (number < places.size())
      place = places[number];
    else
      ++place.line;
    marked += "# " + std::to_string(place.line) + " \"" + place.file + "\"\n" + line + "\n";
  }
  return marked;
}

std::ptrdiff_t filledSections(const assembler::Object &object) {
  return std::ranges::count_if(object.sections, [](const auto &s) { return !s.bytes.empty(); });
}

std::vector<std::uint32_t> wordsOf(const assembler::Object &object, const SourcePlace &place) {
  const assembler::Object *const objects[] = {&object};
  const std::string entries[] = {kEntry};
  const assembler::CodeRange range{wire::kAssemblyAddress,
                                   wire::kAssemblyAddress + 8 * wire::kMaxAssemblyWords, 1};
  const auto fail = [&](const std::string &why) -> CompileError {
    return CompileError(place.text() + ": error: inline assembly: " + why + "\n");
  };
  if (filledSections(object) > 1)
    throw fail("data and further sections belong in a .S file");
  try {
    const auto code = assembler::link(objects, entries, range);
    const auto &bytes = code.sections.front().bytes;
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    if (words.size() > wire::kMaxAssemblyWords)
      throw fail("more than " + std::to_string(wire::kMaxAssemblyWords) + " instructions");
    std::memcpy(words.data(), bytes.data(), 4 * words.size());
    return words;
  } catch (const assembler::LinkError &error) {
    throw fail(error.what());
  }
}

std::optional<assembler::Object> asSupervisor(const std::string &text, const SourcePlace &place,
                                              isa::Architecture architecture) {
  try {
    return assembler::assemble(".supervisor\n" + text, place.file, architecture).object;
  } catch (const assembler::AssemblyError &) {
    return std::nullopt;
  }
}

} // namespace

AssembledBlock assembledBlock(const std::string &text, const std::vector<SourcePlace> &places,
                              isa::Architecture architecture) {
  const std::string marked = withMarkers(text, places);
  AssembledBlock block;
  try {
    const auto assembled = assembler::assemble(marked, places.front().file, architecture);
    block.warnings = assembled.warnings;
    if (filledSections(assembled.object) > 0)
      block.words = wordsOf(assembled.object, places.front());
  } catch (const assembler::AssemblyError &error) {
    block.isSupervisor = asSupervisor(marked, places.front(), architecture).has_value();
    if (!block.isSupervisor)
      throw CompileError(error.what());
  }
  return block;
}

} // namespace copse::popc
