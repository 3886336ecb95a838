#include "assembler/instruction_choice.hpp"

#include "assembler/diagnostics.hpp"
#include "isa/csr.hpp"
#include "isa/text.hpp"

#include <algorithm>
#include <array>

namespace copse::assembler {
namespace {

using isa::Instruction;
using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// Which of several encodings a spelling asks for.
enum class Extension : std::uint8_t { Any, Signed, Zero };

struct Wanted {
  std::string_view mnemonic;
  Extension extension = Extension::Any;
};

/// "adds", "cmpeqz" and the like force the extension of the immediate.
Wanted withoutExtension(std::string_view mnemonic) {
  for (const std::string_view plain : {"add", "cmpeq", "max", "min", "sub"})
    if (mnemonic.size() == plain.size() + 1 && mnemonic.starts_with(plain)) {
      if (mnemonic.back() == 's')
        return {plain, Extension::Signed};
      if (mnemonic.back() == 'z')
        return {plain, Extension::Zero};
    }
  return {mnemonic, Extension::Any};
}

bool isRegister(const Operand &operand) { return operand.kind == Operand::Kind::Register; }
bool isAux(const Operand &operand) { return isRegister(operand) && operand.name.isAux; }
bool isNumber(const Operand &operand) { return operand.kind == Operand::Kind::Expression; }

constexpr isa::RegisterName kZero{false, isa::kMainZero, 1}, kAuxZero{true, isa::kAuxZero, 1},
    kAuxZeros{true, isa::kAuxZeroPair, 2};

/// Another instruction that a spelling stands for, with its operands; or the same.
class Pseudo {
public:
  Pseudo(std::string_view mnemonic, std::vector<Operand> operands)
      : wanted_(withoutExtension(mnemonic)), operands_(std::move(operands)) {
    expand();
  }
  const Wanted &wanted() const { return wanted_; }
  std::vector<Operand> &operands() { return operands_; }

private:
  void becomes(std::string_view mnemonic, std::vector<Operand> operands) {
    wanted_.mnemonic = mnemonic;
    operands_ = std::move(operands);
  }

  void expand() {
    const std::string_view name = wanted_.mnemonic;
    const std::size_t n = operands_.size();
    if (name == "nop" && n == 0)
      becomes("setzi", {Operand::ofRegister({false, isa::kIgnoredMain, 1}), Operand::ofNumber(0)});
    else if (name == "fnop" && n == 0)
      becomes("setzi", {Operand::ofRegister({true, isa::kIgnoredAux, 1}), Operand::ofNumber(0)});
    else if (name == "strap" && n == 0)
      becomes("put", {Operand::ofNumber(255), Operand::ofRegister(kZero)});
    else if (name == "zero" && n == 1 && isRegister(operands_[0]))
      zero();
    else if (name == "mov" && n == 2 && isRegister(operands_[0]) && isRegister(operands_[1]))
      move();
    else if (name == "swap16" && n == 2)
      becomes("roll16", {operands_[0], operands_[1], operands_[1]});
    else if (name == "movnz")
      wanted_.mnemonic = "movz";
    else if (name == "f16v4sisov2amp")
      wanted_.mnemonic = "f16v4sisoamp";
    else if (name == "f16v4sisov2slic")
      wanted_.mnemonic = "f16v4sisoslic";
    else if (name == "get" && n == 2 && isAux(operands_[0]))
      wanted_.mnemonic = "uget";
    else if (name == "put" && n == 2 && isAux(operands_[1]))
      wanted_.mnemonic = "uput";
    else if (name == "sub" && n == 3 && isRegister(operands_[1]) && isNumber(operands_[2]))
      subtractNumber();
  }

  void zero() {
    const isa::RegisterName target = operands_[0].name;
    if (target.isAux && target.count == 2)
      becomes("or64",
              {operands_[0], Operand::ofRegister(kAuxZeros), Operand::ofRegister(kAuxZeros)});
    else if (target.isAux)
      becomes("or", {operands_[0], Operand::ofRegister(kAuxZero), Operand::ofRegister(kAuxZero)});
    else
      becomes("or", {operands_[0], Operand::ofRegister(kZero), Operand::ofRegister(kZero)});
  }

  void move() {
    const bool toAux = isAux(operands_[0]), fromAux = isAux(operands_[1]);
    if (toAux && !fromAux)
      throw StatementError(operands_[1].at, "no instruction moves from $m to $a registers; store "
                                            "to memory and load from there");
    if (!toAux && fromAux)
      wanted_.mnemonic = "atom";
    else if (operands_[0].name.count == 2)
      becomes("or64", {operands_[0], operands_[1], Operand::ofRegister(kAuxZeros)});
    else
      becomes("or", {operands_[0], operands_[1], Operand::ofNumber(0)});
  }

  /// There is only immediate - register.
  void subtractNumber() {
    operands_[2].value.apply(Operator::Negate);
    wanted_.mnemonic = "add";
  }

