#pragma once

#include "expression.hpp"
#include "isa/instruction.hpp"
#include "isa/registers.hpp"

#include <string_view>
#include <vector>

namespace copse::assembler {

/// A parsed operand.
struct Operand {
  enum class Kind : std::uint8_t { Register, Csr, Expression };
  Kind kind = Kind::Expression;
  isa::RegisterName name;
  isa::Broadcast broadcast = isa::Broadcast::None;
  isa::Suffix suffix = isa::Suffix::None;
  std::string_view csr; ///< name without '$'
  Expression value;
  const char *at = nullptr; ///< position in the statement
  std::string_view text;

  static Operand ofRegister(isa::RegisterName name);
  static Operand ofNumber(std::int64_t number);

  bool isRegister() const { return kind == Kind::Register; }
};

/// The registers that read as zero.
inline constexpr isa::RegisterName kMainZeroName{false, isa::kMainZero, 1},
    kAuxZeroName{true, isa::kAuxZero, 1}, kAuxZeroPairName{true, isa::kAuxZeroPair, 2};

/// Parses the operands of a statement, separated by commas.
/// \throws StatementError
std::vector<Operand> readOperands(std::string_view text, SymbolTable &symbols, Place place);

} // namespace copse::assembler
