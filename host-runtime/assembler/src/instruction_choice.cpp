#include "instruction_choice.hpp"

#include "instruction_rules.hpp"
#include "isa/csr.hpp"
#include "isa/text.hpp"
#include "pseudo_instructions.hpp"
#include "text.hpp"

#include "assembler/diagnostics.hpp"

#include <algorithm>
#include <array>

namespace copse::assembler {
namespace {

using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

std::string describe(const OperandInfo &operand) {
  if (operand.registers == 0)
    return "a number";
  const bool aux = operand.kind == OperandKind::AuxRegister;
  const std::string file = aux ? "$a" : "$m";
  std::string text;
  if (operand.registers == 1)
    text = "a " + file + " register";
  else if (operand.registers == 3)
    text = "three registers such as $a1:3";
  else
    text = std::string(operand.registers == 2 ? "an aligned pair" : "an aligned group of four") +
           " such as " + file + (operand.registers == 2 ? "2:3" : "4:7");
  constexpr std::array kBroadcasts{"", " with :B", " with :BL", " with :BU"};
  constexpr std::array kSuffixes{"", " with +=", " with ++", " with @", " with >>"};
  return text + kBroadcasts[static_cast<std::size_t>(operand.broadcast)] +
         kSuffixes[static_cast<std::size_t>(operand.suffix)];
}

/// Returns true if both have one encoding: element 0 of a pair of words, and the lower half of a
/// word, do.
bool isSame(isa::Broadcast a, isa::Broadcast b) {
  const auto plain = [](isa::Broadcast broadcast) {
    return broadcast == isa::Broadcast::Element ? isa::Broadcast::Lower : broadcast;
  };
  return plain(a) == plain(b);
}

/// Returns true for $azero as a term of an address, which reads 0 like $mzero.
bool isZeroTerm(const InstructionInfo &info, const OperandInfo &operand, const Operand &written) {
  const bool isTerm = info.accessBytes != 0 && operand.kind == OperandKind::MainRegister &&
                      operand.isRead && !operand.isWritten && operand.registers == 1 &&
                      (operand.name == "Base" || operand.name == "Delta");
  return isTerm && written.isRegister() && written.name == kAuxZeroName &&
         written.broadcast == isa::Broadcast::None && written.suffix == isa::Suffix::None;
}

/// Matches operands against one encoding; error() says why they do not fit.
class Match {
public:
  Match(const InstructionInfo &info, const SymbolTable &symbols, const Mode &mode)
      : info_(info), symbols_(symbols), mode_(mode) {}

  /// \returns the index of the operand that does not fit, or the number of operands
  unsigned run(Opcode opcode, const std::vector<Operand> &operands) {
    chosen_ = {};
    chosen_.instruction.opcode = opcode;
    for (unsigned i = 0; i < info_.operandCount; ++i) {
      error_ = info_.operands[i].registers != 0 ? matchRegister(i, operands[i])
                                                : matchImmediate(i, operands[i]);
      if (!error_.empty())
        return i;
    }
    return info_.operandCount;
  }
  const std::string &error() const { return error_; }
  /// Returns true if the kind of the operand fits, but its value does not.
  bool isOutOfRange() const { return isOutOfRange_; }
  ChosenInstruction &chosen() { return chosen_; }

private:
  std::string matchRegister(unsigned i, const Operand &operand) {
    const OperandInfo &info = info_.operands[i];
    const bool fits = operand.isRegister() &&
                      operand.name.isAux == (info.kind == OperandKind::AuxRegister) &&
                      operand.name.count == info.registers &&
                      isSame(operand.broadcast, info.broadcast) && operand.suffix == info.suffix;
    if (!fits && !isZeroTerm(info_, info, operand))
      return "must be " + describe(info) + ", not " + quoted(operand.text);
    chosen_.instruction.operands[i] = operand.name.first & ~(info.registers == 3 ? 3U : 0U);
    return {};
  }

