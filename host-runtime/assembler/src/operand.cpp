#include "operand.hpp"

#include "text.hpp"

#include "assembler/diagnostics.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace copse::assembler {
namespace {

isa::Suffix takeSuffix(std::string_view &text) {
  constexpr struct {
    std::string_view text;
    isa::Suffix suffix;
  } kSuffixes[] = {{"+=", isa::Suffix::Step},
                   {"++", isa::Suffix::Increment},
                   {"@", isa::Suffix::At},
                   {">>", isa::Suffix::Shift}};
  for (const auto &s : kSuffixes)
    if (text.starts_with(s.text)) {
      text.remove_prefix(s.text.size());
      return s.suffix;
    }
  return isa::Suffix::None;
}

isa::Broadcast takeBroadcast(std::string_view &text) {
  constexpr struct {
    std::string_view text;
    isa::Broadcast broadcast;
  } kBroadcasts[] = {
      {"BL", isa::Broadcast::Lower}, {"BU", isa::Broadcast::Upper}, {"B", isa::Broadcast::Element}};
  std::string_view ahead = text;
  if (!ahead.starts_with(':'))
    return isa::Broadcast::None;
  ahead.remove_prefix(1);
  skipBlanks(ahead);
  for (const auto &b : kBroadcasts)
    if (ahead.starts_with(b.text) &&
        (ahead.size() == b.text.size() || !isNameChar(ahead[b.text.size()]))) {
      text = ahead.substr(b.text.size());
      return b.broadcast;
    }
  return isa::Broadcast::None;
}

/// Parses the name after a '$' up to its suffixes: "a0:1", "mzero", "FP_CLR". The preprocessor may
/// have inserted blanks around the ':' of a group.
std::string_view takeDollarName(std::string_view &text) {
  std::string_view rest = text;
  const auto takeWhile = [&](auto &&belongs) {
    while (!rest.empty() && belongs(rest.front()))
      rest.remove_prefix(1);
  };
  takeWhile([](char c) { return isLetter(c) || isDigit(c) || c == '_'; });
  std::string_view last = rest;
  skipBlanks(last);
  if (last.starts_with(':')) {
    last.remove_prefix(1);
    skipBlanks(last);
    if (!last.empty() && isDigit(last.front())) {
      rest = last;
      takeWhile(isDigit);
    }
  }
  const std::string_view name = text.substr(0, text.size() - rest.size());
  text = rest;
  return name;
}

std::optional<isa::RegisterName> registerNamed(std::string_view name) {
  if (std::ranges::none_of(name, isSpace))
    return isa::registerNamed(name);
  std::string compact(name);
  std::erase_if(compact, isSpace);
  return isa::registerNamed(compact);
}

bool looksLikeRegister(std::string_view name) {
  return name.size() > 1 && (name[0] == 'a' || name[0] == 'm') && isDigit(name[1]);
}

Operand takeDollar(std::string_view &text) {
  Operand operand;
  text.remove_prefix(1); // '$'
  skipBlanks(text);
  const std::string_view name = takeDollarName(text);
  if (name.empty())
    throw StatementError(operand.at, "a register's name is missing after '$'");
  const auto found = registerNamed(name);
  if (!found && looksLikeRegister(name))
    throw StatementError(name.data() - 1, "'$" + std::string(name) +
                                              "' is no register and no aligned group of them");
  if (!found) {
    operand.kind = Operand::Kind::Csr;
    operand.csr = name;
    return operand;
  }
  operand.kind = Operand::Kind::Register;
  operand.name = *found;
  skipBlanks(text);
  operand.broadcast = takeBroadcast(text);
  skipBlanks(text);
  operand.suffix = takeSuffix(text);
  return operand;
}

} // namespace

Operand Operand::ofRegister(isa::RegisterName name) {
  Operand operand;
  operand.kind = Kind::Register;
  operand.name = name;
  return operand;
}

Operand Operand::ofNumber(std::int64_t number) {
  Operand operand;
  operand.value = Expression(Value{number, Value::Base::None, 0});
  return operand;
}

std::vector<Operand> readOperands(std::string_view text, SymbolTable &symbols, Place place) {
  std::vector<Operand> operands;
  text = trimmed(text);
  if (text.empty())
    return operands;
  operands.reserve(isa::kMaxOperands);
  while (true) {
    skipBlanks(text);
    const char *const at = text.data();
    if (text.empty())
      throw StatementError(at, "an operand is missing after the comma");
    if (text.front() == '$') {
      operands.push_back(takeDollar(text));
    } else {
      operands.emplace_back();
      operands.back().value = takeExpression(text, symbols, place);
    }
    operands.back().at = at;
    operands.back().text = trimmed({at, static_cast<std::size_t>(text.data() - at)});
    skipBlanks(text);
    if (text.empty())
      return operands;
    if (text.front() != ',')
      throw StatementError(text.data(), "',' or the end of the statement is missing before '" +
                                            std::string(text) + "'");
    text.remove_prefix(1);
  }
}

} // namespace copse::assembler
