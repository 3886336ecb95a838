#include "assembler/disassembler.hpp"

#include "code_sections.hpp"
#include "instruction_rules.hpp"
#include "isa/control_flow.hpp"
#include "isa/text.hpp"

#include "assembler/diagnostics.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

namespace copse::assembler {
namespace {

constexpr std::uint32_t kWord = 4, kBundle = 8;

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

/// The bytes of one statement.
struct Item {
  std::uint32_t offset = 0, bytes = 0;
  std::optional<isa::Instruction> first, second; ///< both empty: data
};

/// Divides a section into instructions, bundles and data.
class Items {
public:
  Items(const Section &section, isa::Architecture architecture)
      : section_(section), architecture_(architecture) {
    for (const Relocation &r : section.relocations)
      relocations_[r.offset] = &r;
  }

  std::vector<Item> cut() const {
    std::vector<Item> items;
    for (std::uint32_t at = 0; at < section_.bytes.size();) {
      items.push_back(itemAt(at));
      at += items.back().bytes;
    }
    return withGoodRepeats(items);
  }

  std::uint32_t wordAt(std::uint32_t offset) const {
    std::uint32_t word = 0;
    for (std::uint32_t i = 0; i < kWord; ++i)
      word |= static_cast<std::uint32_t>(section_.bytes[offset + i]) << (8 * i);
    return word;
  }

  std::byte byteAt(std::uint32_t offset) const { return section_.bytes[offset]; }

  const Relocation *relocationAt(std::uint32_t offset) const {
    const auto found = relocations_.find(offset);
    return found == relocations_.end() ? nullptr : found->second;
  }

private:
  /// Turns repeats into data if an assembler would refuse them because of what follows.
  static std::vector<Item> withGoodRepeats(const std::vector<Item> &items) {
    std::vector<Item> good;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item &item = items[i];
      if (!isRepeat(item) || hasGoodBody(items, i)) {
        good.push_back(item);
        continue;
      }
      for (std::uint32_t at = 0; at < item.bytes; at += kWord)
        good.push_back({item.offset + at, kWord, {}, {}});
    }
    return good;
  }

  static bool isRepeat(const Item &item) {
    return item.first &&
           (item.first->opcode == isa::Opcode::Rpt || item.first->opcode == isa::Opcode::RptZ);
  }

  static bool hasGoodBody(const std::vector<Item> &items, std::size_t repeat) {
    const std::size_t bundles = items[repeat].first->operands[1] + std::size_t{1};
    if ((items[repeat].offset + items[repeat].bytes) % kBundle != 0 ||
        items.size() - repeat - 1 < bundles)
      return false;
    return std::all_of(items.begin() + static_cast<std::ptrdiff_t>(repeat) + 1,
                       items.begin() + static_cast<std::ptrdiff_t>(repeat + 1 + bundles),
                       [](const Item &item) {
                         return item.second && !isa::isForbiddenInRepeat(item.first->opcode) &&
                                !isa::isForbiddenInRepeat(item.second->opcode);
                       });
  }

  Item itemAt(std::uint32_t at) const {
    const std::size_t left = section_.bytes.size() - at;
    if (section_.isExecutable && at % kWord == 0 && left >= kWord) {
      if (const auto bundle = left >= kBundle ? bundleAt(at) : std::nullopt)
        return *bundle;
      if (const auto single = instructionAt(at, false))
        return {at, kWord, single, {}};
    }
    return {at, dataBytesAt(at), {}, {}};
  }

  std::optional<Item> bundleAt(std::uint32_t at) const {
    const auto first = instructionAt(at, true), second = instructionAt(at + kWord, true);
    if (!first || !second)
      return std::nullopt;
    if (isa::infoOf(first->opcode).isAux() || !isa::infoOf(second->opcode).isAux())
      return std::nullopt;
    try {
      checkBundle(*first, *second);
    } catch (const StatementError &) {
      return std::nullopt;
    }
    return Item{at, kBundle, first, second};
  }

