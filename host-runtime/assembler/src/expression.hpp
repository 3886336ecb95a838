#pragma once

#include "symbols.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// A number, or an address: a section or an undefined symbol, plus a number.
struct Value {
  enum class Base : std::uint8_t { None, Section, Symbol };
  std::int64_t number = 0;
  Base base = Base::None;
  std::uint32_t index = 0; ///< index of the section or symbol

  bool isNumber() const { return base == Base::None; }
};

/// The operators of expressions, as in GNU as.
enum class Operator : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Modulo,
  ShiftLeft,
  ShiftRight,
  And,
  Or,
  Xor,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  LogicalAnd,
  LogicalOr,
  Negate,
  Complement,
  Not
};

/// An expression in postfix order. Known parts are folded as they are read, so most expressions are
/// one number.
class Expression {
public:
  Expression() : Expression(Value{}) {}
  explicit Expression(Value value) : first_{Term::Kind::Value, {}, value, 0} {}
  static Expression ofSymbol(std::uint32_t symbol);

  /// Applies \p op to this expression and, if it is binary, to \p right.
  void apply(Operator op, const Expression &right);
  void apply(Operator op);

  /// Returns the value if it does not depend on symbols; else null.
  const Value *known() const {
    return rest_.empty() && first_.kind == Term::Kind::Value ? &first_.value : nullptr;
  }
  /// Computes the value with the symbols known so far. A symbol without a definition is its own
  /// base.
  /// \throws StatementError if the result is neither a number nor an address
  Value evaluate(const SymbolTable &symbols) const;

private:
  struct Term {
    enum class Kind : std::uint8_t { Value, Symbol, Operator };
    Kind kind;
    Operator op;
    Value value;
    std::uint32_t symbol;
  };
  std::vector<Term> terms() const;
  Value evaluate(const SymbolTable &symbols, int depth, int &steps) const;

  Term first_; ///< the only term of most expressions
  std::vector<Term> rest_;
};

/// The location of an expression.
struct Place {
  std::uint32_t section = 0, offset = 0; ///< value of "."
};

/// Parses an expression at the front of \p text and removes it. Precedence is as in the LLVM
/// assembler for ELF: * / % << >> bind tightest, then & | ^, then + -, then comparisons, &&, ||.
/// \throws StatementError
Expression takeExpression(std::string_view &text, SymbolTable &symbols, Place place);

} // namespace copse::assembler
