#include "macros.hpp"

#include "text.hpp"

#include <algorithm>

namespace copse::assembler {
namespace {

/// Returns true if \p text begins with an operator. A '.' that begins a name is not an operator.
bool startsWithOperator(std::string_view text) {
  if (text.size() > 1 && text.front() == '.' && isNameChar(text[1]))
    return false;
  return !text.empty() && std::string_view("+-~/*.=|^&!<>%").find(text.front()) != text.npos;
}

/// Returns the end, after the closing quote, of the string at the front of \p text.
std::size_t stringEnd(std::string_view text) {
  std::size_t i = 1;
  while (i < text.size() && text[i] != '"')
    i += text[i] == '\\' ? 2 : 1;
  if (i >= text.size())
    throw StatementError(text.data(), "this string never ends");
  return i + 1;
}

struct Head {
  std::string name;
  std::vector<Macro::Parameter> parameters;
};

Macro::Parameter takeParameter(std::string_view &text) {
  Macro::Parameter parameter;
  const char *const at = text.data();
  parameter.name = takeName(text);
  if (parameter.name.empty())
    throw StatementError(at, "a parameter's name is missing");
  skipBlanks(text);
  if (!text.empty() && text.front() == ':') {
    text.remove_prefix(1);
    skipBlanks(text);
    const std::string_view quality = takeName(text);
    parameter.isRequired = quality == "req";
    parameter.isVararg = quality == "vararg";
    if (!parameter.isRequired && !parameter.isVararg)
      throw StatementError(quality.data(), "a parameter can be ':req' or ':vararg', not ':" +
                                               std::string(quality) + "'");
    skipBlanks(text);
  }
  if (!text.empty() && text.front() == '=') {
    text.remove_prefix(1);
    skipBlanks(text);
    parameter.byDefault = takeArgument(text);
    skipBlanks(text);
  }
  return parameter;
}

std::vector<std::string> namesOf(const std::vector<Macro::Parameter> &parameters) {
  std::vector<std::string> names;
  for (const auto &parameter : parameters)
    names.push_back(parameter.name);
  return names;
}

} // namespace

Template::Template(std::string_view text, const std::vector<std::string> &parameters) {
  text_.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      text_ += text[i];
      continue;
    }
    std::string_view rest = text.substr(i + 1);
    if (rest.starts_with("()")) {
      i += 2;
    } else if (rest.front() == '@') {
      holes_.push_back({text_.size(), kCounter});
      i += 1;
    } else {
      skipBlanks(rest); // the preprocessor adds these before replaced text
      const std::string_view name = takeName(rest);
      const auto found = std::find(parameters.begin(), parameters.end(), name);
      if (found == parameters.end()) {
        text_ += '\\';
        continue;
      }
      holes_.push_back({text_.size(), static_cast<int>(found - parameters.begin())});
      i = static_cast<std::size_t>(rest.data() - text.data()) - 1;
    }
  }
}

std::string Template::fill(const std::vector<std::string> &arguments, std::uint32_t count) const {
  std::size_t size = text_.size() + 10 * holes_.size();
  for (const Hole &hole : holes_)
    size +=
        hole.parameter == kCounter ? 0 : arguments[static_cast<std::size_t>(hole.parameter)].size();
  if (size > kMaxText)
    throw StatementError(nullptr, "a macro expands to more than 64 MiB");
  std::string out;
  out.reserve(size);
  std::size_t from = 0;
  for (const Hole &hole : holes_) {
    out.append(text_, from, hole.at - from);
    from = hole.at;
    out += hole.parameter == kCounter ? std::to_string(count)
                                      : arguments[static_cast<std::size_t>(hole.parameter)];
  }
  return out.append(text_, from);
}

std::string takeArgument(std::string_view &text) {
  std::string argument;
  int depth = 0;
  while (!text.empty()) {
    const char c = text.front();
    if (depth == 0 && c == ',')
      break;
    if (depth == 0 && isSpace(c)) {
      skipBlanks(text);
      if (text.empty() || text.front() == ',' || !startsWithOperator(text))
        break;
    }
    if (text.front() == '"') {
      const std::size_t end = stringEnd(text);
      argument += unquoted(text.substr(0, end));
      text.remove_prefix(end);
      continue;
    }
    const char taken = text.front();
    const bool isOperator = startsWithOperator(text);
    depth += taken == '(' ? 1 : taken == ')' && depth > 0 ? -1 : 0;
    argument += taken;
    text.remove_prefix(1);
    if (depth == 0 && isOperator)
      skipBlanks(text);
  }
  return argument;
}

Macro::Macro(std::string_view head, std::string_view body, std::uint32_t file, std::uint32_t line)
    : template_("", {}), file_(file), line_(line) {
  skipBlanks(head);
  const char *const at = head.data();
  name_ = takeName(head);
  if (name_.empty())
    throw StatementError(at, "a macro's name is missing");
  for (skipBlanks(head); !head.empty(); skipBlanks(head)) {
    if (head.front() == ',') {
      head.remove_prefix(1);
      continue;
    }
    if (!parameters_.empty() && parameters_.back().isVararg)
      throw StatementError(head.data(), "a ':vararg' parameter must be the last one");
    parameters_.push_back(takeParameter(head));
  }
  template_ = Template(body, namesOf(parameters_));
}

std::vector<std::string> Macro::valuesFor(std::string_view text) const {
  std::vector<std::string> values(parameters_.size());
  std::vector<bool> isGiven(parameters_.size(), false);
  std::size_t next = 0;
  for (skipBlanks(text); !text.empty(); skipBlanks(text)) {
    std::size_t index = next;
    std::string_view ahead = text;
    const std::string_view name = takeName(ahead);
    skipBlanks(ahead);
    const bool isNamed = !name.empty() && ahead.starts_with("=") && !ahead.starts_with("==");
    if (isNamed) {
      const auto found = std::find_if(parameters_.begin(), parameters_.end(),
                                      [&](const Parameter &p) { return p.name == name; });
      if (found == parameters_.end())
        throw StatementError(name.data(),
                             "macro '" + name_ + "' has no parameter '" + std::string(name) + "'");
      index = static_cast<std::size_t>(found - parameters_.begin());
      text = ahead.substr(1);
      skipBlanks(text);
    }
    if (index >= parameters_.size())
      throw StatementError(text.data(), "macro '" + name_ + "' has " +
                                            std::to_string(parameters_.size()) +
                                            " parameters; there are more arguments");
    const std::size_t before = text.size();
    if (parameters_[index].isVararg) {
      values[index] = text;
      text = {};
    } else {
      values[index] = takeArgument(text);
    }
    isGiven[index] = !values[index].empty();
    next = index + 1;
    skipBlanks(text);
    if (!text.empty() && text.front() == ',')
      text.remove_prefix(1);
    else if (text.size() == before)
      text.remove_prefix(1); // no argument can begin like this
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (isGiven[i])
      continue;
    if (parameters_[i].isRequired)
      throw StatementError(nullptr,
                           "macro '" + name_ + "' needs a value for '" + parameters_[i].name + "'");
    values[i] = parameters_[i].byDefault;
  }
  return values;
}

std::string Macro::expand(std::string_view arguments, std::uint32_t count) const {
  return template_.fill(valuesFor(arguments), count);
}

} // namespace copse::assembler
