#include "expression.hpp"

#include "text.hpp"

#include "assembler/diagnostics.hpp"
#include "types/half_conversion.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace copse::assembler {
namespace {

std::int64_t divided(std::int64_t a, std::int64_t b) {
  if (b == 0)
    throw StatementError(nullptr, "division by zero");
  // The only quotient that does not fit wraps around.
  return b == -1 ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a)) : a / b;
}

std::int64_t remainder(std::int64_t a, std::int64_t b) {
  if (b == 0)
    throw StatementError(nullptr, "division by zero");
  return b == -1 ? 0 : a % b;
}

/// Returns the result of a comparison in the style of other assemblers: all bits set for true.
/// `&&`, `||` and `!` give 1.
std::int64_t ofTruth(bool isTrue) { return isTrue ? -1 : 0; }

/// Computes in 64 bits with wrap-around.
std::int64_t ofNumbers(Operator op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const auto wrapped = [](std::uint64_t v) { return static_cast<std::int64_t>(v); };
  switch (op) {
  case Operator::Add:
    return wrapped(x + y);
  case Operator::Subtract:
    return wrapped(x - y);
  case Operator::Multiply:
    return wrapped(x * y);
  case Operator::Divide:
    return divided(a, b);
  case Operator::Modulo:
    return remainder(a, b);
  case Operator::ShiftLeft:
    return y > 63 ? 0 : wrapped(x << y);
  case Operator::ShiftRight:
    return y > 63 ? 0 : wrapped(x >> y);
  case Operator::And:
    return a & b;
  case Operator::Or:
    return a | b;
  case Operator::Xor:
    return a ^ b;
  case Operator::Equal:
    return ofTruth(a == b);
  case Operator::NotEqual:
    return ofTruth(a != b);
  case Operator::Less:
    return ofTruth(a < b);
  case Operator::LessEqual:
    return ofTruth(a <= b);
  case Operator::Greater:
    return ofTruth(a > b);
  case Operator::GreaterEqual:
    return ofTruth(a >= b);
  case Operator::LogicalAnd:
    return a != 0 && b != 0;
  case Operator::LogicalOr:
    return a != 0 || b != 0;
  case Operator::Negate:
    return wrapped(0 - x);
  case Operator::Complement:
    return ~a;
  case Operator::Not:
    return a == 0;
  }
  return 0;
}

bool isComparison(Operator op) { return op >= Operator::Equal && op <= Operator::GreaterEqual; }

bool sameBase(const Value &a, const Value &b) { return a.base == b.base && a.index == b.index; }

/// \returns nothing if the result is neither a number nor an address
std::optional<Value> combined(Operator op, const Value &a, const Value &b) {
  if (a.isNumber() && b.isNumber())
    return Value{ofNumbers(op, a.number, b.number), Value::Base::None, 0};
  if (op == Operator::Add && (a.isNumber() || b.isNumber())) {
    Value sum = a.isNumber() ? b : a;
    sum.number = ofNumbers(op, a.number, b.number);
    return sum;
  }
  const bool cancels = sameBase(a, b) && (op == Operator::Subtract || isComparison(op));
  if (cancels)
    return Value{ofNumbers(op, a.number, b.number), Value::Base::None, 0};
  if (op == Operator::Subtract && b.isNumber())
    return Value{ofNumbers(op, a.number, b.number), a.base, a.index};
  return std::nullopt;
}

bool isUnary(Operator op) { return op >= Operator::Negate; }

[[noreturn]] void refuseAddresses() {
  throw StatementError(nullptr, "addresses can only have numbers added to them, and be subtracted "
                                "from one of the same section");
}

} // namespace

Expression Expression::ofSymbol(std::uint32_t symbol) {
  Expression e;
  e.first_ = {Term::Kind::Symbol, {}, {}, symbol};
  return e;
}

std::vector<Expression::Term> Expression::terms() const {
  std::vector<Term> all{first_};
  all.insert(all.end(), rest_.begin(), rest_.end());
  return all;
}

