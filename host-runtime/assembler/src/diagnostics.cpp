#include "assembler/diagnostics.hpp"

namespace copse::assembler {

std::uint32_t Diagnostics::fileNamed(std::string_view name) {
  if (const auto known = numbers_.find(name); known != numbers_.end())
    return known->second;
  const auto number = static_cast<std::uint32_t>(files_.size());
  files_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

std::uint32_t Diagnostics::addExpansion(std::string_view macro, Location call) {
  expansions_.push_back({std::string(macro), call});
  return static_cast<std::uint32_t>(expansions_.size() - 1);
}

std::string Diagnostics::describe(const Location &at, std::string_view severity,
                                  std::string_view text) const {
  const auto where = [this](const Location &l) {
    return files_[l.file] + ":" + std::to_string(l.line) + ":" + std::to_string(l.column) + ": ";
  };
  std::string out = where(at) + std::string(severity) + ": " + std::string(text) + "\n";
  for (std::uint32_t e = at.expansion; e != 0; e = expansions_[e].call.expansion)
    out += where(expansions_[e].call) + "note: in '" + expansions_[e].macro + "' used here\n";
  return out;
}

void Diagnostics::error(const Location &at, std::string_view text) {
  ++errors_;
  text_ += describe(at, "error", text);
  if (errors_ == kMaxErrors)
    text_ += "too many errors\n";
}

void Diagnostics::warning(const Location &at, std::string_view text) {
  warnings_ += describe(at, "warning", text);
}

void Diagnostics::throwErrors() const {
  if (errors_ > 0)
    throw AssemblyError(text_);
}

} // namespace copse::assembler
