#include "symbols.hpp"

#include "expression.hpp"

#include "assembler/diagnostics.hpp"

namespace copse::assembler {

SymbolTable::SymbolTable() = default;
SymbolTable::~SymbolTable() = default;

std::uint32_t SymbolTable::named(std::string_view name) {
  if (const auto found = byName_.find(name); found != byName_.end())
    return found->second;
  const auto number = size();
  entries_.emplace_back().name = name;
  byName_.emplace(entries_.back().name, number);
  return number;
}

const SymbolTable::Entry *SymbolTable::find(std::string_view name) const {
  const auto found = byName_.find(name);
  return found == byName_.end() ? nullptr : &entries_[found->second];
}

std::uint32_t SymbolTable::numeric(std::string_view digits, std::uint32_t ordinal) {
  // No source can contain such a name.
  const std::uint32_t symbol = named(std::string(digits) + ":" + std::to_string(ordinal));
  entries_[symbol].isNumeric = true;
  return symbol;
}

std::uint32_t SymbolTable::forward(std::string_view digits) {
  return numeric(digits, numericCount_[std::string(digits)]);
}

std::uint32_t SymbolTable::backward(std::string_view digits) {
  const std::uint32_t count = numericCount_[std::string(digits)];
  if (count == 0)
    throw StatementError(digits.data(), "there is no label '" + std::string(digits) + ":' before");
  return numeric(digits, count - 1);
}

std::uint32_t SymbolTable::defineNumeric(std::string_view digits) {
  const std::uint32_t symbol = forward(digits);
  ++numericCount_[std::string(digits)];
  return symbol;
}

} // namespace copse::assembler
