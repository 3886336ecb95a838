#include "assembly.hpp"
#include "text.hpp"

#include <algorithm>
#include <array>

namespace copse::assembler {
namespace {

/// Returns the first word of a statement after a label, which in a macro may have the form \name\@.
std::string_view directiveIn(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool hasLabel = colon != std::string_view::npos &&
                        text.substr(0, colon).find_first_of(" \t\"$") == std::string_view::npos;
  std::string_view rest = hasLabel ? trimmed(text.substr(colon + 1)) : text;
  return takeName(rest);
}

std::size_t offsetOf(std::string_view word, std::string_view text) {
  return static_cast<std::size_t>(word.data() - text.data());
}

bool opensMacro(std::string_view text) { return directiveIn(text) == ".macro"; }

std::size_t closesMacro(std::string_view text) {
  const std::string_view name = directiveIn(text);
  const bool closes = name == ".endm" || name == ".endmacro";
  return closes ? offsetOf(name, text) : std::string_view::npos;
}

bool opensRepetition(std::string_view text) {
  const std::string_view name = directiveIn(text);
  return name == ".rept" || name == ".irp" || name == ".irpc";
}

std::size_t closesRepetition(std::string_view text) {
  const std::string_view name = directiveIn(text);
  return name == ".endr" ? offsetOf(name, text) : std::string_view::npos;
}

constexpr std::array<std::string_view, 15> kIfs = {
    ".if",   ".ifeq", ".ifne", ".ifgt",  ".ifge",  ".iflt",  ".ifle",  ".ifc",
    ".ifnc", ".ifb",  ".ifnb", ".ifdef", ".ifeqs", ".ifnes", ".ifndef"};

bool isIf(std::string_view name) {
  return std::ranges::find(kIfs, name) != kIfs.end() || name == ".ifnotdef";
}

} // namespace

/// \returns true if the statement was a condition
bool Assembly::takeCondition(std::string_view directive, std::string_view operands) {
  if (!directive.starts_with(".i") && !directive.starts_with(".e"))
    return false;
  if (isIf(directive))
    openIf(directive, operands);
  else if (directive == ".elseif")
    conditions_.elseIf(conditions_.wantsElseCondition() && numberNow(operands) != 0);
  else if (directive == ".else")
    conditions_.otherwise();
  else if (directive == ".endif")
    conditions_.close();
  else
    return false;
  return true;
}

/// Opens an .if block even if its condition is invalid, so that its .endif is not reported too.
void Assembly::openIf(std::string_view directive, std::string_view operands) {
  bool condition = false;
  try {
    condition = conditions_.wantsCondition() && conditionOf(directive, operands);
  } catch (const StatementError &) {
    conditions_.open(false);
    throw;
  }
  conditions_.open(condition);
}

bool Assembly::conditionOf(std::string_view directive, std::string_view operands) {
  if (directive == ".ifb" || directive == ".ifnb")
    return trimmed(operands).empty() == (directive == ".ifb");
  if (directive == ".ifdef" || directive == ".ifndef" || directive == ".ifnotdef") {
    const SymbolTable::Entry *const entry = symbols_.find(trimmed(operands));
    const bool isDefined = entry && entry->kind != SymbolTable::Entry::Kind::Undefined;
    return isDefined == (directive == ".ifdef");
  }
  if (directive == ".ifc" || directive == ".ifnc" || directive == ".ifeqs" ||
      directive == ".ifnes") {
    const std::string_view first = takeUntilComma(operands);
    const bool isEqual = unquoted(first) == unquoted(trimmed(operands));
    return isEqual == (directive == ".ifc" || directive == ".ifeqs");
  }
  const std::int64_t value = numberNow(operands);
  if (directive == ".ifeq")
    return value == 0;
  if (directive == ".ifgt")
    return value > 0;
  if (directive == ".ifge")
    return value >= 0;
  if (directive == ".iflt")
    return value < 0;
  if (directive == ".ifle")
    return value <= 0;
  return value != 0;
}

void Assembly::defineMacro(std::string_view operands) {
  const std::string head(operands); // a copy, because the statement's text ends with its buffer
  const auto body = reader_.bodyUntil(opensMacro, closesMacro);
  Macro macro(head, body.text, body.file, body.line);
  const std::string name = macro.name();
  macros_.insert_or_assign(name, std::move(macro));
}

void Assembly::purgeMacro(std::string_view operands) {
  while (!trimmed(operands).empty()) {
    const std::string_view name = takeUntilComma(operands);
    if (macros_.erase(std::string(name)) == 0)
      throw StatementError(name.data(), "there is no macro '" + std::string(name) + "'");
  }
}

void Assembly::exitMacro(std::string_view) {
  const std::size_t depth = reader_.depth();
  if (!reader_.leaveExpansion())
    throw StatementError(nullptr, ".exitm outside of a macro");
  conditions_.unwind(macroConditions_[depth - 1]);
}

void Assembly::rept(std::string_view operands) {
  const std::int64_t count = numberNow(operands);
  const auto body = reader_.bodyUntil(opensRepetition, closesRepetition);
  constexpr std::int64_t kMaxCount = 1'000'000;
  if (count < 0 || count > kMaxCount)
    throw StatementError(nullptr,
                         "a repeat count must be from 0 to 1000000, not " + std::to_string(count));
  repeat(".rept", body, {}, std::vector<std::string>(static_cast<std::size_t>(count)));
}

void Assembly::irp(std::string_view operands) {
  const std::vector<std::string> parameter{std::string(takeUntilComma(operands))};
  std::vector<std::string> values;
  for (operands = trimmed(operands); !operands.empty(); operands = trimmed(operands)) {
    const std::size_t before = operands.size();
    values.push_back(takeArgument(operands));
    operands = trimmed(operands);
    if (operands.starts_with(",") || operands.size() == before)
      operands.remove_prefix(1);
  }
  repeat(".irp", reader_.bodyUntil(opensRepetition, closesRepetition), parameter, values);
}

void Assembly::irpc(std::string_view operands) {
  const std::vector<std::string> parameter{std::string(takeUntilComma(operands))};
  std::vector<std::string> values;
  for (const char c : unquoted(trimmed(operands)))
    values.emplace_back(1, c);
  repeat(".irpc", reader_.bodyUntil(opensRepetition, closesRepetition), parameter, values);
}

/// Repeats the body for each of \p values, which replaces \p parameter, if there is one. Every
/// repetition begins with a line marker, so that messages name the body's lines.
void Assembly::repeat(std::string_view directive, const StatementReader::Body &body,
                      const std::vector<std::string> &parameter,
                      const std::vector<std::string> &values) {
  const Template once(body.text, parameter);
  const std::string marker =
      "# " + std::to_string(body.line) + " \"" + diagnostics_.files()[body.file] + "\"\n";
  std::string all;
  for (const std::string &value : values) {
    all += marker + once.fill({value}, expansionCount_) + "\n";
    if (all.size() > kMaxText)
      throw StatementError(nullptr, "this repeats to more than 64 MiB of text");
  }
  expandBody(directive, std::move(all), body.file, body.line);
}

} // namespace copse::assembler
