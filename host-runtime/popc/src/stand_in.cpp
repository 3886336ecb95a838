#include "popc/stand_in.hpp"

#include "assembler/assembler.hpp"
#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"

#include <algorithm>
#include <iterator>

namespace copse::popc {
namespace {

const std::string kPrefix = "__copseSupervisors_";
constexpr std::size_t kDigits = 16;

} // namespace

void TileCodeUse::add(const UsedSymbol &symbol) {
  if (std::ranges::find(symbols, symbol.name, &UsedSymbol::name) == symbols.end())
    symbols.push_back(symbol);
}

void TileCodeUse::add(const TileCodeUse &other) {
  for (const UsedSymbol &symbol : other.symbols)
    add(symbol);
  bySupervisor |= other.bySupervisor;
}

std::shared_ptr<const assembler::Object> standInFor(const TileCodeUse &use, Architecture arch) {
  if (use.isEmpty())
    return nullptr;
  std::string loads;
  for (const UsedSymbol &symbol : use.symbols)
    loads += "# " + std::to_string(symbol.line) + " \"" + symbol.file + "\"\nsetzi $m0, " +
             symbol.name + "\n";
  const std::string name = kPrefix + disk_cache::sha256(loads).substr(0, kDigits);
  const std::string source = "DEF_STACK_USAGE 0 " + name + "\n.section .text." + name +
                             "\n.globl " + name + "\n.align 4\n.supervisor\n" + name + ":\n" +
                             loads + "br $lr\n";
  return std::make_shared<const assembler::Object>(
      assembler::assemble(source, "inline assembly of supervisors in C++", arch).object);
}

TileCodeUse useOf(const assembler::Object &standIn) {
  TileCodeUse use{{}, true};
  for (const assembler::Section &section : standIn.sections)
    for (const assembler::Relocation &relocation : section.relocations) {
      const auto after = std::ranges::upper_bound(section.lines, relocation.offset, {},
                                                  &assembler::SourceLine::offset);
      UsedSymbol symbol{standIn.symbols[relocation.target].name, "", 0};
      if (after != section.lines.begin()) {
        symbol.file = standIn.files[std::prev(after)->file];
        symbol.line = std::prev(after)->line;
      }
      use.symbols.push_back(std::move(symbol));
    }
  return use;
}

std::string standInOf(const Module &module) {
  if (module.elf.empty() || !module.object)
    return "";
  const auto found = std::ranges::find_if(module.object->symbols, [](const auto &symbol) {
    return symbol.name.starts_with(kPrefix) && symbol.section != assembler::kNoSection;
  });
  return found == module.object->symbols.end() ? "" : found->name;
}

} // namespace copse::popc
