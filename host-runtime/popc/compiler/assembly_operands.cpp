#include "assembly_operands.hpp"

#include "isa/registers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/Support/raw_ostream.h>
#include <map>
#include <string_view>

namespace copse::popc {
namespace {

using std::string;
using std::string_view;
using Kind = wire::AssemblyOperand::Kind;

/// A set of registers of one file.
using Registers = std::uint32_t;
// $m11 is the stack pointer, $m12 and above belong to the hardware; the link register is last.
constexpr unsigned kMainRegisters = 11, kAuxRegisters = 8;

std::optional<unsigned> numberIn(string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

Registers bitsOf(unsigned first, unsigned count) { return ((1U << count) - 1) << first; }

/// The registers that values of a type need.
struct Need {
  bool isAux = false;
  unsigned count = 1;
  Kind kind = Kind::Words;
};

string nameOf(const llvm::Type &type) {
  string name;
  llvm::raw_string_ostream out(name);
  type.print(out, false, true);
  return name;
}

bool isFloatOrHalf(const llvm::Type &type) { return type.isFloatTy() || type.isHalfTy(); }

Need needOf(const llvm::Type &type, AssemblyOperandKind kind) {
  if (type.isPointerTy())
    return {false, 1, Kind::Pointer};
  if (type.isHalfTy())
    return {true, 1, Kind::Half};
  if (type.isIntegerTy(64) && kind != AssemblyOperandKind::Other)
    return {false, 1, kind == AssemblyOperandKind::Long ? Kind::SignedLong : Kind::UnsignedLong};
  const auto *const vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  const unsigned elements = vector == nullptr ? 1 : vector->getNumElements();
  const llvm::Type &element = vector == nullptr ? type : *vector->getElementType();
  const bool isAux = isFloatOrHalf(element);
  const unsigned bits = isAux || element.isIntegerTy() ? element.getScalarSizeInBits() : 0;
  const unsigned count = (elements * bits + 31) / 32;
  const bool exists =
      bits > 0 && (bits <= 32 || type.isIntegerTy(64)) && (count == 1 || count == 2 || count == 4);
  if (!exists)
    throw AssemblyProblem{"no registers of the tile hold an operand of type '" + nameOf(type) +
                          "' (in LLVM's words)"};
  return {isAux, count, Kind::Words};
}

std::vector<llvm::Type *> outputsOf(llvm::Type *result) {
  if (const auto *const all = llvm::dyn_cast<llvm::StructType>(result))
    return all->elements().vec();
  return result->isVoidTy() ? std::vector<llvm::Type *>() : std::vector{result};
}

/// The registers that are taken in both files.
struct Taken {
  std::array<Registers, 2> files{}; ///< main, aux
  void add(const isa::RegisterName &name) {
    files[name.isAux ? 1 : 0] |= bitsOf(name.first, name.count);
  }
};

/// Adds the registers that the text of a statement names.
void addNamed(string_view text, Taken &taken) {
  for (std::size_t at = text.find("$$"); at != string_view::npos; at = text.find("$$", at)) {
    at += 2;
    const string_view tail = text.substr(at);
    std::size_t end = 0;
    while (end < tail.size() && (std::isalnum(static_cast<unsigned char>(tail[end])) != 0 ||
                                 tail[end] == ':' || tail[end] == '_'))
      ++end;
    for (; end > 0; --end)
      if (const auto name = isa::registerNamed(tail.substr(0, end))) {
        taken.add(*name);
        break;
      }
  }
}

/// Assigns registers to operands.
class Binder {
public:
  Binder(const llvm::CallBase &call, const AssemblyStatement &statement)
      : call_(call), statement_(statement), outputs_(outputsOf(call.getType())),
        text_(llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->getAsmString()) {}

  BoundAssembly run(unsigned unique) {
    readConstraints();
    chooseRegisters();
    BoundAssembly result;
    for (const Slot &slot : slots_)
      result.operands.push_back(slot.operand);
    result.text = filledIn(unique);
    return result;
  }

private:
  struct Slot {
    BoundOperand operand;
    bool isEarly = false; ///< an output that is written before all inputs are read
    bool isFixed = false; ///< a variable that already has a register
  };
  /// The meaning of a number in the text.
  struct Reference {
    std::optional<std::size_t> slot;
    string immediate;
  };

  AssemblyOperandKind kindOf(unsigned index) const {
    const auto at = std::ranges::find(statement_.kinds, index);
    if (at == statement_.kinds.end())
      return AssemblyOperandKind::Other;
    const auto argument = statement_.inputs + static_cast<unsigned>(at - statement_.kinds.begin());
    const auto *const kind = argument < call_.arg_size()
                                 ? llvm::dyn_cast<llvm::ConstantInt>(call_.getArgOperand(argument))
                                 : nullptr;
    return kind == nullptr ? AssemblyOperandKind::Other
                           : static_cast<AssemblyOperandKind>(kind->getZExtValue());
  }

  void readConstraints() {
    const auto outputs = static_cast<unsigned>(outputs_.size());
    unsigned index = 0, argument = 0;
    for (const string &text : assemblyConstraints(call_)) {
      const string_view constraint = text;
      if (constraint.starts_with('~') || constraint.starts_with('!'))
        break;
      if (constraint.starts_with('='))
        readOutput(constraint.substr(1), index, outputs);
      else
        readInput(constraint, index, argument++, outputs);
      ++index;
    }
  }

  void readOutput(string_view constraint, unsigned index, unsigned outputs) {
    const bool isEarly = constraint.starts_with('&');
    if (isEarly)
      constraint.remove_prefix(1);
    if (constraint.find('r') == string_view::npos || index >= outputs)
      throw AssemblyProblem{noSuch(constraint)};
    addSlot(outputs_[index], kindOf(index)).isEarly = isEarly;
    takeRegisterOf(index);
    slots_.back().operand.output = index;
    slots_.back().operand.where.isOutput = 1;
    references_.push_back({slots_.size() - 1, {}});
  }

  void readInput(string_view constraint, unsigned index, unsigned argument, unsigned outputs) {
    llvm::Value *const given = call_.getArgOperand(argument);
    const unsigned ofUser = argument < statement_.inputs ? index : outputs + statement_.inputs;
    if (const auto tied = numberIn(constraint)) {
      tie(*tied, argument);
      references_.push_back({references_.at(*tied).slot, {}});
    } else if (const auto number = constantIn(*given);
               number && constraint.find_first_of("in") != string_view::npos) {
      references_.push_back({std::nullopt, *number});
    } else if (constraint.find('r') != string_view::npos) {
      addSlot(given->getType(), kindOf(ofUser));
      takeRegisterOf(index);
      slots_.back().operand.argument = given;
      slots_.back().operand.where.isInput = 1;
      references_.push_back({slots_.size() - 1, {}});
    } else if (constraint.find_first_of("in") != string_view::npos) {
      throw AssemblyProblem{"operand %" + std::to_string(index) +
                            " must be a number that is known here"};
    } else {
      throw AssemblyProblem{noSuch(constraint)};
    }
  }

  /// Returns the value of an immediate as text.
  static std::optional<string> constantIn(const llvm::Value &given) {
    const auto *const number = llvm::dyn_cast<llvm::ConstantInt>(&given);
    if (number == nullptr)
      return std::nullopt;
    llvm::SmallString<24> text;
    number->getValue().toString(text, 10, !number->getType()->isIntegerTy(1));
    return text.str().str();
  }
  static string noSuch(string_view constraint) {
    return "there is no constraint '" + string(constraint) +
           "' on the tile; registers are \"r\", numbers \"i\"";
  }

  Slot &addSlot(llvm::Type *type, AssemblyOperandKind kind) {
    const Need need = needOf(*type, kind);
    Slot &slot = slots_.emplace_back();
    slot.operand.type = type;
    slot.operand.where.kind = need.kind;
    slot.operand.where.isAux = need.isAux ? 1 : 0;
    slot.operand.where.count = static_cast<std::uint8_t>(need.count);
    slot.operand.where.slot = static_cast<std::uint16_t>(slots_.size() - 1);
    return slot;
  }

  /// Takes the register that the program assigns to operand \p index, to which the newest slot
  /// belongs.
  void takeRegisterOf(unsigned index) {
    const auto found = statement_.registers.find(index);
    if (found == statement_.registers.end())
      return;
    const auto name = isa::registerNamed(string_view(found->second).substr(1)).value();
    wire::AssemblyOperand &where = slots_.back().operand.where;
    if (name.isAux != (where.isAux != 0) || name.count != where.count)
      throw AssemblyProblem{"'" + found->second + "', the register of operand %" +
                            std::to_string(index) + ", holds no value of type '" +
                            nameOf(*slots_.back().operand.type) + "' (in LLVM's words)"};
    where.first = name.first;
    slots_.back().isFixed = true;
  }

  void tie(unsigned output, unsigned argument) {
    if (output >= slots_.size() || slots_[output].operand.argument != nullptr)
      throw AssemblyProblem{"an input is tied to %" + std::to_string(output) +
                            ", which is no output"};
    slots_[output].operand.argument = call_.getArgOperand(argument);
    slots_[output].operand.where.isInput = 1;
    const llvm::Type *const type = call_.getArgOperand(argument)->getType();
    const llvm::Type *const ofOutput = slots_[output].operand.type;
    if (type != ofOutput && !(type->isIntegerTy(1) && ofOutput->isIntegerTy(8)))
      throw AssemblyProblem{"an input of type '" + nameOf(*type) +
                            "' is tied to an output of type '" + nameOf(*ofOutput) +
                            "' (in LLVM's words)"};
  }

  void chooseRegisters() {
    Taken fixed;
    addNamed(text_, fixed);
    for (const string &clobber : statement_.clobbers) {
      const auto name = isa::registerNamed(string_view(clobber).substr(1));
      if (!name)
        throw AssemblyProblem{"'" + clobber + "', which is clobbered, is no register"};
      fixed.add(*name);
    }
    // Each operand gets a register of its own. If there are too few, outputs share registers with
    // inputs.
    if (!choose(fixed, false) && !choose(fixed, true))
      throw AssemblyProblem{"the tile has fewer registers than this has operands, clobbers and "
                            "registers that it names"};
  }

  bool choose(Taken fixed, bool sharing) {
    for (const Slot &slot : slots_)
      if (slot.isFixed)
        fixed.files[slot.operand.where.isAux] |=
            bitsOf(slot.operand.where.first, slot.operand.where.count);
    Taken inputs = fixed, outputs = fixed;
    for (const unsigned count : {4U, 2U, 1U})
      for (Slot &slot : slots_) {
        wire::AssemblyOperand &where = slot.operand.where;
        if (where.count != count || slot.isFixed)
          continue;
        const bool withInputs = where.isInput != 0 || slot.isEarly || !sharing;
        const bool withOutputs = where.isOutput != 0 || !sharing;
        const Registers taken = (withInputs ? inputs.files[where.isAux] : 0) |
                                (withOutputs ? outputs.files[where.isAux] : 0);
        const auto first = freeOf(taken, count, where.isAux != 0 ? kAuxRegisters : kMainRegisters);
        if (!first)
          return false;
        where.first = static_cast<std::uint8_t>(*first);
        if (withInputs)
          inputs.files[where.isAux] |= bitsOf(*first, count);
        if (withOutputs)
          outputs.files[where.isAux] |= bitsOf(*first, count);
      }
    return true;
  }

  static std::optional<unsigned> freeOf(Registers taken, unsigned count, unsigned registers) {
    for (unsigned first = 0; first + count <= registers; first += count)
      if ((taken & bitsOf(first, count)) == 0)
        return first;
    return std::nullopt;
  }

  string textOf(unsigned index) const {
    if (index >= references_.size() || index >= outputs_.size() + statement_.inputs)
      throw AssemblyProblem{"there is no operand %" + std::to_string(index)};
    const Reference &reference = references_[index];
    if (!reference.slot)
      return reference.immediate;
    const wire::AssemblyOperand &where = slots_[*reference.slot].operand.where;
    return isa::textOf({where.isAux != 0, where.first, where.count});
  }

  string filledIn(unsigned unique) const {
    string text;
    const string &from = text_;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (from[i] != '$' || i + 1 == from.size()) {
        text += from[i];
        continue;
      }
      const char c = from[++i];
      static const std::map<char, char> kEscapes{{'$', '$'}, {'(', '{'}, {'|', '|'}, {')', '}'}};
      if (const auto escape = kEscapes.find(c); escape != kEscapes.end()) {
        text += escape->second;
      } else if (c == '{') {
        const std::size_t end = from.find('}', i);
        text += withModifier(from.substr(i + 1, end - i - 1), unique);
        i = end;
      } else {
        const std::size_t end = std::min(from.find_first_not_of("0123456789", i), from.size());
        text += textOf(numberIn(string_view(from).substr(i, end - i)).value_or(~0U));
        i = end - 1;
      }
    }
    return text;
  }

  static string withModifier(const string &what, unsigned unique) {
    if (what == ":uid")
      return std::to_string(unique);
    throw AssemblyProblem{"operands have no modifier '" + what.substr(what.find(':') + 1) +
                          "' on the tile"};
  }

  const llvm::CallBase &call_;
  const AssemblyStatement &statement_;
  const std::vector<llvm::Type *> outputs_;
  const string &text_; ///< the instructions, with $0, ${1:x} for operands, and $$
  std::vector<Slot> slots_;
  std::vector<Reference> references_;
};

} // namespace

BoundAssembly bound(const llvm::CallBase &call, const AssemblyStatement &statement,
                    unsigned unique) {
  return Binder(call, statement).run(unique);
}

std::vector<string> assemblyConstraints(const llvm::CallBase &call) {
  const auto &assembly = *llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  llvm::SmallVector<llvm::StringRef, 8> constraints;
  llvm::StringRef(assembly.getConstraintString()).split(constraints, ',', -1, false);
  return {constraints.begin(), constraints.end()};
}

} // namespace copse::popc