void Expression::apply(Operator op, const Expression &right) {
  if (known() && right.known())
    if (const auto value = combined(op, *known(), *right.known())) {
      first_.value = *value;
      return;
    }
  constexpr std::size_t kMaxTerms = 10'000;
  const auto more = right.terms();
  if (rest_.size() + more.size() > kMaxTerms)
    throw StatementError(nullptr, "this expression has more than 10000 terms");
  rest_.insert(rest_.end(), more.begin(), more.end());
  rest_.push_back({Term::Kind::Operator, op, {}, 0});
}

void Expression::apply(Operator op) {
  if (known() && known()->isNumber()) {
    first_.value.number = ofNumbers(op, first_.value.number, 0);
    return;
  }
  rest_.push_back({Term::Kind::Operator, op, {}, 0});
}

Value Expression::evaluate(const SymbolTable &symbols) const {
  int steps = 0;
  return evaluate(symbols, 0, steps);
}

/// \param steps  counts evaluations of all nested values, because names that use others twice would
///   double the work with each level
Value Expression::evaluate(const SymbolTable &symbols, int depth, int &steps) const {
  constexpr int kMaxDepth = 100, kMaxSteps = 100'000;
  if (const Value *value = known())
    return *value;
  if (depth > kMaxDepth)
    throw StatementError(nullptr, "a name gets its value from itself");
  steps += static_cast<int>(rest_.size()) + 1;
  if (steps > kMaxSteps)
    throw StatementError(nullptr, "a value comes from more than 100000 others");
  std::vector<Value> stack;
  for (const Term &term : terms()) {
    if (term.kind == Term::Kind::Value) {
      stack.push_back(term.value);
    } else if (term.kind == Term::Kind::Symbol) {
      const SymbolTable::Entry &entry = symbols[term.symbol];
      if (entry.kind == SymbolTable::Entry::Kind::Assigned)
        stack.push_back(entry.assigned->evaluate(symbols, depth + 1, steps));
      else if (entry.kind == SymbolTable::Entry::Kind::Label)
        stack.push_back({entry.offset, Value::Base::Section, entry.section});
      else
        stack.push_back({0, Value::Base::Symbol, term.symbol});
    } else {
      const Value right = stack.back();
      stack.pop_back();
      if (isUnary(term.op)) {
        if (!right.isNumber())
          refuseAddresses();
        stack.push_back({ofNumbers(term.op, right.number, 0), Value::Base::None, 0});
        continue;
      }
      const auto result = combined(term.op, stack.back(), right);
      if (!result)
        refuseAddresses();
      stack.back() = *result;
    }
  }
  return stack.back();
}

namespace {

struct BinaryOperator {
  std::string_view text;
  Operator op;
  int precedence;
};

/// Longer operators precede their prefixes.
constexpr std::array kBinary = {
    BinaryOperator{"||", Operator::LogicalOr, 1},
    BinaryOperator{"&&", Operator::LogicalAnd, 2},
    BinaryOperator{"==", Operator::Equal, 3},
    BinaryOperator{"!=", Operator::NotEqual, 3},
    BinaryOperator{"<>", Operator::NotEqual, 3},
    BinaryOperator{"<<", Operator::ShiftLeft, 6},
    BinaryOperator{">>", Operator::ShiftRight, 6},
    BinaryOperator{"<=", Operator::LessEqual, 3},
    BinaryOperator{">=", Operator::GreaterEqual, 3},
    BinaryOperator{"<", Operator::Less, 3},
    BinaryOperator{">", Operator::Greater, 3},
    BinaryOperator{"+", Operator::Add, 4},
    BinaryOperator{"-", Operator::Subtract, 4},
    BinaryOperator{"&", Operator::And, 5},
    BinaryOperator{"|", Operator::Or, 5},
    BinaryOperator{"^", Operator::Xor, 5},
    BinaryOperator{"*", Operator::Multiply, 6},
    BinaryOperator{"/", Operator::Divide, 6},
    BinaryOperator{"%", Operator::Modulo, 6},
};

class Parser {
public:
  Parser(std::string_view &text, SymbolTable &symbols, Place place)
      : text_(text), symbols_(symbols), place_(place) {}