  std::string matchImmediate(unsigned i, const Operand &operand) {
    if (operand.isRegister())
      return "must be a number, not " + quoted(operand.text);
    if (operand.kind == Operand::Kind::Csr)
      return matchCsr(i, operand);
    const Value *const known = operand.value.known();
    if (known && known->isNumber())
      return setImmediate(i, known->number);
    Value value;
    try {
      value = operand.value.evaluate(symbols_);
    } catch (const StatementError &) {
      value.base = Value::Base::Symbol; // it may have a value at the end
    }
    if (value.isNumber())
      return setImmediate(i, value.number);
    if (chosen_.openOperand)
      return "cannot be a label as well as operand " + std::to_string(*chosen_.openOperand + 1);
    chosen_.openOperand = i;
    chosen_.open = operand.value;
    return {};
  }

  std::string setImmediate(unsigned i, std::int64_t value) {
    const OperandInfo &info = info_.operands[i];
    const auto bits = immediateFor(info, value);
    isOutOfRange_ = !bits;
    if (!bits)
      return rangeError(info, value);
    chosen_.instruction.operands[i] = *bits;
    return {};
  }

  std::string matchCsr(unsigned i, const Operand &operand) {
    constexpr unsigned kUpper = 256;
    const OperandInfo &info = info_.operands[i];
    const bool isUpper = info.kind == OperandKind::UpperCsr;
    if (!isUpper && info.kind != OperandKind::Csr)
      return "must be " + describe(info) + ", not " + quoted(operand.text);
    const isa::CsrInfo *const csr = isa::csrNamed(mode_.context, operand.csr, mode_.architecture);
    if (!csr)
      return quoted(operand.text) + " is no CSR of a " +
             (mode_.context == isa::Context::Worker ? "worker" : "supervisor") +
             " of this architecture";
    if ((csr->index >= kUpper) != isUpper)
      return quoted(operand.text) + " is reached by " + (isUpper ? "get and put" : "uget and uput");
    chosen_.instruction.operands[i] = csr->index % kUpper;
    return {};
  }

  const InstructionInfo &info_;
  const SymbolTable &symbols_;
  const Mode &mode_;
  ChosenInstruction chosen_;
  std::string error_;
  bool isOutOfRange_ = false;
};

/// Returns true for loads and stores whose second address term is optional.
bool mayLackDelta(const InstructionInfo &info) {
  return info.operandCount == 4 && info.operands[1].name == "Base" &&
         info.operands[2].name == "Delta" && info.operands[2].suffix == isa::Suffix::None &&
         info.accessBytes != 0;
}

bool hasSigned(const InstructionInfo &info) {
  return std::ranges::any_of(info.shape(),
                             [](const OperandInfo &o) { return o.kind == OperandKind::Signed; });
}

bool hasKind(const InstructionInfo &info, OperandKind kind) {
  return std::ranges::any_of(info.shape(), [kind](const OperandInfo &o) { return o.kind == kind; });
}

bool allows(const InstructionInfo &info, Extension extension) {
  switch (extension) {
  case Extension::Any:
    return true;
  case Extension::Signed:
    return hasSigned(info);
  case Extension::Zero:
    return hasKind(info, OperandKind::Unsigned);
  }
  return false;
}

std::string contextError(std::string_view mnemonic, const Mode &mode) {
  return mode.context == isa::Context::Worker
             ? quoted(mnemonic) + " is an instruction of the supervisor, but this is code of "
                                  "workers; .supervisor says otherwise"
             : quoted(mnemonic) + " is an instruction of workers, but this is code of the "
                                  "supervisor; .worker says otherwise";
}

std::string countsOf(std::span<const Opcode> forms) {
  std::vector<unsigned> counts;
  for (const Opcode form : forms)
    counts.push_back(isa::infoOf(form).operandCount);
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  std::string text;
  for (const unsigned count : counts)
    text += (text.empty() ? "" : " or ") + std::to_string(count);
  return text;
}

/// Tries the encodings of one mnemonic, and keeps the best match, or the error of the match that
/// went furthest.
class Choice {
public:
  Choice(const Spelling &wanted, const SymbolTable &symbols, const Mode &mode)
      : wanted_(wanted), operands_(wanted.operands), symbols_(symbols), mode_(mode) {}

