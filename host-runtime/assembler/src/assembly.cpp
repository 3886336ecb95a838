#include "assembly.hpp"

#include "text.hpp"

namespace copse::assembler {
namespace {

/// The number of expansions after which a macro must be recursing without end.
constexpr std::uint32_t kMaxExpansions = 1'000'000;

} // namespace

Assembly::Assembly(std::string_view source, const std::string &fileName,
                   isa::Architecture architecture)
    : reader_(source, fileName, diagnostics_), mode_{architecture, isa::Context::Worker},
      file_(diagnostics_.fileNamed(fileName)) {
  enter(sectionNamed(".text"));
}

Assembled Assembly::run() {
  while (!diagnostics_.tooMany()) {
    Statement statement;
    try {
      statement = reader_.next();
      if (statement.kind == Statement::Kind::End)
        break;
      at_ = statement.at;
      take(statement);
    } catch (const StatementError &e) {
      Location at = at_;
      if (e.at && e.at >= statement.text.data() &&
          e.at <= statement.text.data() + statement.text.size())
        at.column += static_cast<std::uint32_t>(e.at - statement.text.data());
      diagnostics_.error(at, e.what());
      if (bundle_)
        bundle_->isBroken = true;
    }
  }
  closeAtEnd();
  if (!diagnostics_.tooMany())
    resolve();
  diagnostics_.throwErrors();
  return {finish(), diagnostics_.warnings()};
}

void Assembly::closeAtEnd() {
  if (diagnostics_.tooMany())
    return;
  if (bundle_)
    diagnostics_.error(bundle_->at, "this bundle never ends");
  if (conditions_.depth() > 0)
    diagnostics_.error(at_, "an .if has no .endif");
}

void Assembly::take(const Statement &statement) {
  switch (statement.kind) {
  case Statement::Kind::Open:
    if (!conditions_.isSkipping())
      openBundle(statement.at);
    return;
  case Statement::Kind::Close:
    if (!conditions_.isSkipping())
      closeBundle();
    return;
  case Statement::Kind::Text:
    return takeText(statement.text);
  case Statement::Kind::End:
    return;
  }
}

void Assembly::takeText(std::string_view text) {
  while (!conditions_.isSkipping() && takeLabel(text))
    text = trimmed(text);
  if (text.empty())
    return;
  std::string_view rest = text;
  const std::string_view name = takeName(rest);
  rest = trimmed(rest);
  if (takeCondition(name, rest) || conditions_.isSkipping())
    return;
  if (name.empty())
    throw StatementError(text.data(), "an instruction, a directive or a label is missing");
  if (expandMacro(name, rest))
    return;
  if (takeAssignment(text))
    return;
  const auto directive = directives().find(name);
  if (directive != directives().end())
    return (this->*directive->second)(rest);
  if (name.front() == '.' && !name.starts_with(".cfi_"))
    throw StatementError(name.data(), "there is no directive '" + std::string(name) + "'");
  if (name.front() != '.')
    takeInstruction(name, rest);
}

/// Parses a label, "name:" or "1:", and removes it from the front of \p text.
bool Assembly::takeLabel(std::string_view &text) {
  std::size_t n = 0;
  while (n < text.size() && isNameChar(text[n]))
    ++n;
  std::size_t colon = n;
  while (colon < text.size() && isSpace(text[colon]))
    ++colon;
  if (n == 0 || colon == text.size() || text[colon] != ':' || text.front() == '$')
    return false;
  const std::string_view name = text.substr(0, n);
  if (bundle_)
    throw StatementError(name.data(), "a label cannot stand inside a bundle; put it in front");
  std::uint32_t symbol = 0;
  if (isDigit(name.front())) {
    if (name.find_first_not_of("0123456789") != std::string_view::npos)
      throw StatementError(name.data(), "'" + std::string(name) + "' cannot be a label's name");
    symbol = symbols_.defineNumeric(name);
  } else {
    symbol = symbols_.named(name);
  }
  SymbolTable::Entry &entry = symbols_[symbol];
  if (entry.kind != SymbolTable::Entry::Kind::Undefined)
    throw StatementError(name.data(), "'" + std::string(name) + "' is defined twice");
  entry.kind = SymbolTable::Entry::Kind::Label;
  entry.section = current_;
  entry.offset = here().size();
  text.remove_prefix(colon + 1);
  return true;
}

/// Parses an assignment "name = value".
bool Assembly::takeAssignment(std::string_view text) {
  const std::string_view name = takeName(text);
  text = trimmed(text);
  if (name.empty() || !text.starts_with("=") || text.starts_with("=="))
    return false;
  if (name == ".")
    moveTo(trimmed(text.substr(1)), {});
  else
    assign(name, text.substr(1), false);
  return true;
}

void Assembly::assign(std::string_view name, std::string_view value, bool isFinal) {
  Expression expression = wholeExpression(value);
  const std::uint32_t symbol = symbols_.named(name);
  SymbolTable::Entry &entry = symbols_[symbol];
  const bool isTaken = entry.kind == SymbolTable::Entry::Kind::Label || entry.isFinal ||
                       (isFinal && entry.kind != SymbolTable::Entry::Kind::Undefined);
  if (isTaken)
    throw StatementError(name.data(), "'" + std::string(name) + "' is defined twice");
  entry.kind = SymbolTable::Entry::Kind::Assigned;
  entry.isFinal = isFinal;
  entry.assigned = std::make_unique<Expression>(std::move(expression));
}

bool Assembly::expandMacro(std::string_view name, std::string_view arguments) {
  if (macros_.empty())
    return false;
  const auto found = macros_.find(std::string(name));
  if (found == macros_.end())
    return false;
  const Macro &macro = found->second;
  expandBody(name, macro.expand(arguments, expansionCount_), macro.file(), macro.line());
  return true;
}

void Assembly::expandBody(std::string_view directive, std::string text, std::uint32_t file,
                          std::uint32_t line) {
  expandedBytes_ += text.size();
  if (++expansionCount_ > kMaxExpansions || expandedBytes_ > kMaxText)
    throw StatementError(nullptr, "macros expand without end");
  reader_.expand(std::move(text), file, line, diagnostics_.addExpansion(directive, at_));
  macroConditions_.resize(reader_.depth());
  macroConditions_.back() = conditions_.depth();
}

Expression Assembly::expression(std::string_view &text) {
  return takeExpression(text, symbols_, place());
}

Expression Assembly::wholeExpression(std::string_view text) {
  text = trimmed(text);
  Expression result = expression(text);
  text = trimmed(text);
  if (!text.empty())
    throw StatementError(text.data(), "unexpected '" + std::string(text) + "'");
  return result;
}

std::int64_t Assembly::numberNow(std::string_view text) {
  text = trimmed(text);
  const Expression whole = wholeExpression(text);
  try {
    if (const Value value = whole.evaluate(symbols_); value.isNumber())
      return value.number;
  } catch (const StatementError &) {
    // Labels without an address do not cancel out.
  }
  throw StatementError(text.data(), "the value of '" + std::string(text) +
                                        "' must be known here; it may use labels only if they "
                                        "stand before, in one section");
}

} // namespace copse::assembler