  Expression parse() { return binary(1); }

private:
  [[noreturn]] void refuse(const std::string &message) const {
    throw StatementError(text_.data(), message);
  }

  void skipBlanks() {
    while (!text_.empty() && isSpace(text_.front()))
      text_.remove_prefix(1);
  }

  const BinaryOperator *operatorAhead() {
    skipBlanks();
    if (text_.empty())
      return nullptr;
    for (const BinaryOperator &candidate : kBinary)
      if (candidate.text.front() == text_.front() && text_.starts_with(candidate.text))
        return &candidate;
    return nullptr;
  }

  Expression binary(int least) {
    if (++depth_ > kMaxDepth)
      refuse("this expression is nested too deep");
    Expression left = unary();
    while (const BinaryOperator *op = operatorAhead()) {
      if (op->precedence < least)
        break;
      text_.remove_prefix(op->text.size());
      left.apply(op->op, binary(op->precedence + 1));
    }
    --depth_;
    return left;
  }

  Expression unary() {
    skipBlanks();
    if (text_.empty())
      refuse("an expression is missing");
    const char c = text_.front();
    if (c != '-' && c != '+' && c != '~' && c != '!')
      return primary();
    text_.remove_prefix(1);
    if (c == '-')
      if (const auto half = takeHalf())
        return Expression(Value{*half ^ 0x8000, Value::Base::None, 0});
    if (++depth_ > kMaxDepth)
      refuse("this expression is nested too deep");
    Expression operand = unary();
    --depth_;
    if (c != '+')
      operand.apply(c == '-' ? Operator::Negate : c == '~' ? Operator::Complement : Operator::Not);
    return operand;
  }

  Expression primary() {
    const char c = text_.front();
    if (c == '(') {
      text_.remove_prefix(1);
      Expression inner = binary(1);
      skipBlanks();
      if (text_.empty() || text_.front() != ')')
        refuse("')' is missing");
      text_.remove_prefix(1);
      return inner;
    }
    if (isDigit(c))
      return number();
    if (c == '\'')
      return character();
    if (isNameStart(c) || c == '"')
      return symbol();
    refuse("a number or a name is missing before '" + std::string(text_) + "'");
  }

  Expression character() {
    std::size_t n = 1;
    char value = text_.size() > 1 ? text_[1] : '\0';
    if (value == '\\' && text_.size() > 2) {
      constexpr std::string_view kEscapes = "nt0r", kValues{"\n\t\0\r", 4};
      const std::size_t at = kEscapes.find(text_[2]);
      value = at == std::string_view::npos ? text_[2] : kValues[at];
      n = 2;
    }
    if (text_.size() < n + 2 || text_[n + 1] != '\'')
      refuse("this character never ends");
    text_.remove_prefix(n + 2);
    return Expression(Value{static_cast<unsigned char>(value), Value::Base::None, 0});
  }

  /// Parses the bits of a half, such as "1.5h" or "infh", if there is one.
  std::optional<std::int64_t> takeHalf() {
    if (text_.empty() || (!isDigit(text_.front()) && text_.front() != 'i' && text_.front() != 'n'))
      return std::nullopt;
    for (const auto &[name, bits] :
         {std::pair<std::string_view, std::int64_t>{"infh", 0x7C00}, {"nanh", 0x7E00}})
      if (text_.starts_with(name) &&
          (text_.size() == name.size() || !isNameChar(text_[name.size()]))) {
        text_.remove_prefix(name.size());
        return bits;
      }
    std::size_t digits = 0;
    while (digits < text_.size() && (isDigit(text_[digits]) || text_[digits] == '.'))
      ++digits;
    if (digits == text_.size() || (text_[digits] != 'h' && text_[digits] != 'e'))
      return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    const auto n = static_cast<std::size_t>(end - text_.data());
    if (error != std::errc{} || n >= text_.size() || text_[n] != 'h' ||
        (n + 1 < text_.size() && isNameChar(text_[n + 1])))
      return std::nullopt;
    text_.remove_prefix(n + 1);
    return types::doubleToHalf(value);
  }

