#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace copse::assembler {

class Expression;

/// The names in one source: labels, values of .equ, and undefined symbols. Each definition of a
/// numeric label has a name of its own.
class SymbolTable {
public:
  SymbolTable();
  ~SymbolTable();
  SymbolTable(const SymbolTable &) = delete;
  SymbolTable &operator=(const SymbolTable &) = delete;

  struct Entry {
    enum class Kind : std::uint8_t { Undefined, Label, Assigned };
    std::string name;
    Kind kind = Kind::Undefined;
    std::uint32_t section = 0, offset = 0;                      ///< set for labels
    std::unique_ptr<Expression> assigned;                       ///< by .equ, .set
    std::unique_ptr<Expression> size;                           ///< by .size
    bool isGlobal = false, isFunction = false, isFinal = false; ///< isFinal: by .equiv
    bool isNumeric = false;
  };

  /// Returns the number of a name, which is added if it is new.
  std::uint32_t named(std::string_view name);
  /// \returns null for an unknown name
  const Entry *find(std::string_view name) const;
  Entry &operator[](std::uint32_t symbol) { return entries_[symbol]; }
  const Entry &operator[](std::uint32_t symbol) const { return entries_[symbol]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }

  /// Returns the symbol of the next definition of numeric label \p digits.
  std::uint32_t forward(std::string_view digits);
  /// Returns the symbol of the latest definition.
  /// \throws StatementError if there is none
  std::uint32_t backward(std::string_view digits);
  /// Adds a definition.
  /// \returns its symbol
  std::uint32_t defineNumeric(std::string_view digits);

private:
  std::uint32_t numeric(std::string_view digits, std::uint32_t ordinal);

  std::deque<Entry> entries_;
  std::unordered_map<std::string_view, std::uint32_t> byName_;
  std::unordered_map<std::string, std::uint32_t> numericCount_; ///< definitions so far
};

} // namespace copse::assembler
