#include "pseudo_instructions.hpp"

#include "assembler/diagnostics.hpp"

namespace copse::assembler {
namespace {

/// Splits mnemonics such as "adds" and "cmpeqz", which select the extension of the immediate.
Spelling withoutExtension(std::string_view mnemonic) {
  for (const std::string_view plain : {"add", "cmpeq", "max", "min", "sub"})
    if (mnemonic.size() == plain.size() + 1 && mnemonic.starts_with(plain)) {
      if (mnemonic.back() == 's')
        return {plain, Extension::Signed, {}};
      if (mnemonic.back() == 'z')
        return {plain, Extension::Zero, {}};
    }
  return {mnemonic, Extension::Any, {}};
}

bool isAux(const Operand &operand) { return operand.isRegister() && operand.name.isAux; }
bool isNumber(const Operand &operand) { return operand.kind == Operand::Kind::Expression; }

class Pseudo {
public:
  Pseudo(std::string_view mnemonic, std::vector<Operand> operands)
      : meant_(withoutExtension(mnemonic)), operands_(meant_.operands) {
    operands_ = std::move(operands);
  }

  Spelling meant() && {
    expand();
    return std::move(meant_);
  }

private:
  void becomes(std::string_view mnemonic, std::vector<Operand> operands) {
    meant_.mnemonic = mnemonic;
    operands_ = std::move(operands);
  }

  void expand() {
    const std::string_view name = meant_.mnemonic;
    const std::size_t n = operands_.size();
    if (name == "nop" && n == 0)
      becomes("setzi", {Operand::ofRegister({false, isa::kIgnoredMain, 1}), Operand::ofNumber(0)});
    else if (name == "fnop" && n == 0)
      becomes("setzi", {Operand::ofRegister({true, isa::kIgnoredAux, 1}), Operand::ofNumber(0)});
    else if (name == "strap" && n == 0)
      becomes("put", {Operand::ofNumber(255), Operand::ofRegister(kMainZeroName)});
    else if (name == "zero" && n == 1 && operands_[0].isRegister())
      zero();
    else if (name == "mov" && n == 2 && operands_[0].isRegister() && operands_[1].isRegister())
      move();
    else if (name == "swap16" && n == 2)
      becomes("roll16", {operands_[0], operands_[1], operands_[1]});
    else if (name == "movnz")
      meant_.mnemonic = "movz";
    else if (name == "f16v4sisov2amp")
      meant_.mnemonic = "f16v4sisoamp";
    else if (name == "f16v4sisov2slic")
      meant_.mnemonic = "f16v4sisoslic";
    else if (name == "get" && n == 2 && isAux(operands_[0]))
      meant_.mnemonic = "uget";
    else if (name == "put" && n == 2 && isAux(operands_[1]))
      meant_.mnemonic = "uput";
    else if (name == "sub" && n == 3 && operands_[1].isRegister() && isNumber(operands_[2]))
      subtractNumber();
  }

  void zero() {
    const isa::RegisterName target = operands_[0].name;
    if (target.isAux && target.count == 2)
      becomes("or64", {operands_[0], Operand::ofRegister(kAuxZeroPairName),
                       Operand::ofRegister(kAuxZeroPairName)});
    else if (target.isAux)
      becomes("or",
              {operands_[0], Operand::ofRegister(kAuxZeroName), Operand::ofRegister(kAuxZeroName)});
    else
      becomes("or", {operands_[0], Operand::ofRegister(kMainZeroName),
                     Operand::ofRegister(kMainZeroName)});
  }

  void move() {
    const bool toAux = isAux(operands_[0]), fromAux = isAux(operands_[1]);
    if (toAux && !fromAux)
      throw StatementError(operands_[1].at, "no instruction moves from $m to $a registers; store "
                                            "to memory and load from there");
    if (!toAux && fromAux)
      meant_.mnemonic = "atom";
    else if (operands_[0].name.count == 2)
      becomes("or64", {operands_[0], operands_[1], Operand::ofRegister(kAuxZeroPairName)});
    else
      becomes("or", {operands_[0], operands_[1], Operand::ofNumber(0)});
  }

  /// Rewrites register - immediate, because the tile has only immediate - register.
  void subtractNumber() {
    operands_[2].value.apply(Operator::Negate);
    meant_.mnemonic = "add";
  }

  Spelling meant_;
  std::vector<Operand> &operands_; ///< operands of meant_
};

} // namespace

Spelling meantBy(std::string_view mnemonic, std::vector<Operand> operands) {
  return Pseudo(mnemonic, std::move(operands)).meant();
}

} // namespace copse::assembler
