#pragma once

#include "symbols.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// A number, or an address: a section's or an undefined symbol's, plus a number.
struct Value {
  enum class Base : std::uint8_t { None, Section, Symbol };
  std::int64_t number = 0;
  Base base = Base::None;
  std::uint32_t index = 0; ///< of the base

  bool isNumber() const { return base == Base::None; }
};

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

/// An expression in postfix order. What was known when it was read is folded: most are one number.
class Expression {
public:
  Expression() : Expression(Value{}) {}
  explicit Expression(Value value) : first_{Term::Kind::Value, {}, value, 0} {}
  static Expression ofSymbol(std::uint32_t symbol);

  /// Applies \p op to this and, where it takes two, to \p right.
  void apply(Operator op, const Expression &right);
  void apply(Operator op);

  /// The value if nothing in it has to be looked up.
  const Value *known() const {
    return rest_.empty() && first_.kind == Term::Kind::Value ? &first_.value : nullptr;
  }
  /// With what \p symbols know by now. A symbol without a definition is its own base.
  /// \throws StatementError if the result is no number and no address
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

  Term first_; ///< the only one of most expressions
  std::vector<Term> rest_;
};

/// Where an expression stands.
struct Place {
  std::uint32_t section = 0, offset = 0; ///< what "." means
};

/// Reads an expression from the front of \p text and takes it away. Precedence as the LLVM
/// assembler's for ELF: * / % << >> bind tightest, then & | ^, then + -, then comparisons, &&, ||.
/// \throws StatementError
Expression takeExpression(std::string_view &text, SymbolTable &symbols, Place place);

} // namespace copse::assembler
