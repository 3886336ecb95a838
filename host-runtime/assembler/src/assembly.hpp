#pragma once

#include "code_sections.hpp"
#include "conditions.hpp"
#include "instruction_choice.hpp"
#include "macros.hpp"
#include "reader.hpp"
#include "symbols.hpp"

#include "assembler/assembler.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace copse::assembler {

/// Assembles one source. A single pass emits everything, because the sizes of instructions are
/// known at once. Operands that depend on later labels are fix-ups, resolved at the end.
class Assembly {
public:
  Assembly(std::string_view source, const std::string &fileName, isa::Architecture architecture);
  Assembled run();

private:
  using Directive = void (Assembly::*)(std::string_view operands);
  static const std::unordered_map<std::string_view, Directive> &directives();

  // Statements (assembly.cpp)
  void take(const Statement &statement);
  void takeText(std::string_view text);
  void closeAtEnd();
  bool takeLabel(std::string_view &text);
  bool takeAssignment(std::string_view text);
  bool expandMacro(std::string_view name, std::string_view arguments);
  void expandBody(std::string_view directive, std::string text, std::uint32_t file,
                  std::uint32_t line);

  // Instructions and bundles (assembly_code.cpp)
  void openBundle(const Location &at);
  void closeBundle();
  void takeInstruction(std::string_view mnemonic, std::string_view operands);
  void loadConstant(std::string_view operands);
  void issueAlone(const ChosenInstruction &chosen, const Location &at);
  void emit(const ChosenInstruction &chosen, std::uint32_t bundleBit, const Location &at);
  void noteRepeat(const isa::Instruction &instruction, std::uint32_t word, std::uint32_t end,
                  const Location &at);
  ChosenInstruction choose(std::string_view mnemonic, std::vector<Operand> operands);
  void warnOfFault(const isa::Instruction &instruction);

  // Directives (directives.cpp, macro_directives.cpp)
  void section(std::string_view operands);
  void text(std::string_view operands);
  void data(std::string_view operands);
  void pushSection(std::string_view operands);
  void popSection(std::string_view operands);
  void previousSection(std::string_view operands);
  void align(std::string_view operands);
  void alignPower(std::string_view operands);
  void org(std::string_view operands);
  void type(std::string_view operands);
  void size(std::string_view operands);
  void global(std::string_view operands);
  void worker(std::string_view operands);
  void supervisor(std::string_view operands);
  void equ(std::string_view operands);
  void equiv(std::string_view operands);
  void bytes1(std::string_view operands) { emitData(operands, 1); }
  void bytes2(std::string_view operands) { emitData(operands, 2); }
  void bytes4(std::string_view operands) { emitData(operands, 4); }
  void bytes8(std::string_view operands) { emitData(operands, 8); }
  void float32(std::string_view operands);
  void ascii(std::string_view operands);
  void asciz(std::string_view operands);
  void space(std::string_view operands);
  void fill(std::string_view operands);
  void stackUsage(std::string_view operands);
  void stackSizeOwn(std::string_view operands);
  void allowOptimizations(std::string_view operands);
  void ignored(std::string_view operands);
  void error(std::string_view operands);
  void warning(std::string_view operands);
  void defineMacro(std::string_view operands);
  void purgeMacro(std::string_view operands);
  void exitMacro(std::string_view operands);
  void rept(std::string_view operands);
  void irp(std::string_view operands);
  void irpc(std::string_view operands);
  void repeat(std::string_view directive, const StatementReader::Body &body,
              const std::vector<std::string> &parameter, const std::vector<std::string> &values);

  void emitData(std::string_view operands, unsigned bytes);
  void claim(std::int64_t bytes);
  void alignBy(std::uint32_t bytes, std::string_view rest);
  /// Continues at \p place of the section, and fills the gap before it.
  void moveTo(std::string_view place, std::string_view with);
  void enter(std::uint32_t section);
  std::uint32_t sectionNamed(std::string_view name);
  void declareStack(std::string_view operands, bool isTotal);
  void assign(std::string_view name, std::string_view value, bool isFinal);
  std::string stringOf(std::string_view operands) const;

  // Conditions (macro_directives.cpp)
  bool takeCondition(std::string_view directive, std::string_view operands);
  void openIf(std::string_view directive, std::string_view operands);
  bool conditionOf(std::string_view directive, std::string_view operands);

  // The end (fixups.cpp)
  struct Fixup {
    std::uint32_t section = 0, offset = 0;
    isa::Opcode opcode = isa::Opcode::Invalid; ///< Invalid: data
    std::uint8_t operand = 0;                  ///< operand of the instruction
    std::uint8_t bytes = 4;                    ///< size of the data
    Expression value;
    Location at;
  };
  void resolve();
  void resolveInstruction(const Fixup &fixup, const Value &value);
  void resolveData(const Fixup &fixup, const Value &value);
  void takeUnsignedForm(const Fixup &fixup);
  void checkBranch(const Fixup &fixup, const Value &value);
  void relocate(const Fixup &fixup, RelocationKind kind, const Value &value);
  void checkRepeats();
  Object finish();
  void finishLines(SectionDraft &draft);
  std::vector<std::uint32_t> finishSymbols(Object &object);
  std::uint32_t sizeOf(const SymbolTable::Entry &entry) const;
  std::optional<std::uint32_t> numberOf(const SymbolTable::Entry &entry) const;

  SectionDraft &here() { return sections_[current_]; }
  Place place() { return {current_, here().size()}; }
  Expression expression(std::string_view &text);
  Expression wholeExpression(std::string_view text);
  std::int64_t numberNow(std::string_view text);

  Diagnostics diagnostics_;
  StatementReader reader_;
  SymbolTable symbols_;
  Mode mode_;
  Conditions conditions_;
  Location at_; ///< location of the current statement
  std::uint32_t file_;
  std::vector<SectionDraft> sections_;
  std::unordered_map<std::string, std::uint32_t> sectionByName_;
  std::uint32_t current_ = 0, previous_ = 0;
  std::vector<std::uint32_t> sectionStack_;
  std::unordered_map<std::string, Macro> macros_;
  /// Depth of conditions_ at the start of each expansion.
  std::vector<std::size_t> macroConditions_;
  std::uint32_t expansionCount_ = 0;
  /// The sizes of macro expansions, and of directives that fill.
  std::uint64_t expandedBytes_ = 0, filledBytes_ = 0;
  std::vector<Fixup> fixups_;
  std::vector<RepeatBody> repeats_;
  std::vector<StackUse> stackUses_;
  std::set<std::string_view> warnedOf_; ///< mnemonics that fault on this architecture
  bool allowsSwap_ = false;
  struct Half {
    ChosenInstruction chosen;
    Location at;
  };
  struct Bundle {
    Location at;
    std::vector<Half> halves;
    bool isBroken = false; ///< a half has an error
  };
  std::optional<Bundle> bundle_;
};

} // namespace copse::assembler