  /// Returns the instruction if an assembler would encode its text to the original word.
  std::optional<isa::Instruction> instructionAt(std::uint32_t at, bool isHalf) const {
    const std::uint32_t word = wordAt(at);
    const isa::Instruction instruction = isa::decode(word, writableFor(architecture_));
    if (instruction.opcode == isa::Opcode::Invalid)
      return std::nullopt;
    const bool isSendpicp = instruction.opcode == isa::Opcode::Sendpicp;
    const bool hasBit = (word & isa::kBundleBit) != 0;
    const std::uint32_t bit = isHalf ? isa::kBundleBit : 0;
    if (isSendpicp ? isHalf : hasBit != isHalf)
      return std::nullopt;
    if ((isa::encode(instruction) | bit) != word || !isSpelled(instruction) ||
        !relocationFits(instruction, relocationAt(at)))
      return std::nullopt;
    try {
      checkInstruction(instruction, architecture_);
    } catch (const StatementError &) {
      return std::nullopt;
    }
    return instruction;
  }

  /// Returns true if the text selects this encoding; a zero immediate of high bits would select
  /// another.
  static bool isSpelled(const isa::Instruction &instruction) {
    const isa::InstructionInfo &info = isa::infoOf(instruction.opcode);
    for (unsigned i = 0; i < info.operandCount; ++i)
      if (info.operands[i].kind == isa::OperandKind::High && instruction.operands[i] == 0)
        return false;
    return true;
  }

  static bool relocationFits(const isa::Instruction &instruction, const Relocation *relocation) {
    if (!relocation)
      return true;
    const isa::InstructionInfo &info = isa::infoOf(instruction.opcode);
    const isa::OperandInfo &last = info.operands[info.operandCount - 1U];
    switch (relocation->kind) {
    case RelocationKind::Branch19:
      return last.kind == isa::OperandKind::CodeAddress && last.bits == 19;
    case RelocationKind::Call20:
      return last.kind == isa::OperandKind::CodeAddress && last.bits == 20;
    case RelocationKind::Setzi20:
      return info.mnemonic == "setzi";
    case RelocationKind::Bytes2:
      return last.kind == isa::OperandKind::Unsigned && last.bits == 16;
    default:
      return false;
    }
  }

  std::uint32_t dataBytesAt(std::uint32_t at) const {
    if (const Relocation *r = relocationAt(at))
      return r->kind == RelocationKind::Bytes1 ? 1 : r->kind == RelocationKind::Bytes2 ? 2 : kWord;
    const std::size_t left = section_.bytes.size() - at;
    if (at % kWord != 0 || left < kWord)
      return 1;
    for (std::uint32_t i = 1; i < kWord; ++i)
      if (relocationAt(at + i))
        return 1;
    return kWord;
  }

  const Section &section_;
  isa::Architecture architecture_;
  std::map<std::uint32_t, const Relocation *> relocations_;
};

class Printer {
public:
  explicit Printer(const Object &object) : object_(object) {
    for (const Section &section : object.sections)
      items_.push_back(Items(section, object.architecture).cut());
    findLabels();
  }

  std::string print() {
    for (const StackUse &use : object_.stackUses)
      line((use.isTotal ? "DEF_STACK_USAGE " : "DEF_STACK_SIZE_OWN ") + std::to_string(use.bytes) +
           " " + use.name);
    for (const Symbol &symbol : object_.symbols)
      if (symbol.section == kNoSection)
        line(".extern " + symbol.name);
      else if (symbol.section == kAbsolute)
        line(".globl " + symbol.name + "\n.equ " + symbol.name + ", " +
             std::to_string(symbol.offset));
    for (std::uint32_t s = 0; s < object_.sections.size(); ++s)
      printSection(s);
    return std::move(out_);
  }

private:
  using At = std::pair<std::uint32_t, std::uint32_t>; ///< section, offset

  void line(const std::string &text) { out_ += text + "\n"; }

  /// Creates labels for targets of relocations that have no symbol, if a statement begins there.
  void findLabels() {
    for (const Symbol &symbol : object_.symbols)
      if (symbol.section != kNoSection && symbol.section != kAbsolute)
        labels_.emplace(At{symbol.section, symbol.offset}, symbol.name);
    std::set<At> begins;
    for (std::uint32_t s = 0; s < items_.size(); ++s) {
      for (const Item &item : items_[s])
        begins.emplace(s, item.offset);
      begins.emplace(s, static_cast<std::uint32_t>(object_.sections[s].bytes.size()));
      begins.emplace(s, 0);
    }
    for (const Section &section : object_.sections)
      for (const Relocation &r : section.relocations) {
        const At target{r.target, static_cast<std::uint32_t>(r.addend)};
        if (!r.isSection)
          continue;
        if (begins.contains(target))
          own_.emplace(target, labels_.emplace(target, localName(target)).first->second);
        else
          own_.emplace(At{r.target, 0},
                       labels_.emplace(At{r.target, 0}, localName({r.target, 0})).first->second);
      }
  }

