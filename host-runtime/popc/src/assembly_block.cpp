#include "assembly_block.hpp"

#include "isa/instruction.hpp"
#include "isa/registers.hpp"

#include "assembler/assembler.hpp"
#include "assembler/linker.hpp"
#include "popc/popc.hpp"
#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

namespace copse::popc {
namespace {

const std::string kEntry = "__copseInlineAssembly";

/// Returns the text with a marker before each line, so that errors name the lines of the source.
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

CompileError failure(const SourcePlace &place, const std::string &why) {
  return CompileError{place.text() + ": error: inline assembly: " + why + "\n"};
}

/// Returns the symbols that the statement uses and does not define. Only the immediate of a setzi
/// can be filled in when the program is loaded.
std::vector<AssembledBlock::Symbol> symbolsOf(const assembler::Object &object,
                                              const SourcePlace &place) {
  std::vector<AssembledBlock::Symbol> symbols;
  for (const assembler::Section &section : object.sections)
    for (const assembler::Relocation &relocation : section.relocations) {
      if (relocation.isSection)
        continue;
      const assembler::Symbol &symbol = object.symbols[relocation.target];
      if (symbol.section != assembler::kNoSection)
        continue;
      if (relocation.kind != assembler::RelocationKind::Setzi20 || relocation.addend != 0)
        throw failure(place, "'" + symbol.name +
                                 "' is defined elsewhere, so only setzi can load its address");
      symbols.push_back({relocation.offset / sizeof(std::uint32_t), symbol.name});
    }
  std::ranges::sort(symbols, {}, &AssembledBlock::Symbol::word);
  return symbols;
}

/// \param symbols  symbols that \p object uses and does not define
std::vector<std::uint32_t> wordsOf(const assembler::Object &object,
                                   const std::vector<AssembledBlock::Symbol> &symbols,
                                   const SourcePlace &place) {
  const assembler::Object *const objects[] = {&object};
  const std::string entries[] = {kEntry};
  const assembler::CodeRange range{wire::kAssemblyAddress,
                                   wire::kAssemblyAddress + 8 * wire::kMaxAssemblyWords, 1,
                                   wire::kNativeEntries, wire::kNativeEntriesEnd};
  if (filledSections(object) > 1)
    throw failure(place, "data and further sections belong in a .S file");
  std::set<std::string> names;
  for (const auto &symbol : symbols)
    names.insert(symbol.name);
  try {
    const auto code = assembler::link(objects, entries, range,
                                      std::vector<std::string>(names.begin(), names.end()));
    const auto &bytes = code.sections.front().bytes;
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    if (words.size() > wire::kMaxAssemblyWords)
      throw failure(place,
                    "more than " + std::to_string(wire::kMaxAssemblyWords) + " instructions");
    std::memcpy(words.data(), bytes.data(), 4 * words.size());
    return words;
  } catch (const assembler::LinkError &error) {
    throw failure(place, error.what());
  }
}

bool isForSupervisor(isa::Opcode opcode) {
  const isa::Issue issue = isa::infoOf(opcode).issue;
  return issue == isa::Issue::Supervisor || issue == isa::Issue::SupervisorSolo ||
         issue == isa::Issue::SupervisorPayload;
}

bool hasSupervisorInstructions(const std::vector<std::uint32_t> &words,
                               isa::Architecture architecture) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const isa::Opcode opcode = isa::decode(words[i], architecture).opcode;
    if (isForSupervisor(opcode))
      return true;
    i += (words[i] & isa::kBundleBit) != 0 ? 1 : 0; // both words of a bundle
  }
  return false;
}

/// A statement begins at a multiple of 8 bytes here. The body of its rpt may be aligned only behind
/// a nop.
std::string behindNop(const std::string &marked) {
  const std::string label = kEntry + ":\n";
  const std::size_t begin = marked.find(label) + label.size();
  return marked.substr(0, begin) + "nop\n" + marked.substr(begin);
}

/// \throws the error for a worker, if the text is valid for neither worker nor supervisor
assembler::Assembled assembledFor(const std::string &text, const SourcePlace &place,
                                  isa::Architecture architecture) {
  const std::string supervisor = ".supervisor\n";
  std::optional<CompileError> ofWorker;
  for (const std::string &way :
       {text, behindNop(text), supervisor + text, supervisor + behindNop(text)})
    try {
      return assembler::assemble(way, place.file, architecture);
    } catch (const assembler::AssemblyError &error) {
      if (!ofWorker)
        ofWorker.emplace(error.what());
    }
  throw *ofWorker;
}

bool isIdle(const isa::Instruction &instruction) {
  using isa::Opcode;
  return instruction == isa::Instruction{Opcode::Setzi, {isa::kIgnoredMain, 0}} ||
         instruction == isa::Instruction{Opcode::AuxSetzi, {isa::kIgnoredAux, 0}};
}

} // namespace

std::optional<unsigned> idleCyclesOf(const std::vector<std::uint32_t> &words,
                                     isa::Architecture architecture) {
  unsigned cycles = 0;
  for (std::size_t i = 0; i < words.size(); ++i, ++cycles) {
    const bool isBundle = (words[i] & isa::kBundleBit) != 0 && i + 1 < words.size();
    if (!isIdle(isa::decode(words[i], architecture)) ||
        (isBundle && !isIdle(isa::decode(words[++i], architecture))))
      return std::nullopt;
  }
  return cycles;
}

AssembledBlock assembledBlock(const std::string &text, const std::vector<SourcePlace> &places,
                              isa::Architecture architecture) {
  const SourcePlace &place = places.front();
  const auto assembled = assembledFor(withMarkers(text, places), place, architecture);
  AssembledBlock block;
  block.warnings = assembled.warnings;
  if (filledSections(assembled.object) == 0)
    return block;
  block.symbols = symbolsOf(assembled.object, place);
  block.words = wordsOf(assembled.object, block.symbols, place);
  block.isSupervisor = hasSupervisorInstructions(block.words, architecture);
  return block;
}

} // namespace copse::popc
