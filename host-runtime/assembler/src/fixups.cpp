#include "assembly.hpp"
#include "instruction_rules.hpp"
#include "stack_use.hpp"

#include <algorithm>

namespace copse::assembler {
namespace {

RelocationKind kindFor(unsigned bytes) {
  return bytes == 1   ? RelocationKind::Bytes1
         : bytes == 2 ? RelocationKind::Bytes2
                      : RelocationKind::Bytes4;
}

/// Returns the files that contain instructions, and renumbers the lines' files accordingly.
std::vector<std::string> keepUsedFiles(const std::vector<std::string> &files,
                                       std::vector<Section> &sections) {
  constexpr std::uint32_t kUnused = 0xFFFFFFFF;
  std::vector<std::uint32_t> numbers(files.size(), kUnused);
  std::vector<std::string> kept;
  for (Section &section : sections)
    for (SourceLine &line : section.lines) {
      std::uint32_t &number = numbers[line.file];
      if (number == kUnused) {
        number = static_cast<std::uint32_t>(kept.size());
        kept.push_back(files[line.file]);
      }
      line.file = number;
    }
  return kept;
}

} // namespace

void Assembly::resolve() {
  for (const Fixup &fixup : fixups_) {
    if (diagnostics_.tooMany())
      return;
    at_ = fixup.at;
    try {
      const Value value = fixup.value.evaluate(symbols_);
      if (value.base == Value::Base::Symbol && symbols_[value.index].isNumeric)
        throw StatementError(nullptr, "there is no label '" +
                                          symbols_[value.index].name.substr(
                                              0, symbols_[value.index].name.find(':')) +
                                          ":' behind");
      if (fixup.opcode == isa::Opcode::Invalid)
        resolveData(fixup, value);
      else
        resolveInstruction(fixup, value);
    } catch (const StatementError &e) {
      diagnostics_.error(fixup.at, e.what());
    }
  }
  checkRepeats();
}

void Assembly::resolveInstruction(const Fixup &fixup, const Value &value) {
  const isa::InstructionInfo &info = isa::infoOf(fixup.opcode);
  const isa::OperandInfo &operand = info.operands[fixup.operand];
  SectionDraft &draft = sections_[fixup.section];
  if (value.isNumber()) {
    const auto bits = immediateFor(operand, value.number);
    if (!bits)
      throw StatementError(nullptr, "operand " + std::to_string(fixup.operand + 1) + " of '" +
                                        std::string(info.mnemonic) + "' " +
                                        rangeError(operand, value.number));
    const std::uint32_t word = draft.wordAt(fixup.offset);
    isa::Instruction instruction = isa::decode(word, writableFor(mode_.architecture));
    instruction.operands[fixup.operand] = *bits;
    draft.setWord(fixup.offset, isa::encode(instruction) | (word & isa::kBundleBit));
    return;
  }
  const bool isHalfWord = operand.bits == 16 && operand.registers == 0;
  const bool isSetzi = fixup.opcode == isa::Opcode::Setzi || fixup.opcode == isa::Opcode::AuxSetzi;
  if (operand.kind == isa::OperandKind::CodeAddress) {
    checkBranch(fixup, value);
    relocate(fixup, operand.bits == 20 ? RelocationKind::Call20 : RelocationKind::Branch19, value);
  } else if (isSetzi) {
    relocate(fixup, RelocationKind::Setzi20, value);
    // Addresses in this object do not fit.
  } else if (isHalfWord && value.base == Value::Base::Symbol) {
    takeUnsignedForm(fixup);
    relocate(fixup, RelocationKind::Bytes2, value);
  } else {
    throw StatementError(nullptr, "operand " + std::to_string(fixup.operand + 1) + " of '" +
                                      std::string(info.mnemonic) +
                                      "' must be a number, not an address; setzi loads one");
  }
}

/// Switches to the zero-extended form, because a value from another source is unsigned.
void Assembly::takeUnsignedForm(const Fixup &fixup) {
  const auto kindIn = [&](isa::Opcode form) {
    return isa::infoOf(form).operands[fixup.operand].kind;
  };
  const auto &info = isa::infoOf(fixup.opcode);
  const auto forms = isa::formsOf(info.mnemonic);
  const auto form = std::ranges::find_if(forms, [&](isa::Opcode candidate) {
    return kindIn(candidate) == isa::OperandKind::Unsigned &&
           isa::infoOf(candidate).operands[fixup.operand].bits == 16;
  });
  if (form == forms.end())
    throw StatementError(nullptr, "operand " + std::to_string(fixup.operand + 1) + " of '" +
                                      std::string(info.mnemonic) +
                                      "' has a sign, so it cannot be what another source defines");
  SectionDraft &draft = sections_[fixup.section];
  const std::uint32_t word = draft.wordAt(fixup.offset);
  isa::Instruction instruction = isa::decode(word, writableFor(mode_.architecture));
  instruction.opcode = *form;
  draft.setWord(fixup.offset, isa::encode(instruction) | (word & isa::kBundleBit));
}

void Assembly::checkBranch(const Fixup &, const Value &value) {
  if (value.base != Value::Base::Section)
    return;
  const Section &target = sections_[value.index].section;
  if (value.number % 4 != 0)
    throw StatementError(nullptr, "the target is not 4-aligned");
  if (!target.isExecutable)
    throw StatementError(nullptr, "the target lies in section '" + target.name +
                                      "', which is not executable");
}

void Assembly::resolveData(const Fixup &fixup, const Value &value) {
  SectionDraft &draft = sections_[fixup.section];
  if (!value.isNumber()) {
    if (fixup.bytes == 8)
      throw StatementError(nullptr, "an address has 32 bits; use .word");
    return relocate(fixup, kindFor(fixup.bytes), value);
  }
  const unsigned bits = 8U * fixup.bytes;
  const bool fits = bits == 64 || (value.number >= -(std::int64_t{1} << (bits - 1)) &&
                                   value.number < std::int64_t{1} << bits);
  if (!fits)
    throw StatementError(nullptr, std::to_string(value.number) + " does not fit into " +
                                      std::to_string(fixup.bytes) + " byte(s)");
  for (unsigned i = 0; i < fixup.bytes; ++i)
    draft.section.bytes[fixup.offset + i] =
        static_cast<std::byte>(static_cast<std::uint64_t>(value.number) >> (8 * i));
}

void Assembly::relocate(const Fixup &fixup, RelocationKind kind, const Value &value) {
  sections_[fixup.section].section.relocations.push_back(
      {fixup.offset, kind, value.base == Value::Base::Section, value.index, value.number});
}

void Assembly::checkRepeats() {
  for (const RepeatBody &repeat : repeats_) {
    const SectionDraft &draft = sections_[repeat.section];
    const isa::Instruction rpt = isa::decode(draft.wordAt(repeat.word), mode_.architecture);
    checkRepeatBody(repeat, rpt.operands[1] + 1, draft, diagnostics_);
  }
}

/// Returns the value of .size; 0 if it is not a number.
std::uint32_t Assembly::sizeOf(const SymbolTable::Entry &entry) const {
  if (!entry.size)
    return 0;
  try {
    const Value size = entry.size->evaluate(symbols_);
    return size.isNumber() && size.number >= 0 ? static_cast<std::uint32_t>(size.number) : 0;
  } catch (const StatementError &) {
    return 0; // unrelated addresses
  }
}

/// Returns the number that .equ gives a name; nothing for an address, or if it does not fit.
std::optional<std::uint32_t> Assembly::numberOf(const SymbolTable::Entry &entry) const {
  if (entry.kind != SymbolTable::Entry::Kind::Assigned)
    return std::nullopt;
  try {
    const Value value = entry.assigned->evaluate(symbols_);
    const bool fits =
        value.isNumber() && value.number >= -0x80000000LL && value.number <= 0xFFFFFFFFLL;
    return fits ? std::optional(static_cast<std::uint32_t>(value.number)) : std::nullopt;
  } catch (const StatementError &) {
    return std::nullopt;
  }
}

/// Adds symbols to the object, without undefined names that nothing needs, such as an .extern.
/// \returns the number of each symbol in the object
std::vector<std::uint32_t> Assembly::finishSymbols(Object &object) {
  std::vector<bool> isNeeded(symbols_.size(), false);
  for (const SectionDraft &draft : sections_)
    for (const Relocation &relocation : draft.section.relocations)
      if (!relocation.isSection)
        isNeeded[relocation.target] = true;
  std::vector<std::uint32_t> numbers(symbols_.size(), 0);
  for (std::uint32_t i = 0; i < symbols_.size(); ++i) {
    const SymbolTable::Entry &entry = symbols_[i];
    const bool isLabel = entry.kind == SymbolTable::Entry::Kind::Label;
    const bool isLocal = entry.isNumeric || entry.name.starts_with(".L");
    const auto number = entry.isGlobal ? numberOf(entry) : std::nullopt;
    if (!isNeeded[i] && !number && (!isLabel || isLocal))
      continue;
    numbers[i] = static_cast<std::uint32_t>(object.symbols.size());
    Symbol symbol;
    symbol.name = entry.name;
    symbol.isGlobal = entry.isGlobal;
    symbol.isFunction = entry.isFunction;
    if (number) {
      symbol.section = kAbsolute;
      symbol.offset = *number;
    } else if (isLabel) {
      symbol.section = entry.section;
      symbol.offset = entry.offset;
      symbol.size = sizeOf(entry);
    }
    object.symbols.push_back(std::move(symbol));
  }
  return numbers;
}

void Assembly::finishLines(SectionDraft &draft) {
  std::vector<SourceLine> &lines = draft.section.lines;
  for (const Issued &issued : draft.issued)
    if (lines.empty() || lines.back().line != issued.at.line || lines.back().file != issued.at.file)
      lines.push_back({issued.offset, issued.at.file, issued.at.line});
}

Object Assembly::finish() {
  Object object;
  object.architecture = mode_.architecture;
  const std::vector<std::uint32_t> numbers = finishSymbols(object);
  for (SectionDraft &draft : sections_) {
    for (Relocation &relocation : draft.section.relocations)
      if (!relocation.isSection)
        relocation.target = numbers[relocation.target];
    finishLines(draft);
    object.sections.push_back(std::move(draft.section));
  }
  object.stackUses = std::move(stackUses_);
  const std::vector<StackUse> emitted = emittedStackUses(object);
  object.stackUses.insert(object.stackUses.end(), emitted.begin(), emitted.end());
  object.files = keepUsedFiles(diagnostics_.files(), object.sections);
  return object;
}

} // namespace copse::assembler