  Wanted wanted_;
  std::vector<Operand> operands_;
};

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

/// Why an operand does not fit; empty: it does.
class Match {
public:
  Match(const InstructionInfo &info, const SymbolTable &symbols, const Mode &mode)
      : info_(info), symbols_(symbols), mode_(mode) {}

  /// \returns the operand that does not fit, or the number of operands
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
  /// The kind of operand was right, only its value is not.
  bool isOutOfRange() const { return isOutOfRange_; }
  ChosenInstruction &chosen() { return chosen_; }

private:
  std::string matchRegister(unsigned i, const Operand &operand) {
    const OperandInfo &info = info_.operands[i];
    const bool fits = isRegister(operand) &&
                      operand.name.isAux == (info.kind == OperandKind::AuxRegister) &&
                      operand.name.count == info.registers && operand.broadcast == info.broadcast &&
                      operand.suffix == info.suffix;
    if (!fits)
      return "must be " + describe(info) + ", not " + quoted(operand.text);
    chosen_.instruction.operands[i] = operand.name.first & ~(info.registers == 3 ? 3U : 0U);
    return {};
  }

  std::string matchImmediate(unsigned i, const Operand &operand) {
    if (isRegister(operand))
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

/// Loads and stores may leave out their second address term.
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

/// Tries the encodings of one mnemonic and keeps the best, or the reason of the one that came
/// furthest.
class Choice {
public:
  Choice(const Wanted &wanted, std::vector<Operand> &operands, const SymbolTable &symbols,
         const Mode &mode)
      : wanted_(wanted), operands_(operands), symbols_(symbols), mode_(mode) {}

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
      whole.insert(whole.begin() + 2, Operand::ofRegister(kZero));
      match(form, info, whole);
    }
  }

  void match(Opcode form, const InstructionInfo &info, const std::vector<Operand> &operands) {
    if (mode_.architecture < info.since)
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
    // Where both fit, the sign-extended form is the one that assemblers take.
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

  const Wanted &wanted_;
  std::vector<Operand> &operands_;
  const SymbolTable &symbols_;
  const Mode &mode_;
  std::optional<ChosenInstruction> best_;
  std::string error_;
  std::size_t errorRank_ = 0;
  const char *errorAt_ = nullptr;
};

/// The registers that an operand writes, as bits; auxiliary ones in the upper half.
std::uint32_t writtenBy(const OperandInfo &info, std::uint32_t first) {
  if (!info.isWritten)
    return 0;
  const std::uint32_t count = info.registers == 3 ? 3 : info.registers;
  const std::uint32_t from = info.registers == 3 ? first + 1 : first;
  const std::uint32_t bits = ((1U << count) - 1) << from;
  return info.kind == OperandKind::AuxRegister ? bits << 16 : bits & 0xFFFF;
}

std::uint32_t writtenBy(const Instruction &instruction) {
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  std::uint32_t all = 0;
  for (unsigned i = 0; i < info.operandCount; ++i)
    all |= writtenBy(info.operands[i], instruction.operands[i]);
  return all;
}

std::string registersIn(std::uint32_t bits) {
  for (std::uint8_t i = 0; i < 32; ++i)
    if (bits >> i & 1)
      return isa::textOf({i >= 16, static_cast<std::uint8_t>(i % 16), 1});
  return {};
}

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
  Pseudo pseudo(mnemonic, std::move(operands));
  return Choice(pseudo.wanted(), pseudo.operands(), symbols, mode).make();
}

void checkInstruction(const Instruction &instruction, isa::Architecture architecture) {
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  std::uint32_t seen = 0;
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const std::uint32_t here = writtenBy(info.operands[i], instruction.operands[i]);
    if (here & seen)
      throw StatementError(nullptr, quoted(info.mnemonic) + " writes " + registersIn(here & seen) +
                                        " twice");
    seen |= here;
  }
  const bool isPut =
      instruction.opcode == Opcode::Ld64putcs || instruction.opcode == Opcode::Ld128putcs;
  if (!isPut)
    return;
  const std::uint32_t index = instruction.operands[0];
  const std::uint32_t weights = architecture == isa::Architecture::Ipu1 ? 32 : 64;
  if (index >= weights)
    throw StatementError(nullptr, "there are " + std::to_string(weights) +
                                      " common weights, so index " + std::to_string(index) +
                                      " is out of range 0.." + std::to_string(weights - 1));
  if (instruction.opcode == Opcode::Ld128putcs && index % 2 != 0)
    throw StatementError(nullptr,
                         "the index of 'ld128putcs' must be even, not " + std::to_string(index));
}

void checkBundle(const Instruction &main, const Instruction &aux) {
  if (isa::infoOf(main.opcode).isSolo())
    throw StatementError(nullptr, quoted(isa::infoOf(main.opcode).mnemonic) +
                                      " must stand alone, not in a bundle");
  if (const std::uint32_t both = writtenBy(main) & writtenBy(aux))
    throw StatementError(nullptr, "both halves of the bundle write " + registersIn(both));
}

} // namespace copse::assembler