  Expression number() {
    if (const auto half = takeHalf())
      return Expression(Value{*half, Value::Base::None, 0});
    std::size_t n = 0;
    while (n < text_.size() && (isDigit(text_[n]) || isLetter(text_[n])))
      ++n;
    const std::string_view word = text_.substr(0, n);
    if (const auto label = numericLabel(word)) {
      text_.remove_prefix(n);
      return ofSymbol(*label);
    }
    const auto value = valueOf(word);
    if (!value)
      refuse("'" + std::string(word) + "' is no number");
    text_.remove_prefix(n);
    return Expression(Value{static_cast<std::int64_t>(*value), Value::Base::None, 0});
  }

  /// Parses a reference to a numeric label, such as "1f" or "2b"; also "0b" and "0f", which look
  /// like numbers.
  std::optional<std::uint32_t> numericLabel(std::string_view word) {
    const char direction = word.back();
    if (word.size() < 2 || (direction != 'f' && direction != 'b'))
      return std::nullopt;
    const std::string_view digits = word.substr(0, word.size() - 1);
    for (const char c : digits)
      if (!isDigit(c))
        return std::nullopt;
    return direction == 'f' ? symbols_.forward(digits) : symbols_.backward(digits);
  }

  static std::optional<std::uint64_t> valueOf(std::string_view word) {
    while (!word.empty() && std::string_view("uUlL").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    int base = 10;
    if (word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
      base = 16;
    else if (word.size() > 2 && word[0] == '0' && (word[1] == 'b' || word[1] == 'B'))
      base = 2;
    else if (word.size() > 1 && word[0] == '0')
      base = 8;
    if (base == 16 || base == 2)
      word.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (error != std::errc{} || end != word.data() + word.size())
      return std::nullopt;
    return value;
  }

  Expression symbol() {
    if (text_.front() == 'i' || text_.front() == 'n')
      if (const auto half = takeHalf())
        return Expression(Value{*half, Value::Base::None, 0});
    std::string_view name;
    if (text_.front() == '"') {
      const std::size_t end = text_.find('"', 1);
      if (end == std::string_view::npos)
        refuse("this string never ends");
      name = text_.substr(1, end - 1);
      text_.remove_prefix(end + 1);
    } else {
      name = takeName(text_);
    }
    skipModifiers();
    if (name == ".")
      return Expression(Value{place_.offset, Value::Base::Section, place_.section});
    return ofSymbol(symbols_.named(name));
  }

  /// Skips modifiers such as "@18@s2", by which compilers name a relocation that follows from the
  /// operand anyway.
  void skipModifiers() {
    while (text_.size() > 1 && text_.front() == '@' &&
           (isNameStart(text_[1]) || isDigit(text_[1]))) {
      text_.remove_prefix(1);
      while (!text_.empty() && isNameChar(text_.front()))
        text_.remove_prefix(1);
    }
  }

  Expression ofSymbol(std::uint32_t symbol) {
    const SymbolTable::Entry &entry = symbols_[symbol];
    if (entry.kind == SymbolTable::Entry::Kind::Label)
      return Expression(Value{entry.offset, Value::Base::Section, entry.section});
    // The current value of .equ applies, because the name may get another value later.
    if (entry.kind == SymbolTable::Entry::Kind::Assigned)
      return *entry.assigned;
    return Expression::ofSymbol(symbol);
  }

  static constexpr int kMaxDepth = 200;
  std::string_view &text_;
  SymbolTable &symbols_;
  Place place_;
  int depth_ = 0;
};

} // namespace

Expression takeExpression(std::string_view &text, SymbolTable &symbols, Place place) {
  return Parser(text, symbols, place).parse();
}

} // namespace copse::assembler