  static std::string localName(At at) {
    return ".L" + std::to_string(at.first) + "_" + std::to_string(at.second);
  }

  void printSection(std::uint32_t s) {
    const Section &section = object_.sections[s];
    line("\n.section " + section.name + ", " +
         (section.isExecutable ? section.isWorkerCode ? "\"ax,worker\"" : "\"ax\""
                               : "\"aw\", @progbits"));
    if (section.align > 1)
      line(".align " + std::to_string(section.align));
    const Items words(section, object_.architecture);
    for (const Item &item : items_[s]) {
      printLabels({s, item.offset});
      printItem(words, item);
    }
    printLabels({s, static_cast<std::uint32_t>(section.bytes.size())});
    for (const Symbol &symbol : object_.symbols)
      if (symbol.section == s && symbol.size > 0)
        line(".size " + symbol.name + ", " + std::to_string(symbol.size));
  }

  void printLabels(At at) {
    for (const Symbol &symbol : object_.symbols) {
      if (At{symbol.section, symbol.offset} != at)
        continue;
      if (symbol.isGlobal)
        line(".globl " + symbol.name);
      if (symbol.isFunction)
        line(".type " + symbol.name + ", @function");
      line(symbol.name + ":");
    }
    const auto own = own_.find(at);
    if (own != own_.end() && own->second.starts_with(".L"))
      line(own->second + ":");
  }

  void printItem(const Items &words, const Item &item) {
    if (!item.first)
      return printData(words, item);
    if (!item.second) {
      switchTo(*item.first);
      return line("  " + textOf(*item.first, words.relocationAt(item.offset)));
    }
    switchTo(*item.second);
    line("  { " + textOf(*item.first, words.relocationAt(item.offset)));
    line("    " + textOf(*item.second, words.relocationAt(item.offset + kWord)) + " }");
  }

  /// Switches the mode for instructions that only one context has.
  void switchTo(const isa::Instruction &instruction) {
    if (isa::infoOf(instruction.opcode).isLegalIn(mode_))
      return;
    mode_ = mode_ == isa::Context::Worker ? isa::Context::Supervisor : isa::Context::Worker;
    line(mode_ == isa::Context::Worker ? ".worker" : ".supervisor");
  }

  std::string textOf(const isa::Instruction &instruction, const Relocation *relocation) const {
    if (!relocation)
      return isa::textOf(instruction);
    const unsigned last = isa::infoOf(instruction.opcode).operandCount - 1U;
    std::string text = isa::mnemonicText(instruction);
    for (unsigned i = 0; i <= last; ++i)
      text += (i == 0 ? " " : ", ") +
              (i == last ? targetText(*relocation) : isa::operandText(instruction, i));
    return text;
  }

  std::string targetText(const Relocation &r) const {
    if (!r.isSection)
      return withAddend(object_.symbols[r.target].name, r.addend);
    const auto label = labels_.find({r.target, static_cast<std::uint32_t>(r.addend)});
    if (label != labels_.end())
      return label->second;
    return withAddend(labels_.at({r.target, 0}), r.addend);
  }

  static std::string withAddend(const std::string &name, std::int64_t addend) {
    if (addend == 0)
      return name;
    return name + (addend > 0 ? " + " : " - ") + std::to_string(addend > 0 ? addend : -addend);
  }

  void printData(const Items &words, const Item &item) {
    const char *const directive = item.bytes == 1   ? ".byte "
                                  : item.bytes == 2 ? ".short "
                                                    : ".int ";
    if (const Relocation *r = words.relocationAt(item.offset))
      return line("  " + std::string(directive) + targetText(*r));
    line("  " + std::string(directive) +
         (item.bytes == kWord ? hexadecimal(words.wordAt(item.offset))
                              : std::to_string(static_cast<unsigned>(words.byteAt(item.offset)))));
  }

  const Object &object_;
  std::vector<std::vector<Item>> items_; ///< by section
  std::map<At, std::string> labels_;     ///< one name for each location
  std::map<At, std::string> own_;        ///< labels used by relocations
  isa::Context mode_ = isa::Context::Worker;
  std::string out_;
};

} // namespace

std::string disassemble(const Object &object) { return Printer(object).print(); }

} // namespace copse::assembler