  ChosenInstruction make() {
    const auto forms = isa::formsOf(wanted_.mnemonic);
    if (forms.empty())
      throw StatementError(nullptr, "there is no instruction " + quoted(wanted_.mnemonic));
    for (const Opcode form : forms)
      tryForm(form);
    if (best_)
      return *best_;
    if (!error_.empty())
      throw StatementError(errorAt_, error_);
    throw StatementError(nullptr, quoted(wanted_.mnemonic) + " has " + countsOf(forms) +
                                      " operands, not " + std::to_string(operands_.size()));
  }

private:
  void tryForm(Opcode form) {
    const InstructionInfo &info = isa::infoOf(form);
    if (!allows(info, wanted_.extension))
      return;
    if (operands_.size() == info.operandCount) {
      match(form, info, operands_);
    } else if (operands_.size() + 1 == info.operandCount && mayLackDelta(info)) {
      std::vector<Operand> whole = operands_;
      whole.insert(whole.begin() + 2, Operand::ofRegister(kMainZeroName));
      match(form, info, whole);
    }
  }

  void match(Opcode form, const InstructionInfo &info, const std::vector<Operand> &operands) {
    if (writableFor(mode_.architecture) < info.since)
      return complain(0, nullptr,
                      quoted(wanted_.mnemonic) + " does not exist on this architecture");
    Match attempt(info, symbols_, mode_);
    const unsigned reached = attempt.run(form, operands);
    if (reached < info.operandCount)
      return complain(2 * reached + 1 + (attempt.isOutOfRange() ? 1 : 0), operands[reached].at,
                      "operand " + std::to_string(reached + 1) + " of " + quoted(wanted_.mnemonic) +
                          " " + attempt.error());
    if (!info.isLegalIn(mode_.context))
      return complain(2 * isa::kMaxOperands + 1, nullptr, contextError(wanted_.mnemonic, mode_));
    // If both fit, assemblers choose the sign-extended form.
    if (!best_ || (hasSigned(info) && !hasSigned(isa::infoOf(best_->instruction.opcode))))
      best_ = std::move(attempt.chosen());
  }

  void complain(std::size_t rank, const char *at, std::string text) {
    if (!error_.empty() && rank <= errorRank_)
      return;
    errorRank_ = rank;
    errorAt_ = at;
    error_ = std::move(text);
  }

  const Spelling &wanted_;
  const std::vector<Operand> &operands_;
  const SymbolTable &symbols_;
  const Mode &mode_;
  std::optional<ChosenInstruction> best_;
  std::string error_;
  std::size_t errorRank_ = 0;
  const char *errorAt_ = nullptr;
};

} // namespace

std::optional<std::uint32_t> immediateFor(const OperandInfo &operand, std::int64_t value) {
  constexpr std::int64_t kUpperCsrs = 256;
  if (operand.kind == OperandKind::UpperCsr && value >= kUpperCsrs && value < 2 * kUpperCsrs)
    value -= kUpperCsrs; // the CSR's own index
  const bool mayBeNegative =
      operand.kind == OperandKind::Signed || operand.kind == OperandKind::High;
  if (value > 0xFFFFFFFFLL || value < (mayBeNegative ? -0x80000000LL : 0))
    return std::nullopt;
  if (operand.kind == OperandKind::Signed && value > 0x7FFFFFFFLL)
    return std::nullopt;
  const auto bits = static_cast<std::uint32_t>(value);
  return isa::encodable(operand, bits) ? std::optional(bits) : std::nullopt;
}

std::string rangeError(const OperandInfo &operand, std::int64_t value) {
  const auto [least, greatest] = isa::rangeOf(operand);
  const bool isInside = value >= least && value <= greatest;
  if (isInside && operand.kind == OperandKind::CodeAddress)
    return "must be an address that is a multiple of 4, not " + std::to_string(value);
  if (isInside && operand.kind == OperandKind::High)
    return "must be a number whose low 20 bits are zero, not " + std::to_string(value);
  return "is " + std::to_string(value) + ", out of range " + std::to_string(least) + ".." +
         std::to_string(greatest);
}

ChosenInstruction chooseInstruction(std::string_view mnemonic, std::vector<Operand> operands,
                                    const SymbolTable &symbols, const Mode &mode) {
  const Spelling meant = meantBy(mnemonic, std::move(operands));
  return Choice(meant, symbols, mode).make();
}

} // namespace copse::assembler
