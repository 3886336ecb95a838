#include "assembly_statements.hpp"

#include "isa/registers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <iterator>
#include <optional>
#include <string_view>

namespace copse::popc {
namespace {

using std::size_t;
using std::string;
using std::string_view;

/// One word, literal or character of C++.
struct Token {
  enum class Kind { End, Name, Number, String, Character, Other };
  Kind kind = Kind::End;
  size_t begin = 0, end = 0;
};

bool isWordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Cuts an expanded source into tokens, and skips line markers and comments.
class Tokens {
public:
  explicit Tokens(string_view text) : text_(text) {}

  size_t at() const { return at_; }
  void goTo(size_t at) { at_ = at; }
  string_view textOf(const Token &token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  bool is(const Token &token, string_view text) const { return textOf(token) == text; }

  Token next() {
    skipBlanks();
    Token token{Token::Kind::End, at_, at_};
    if (at_ >= text_.size())
      return token;
    const char c = text_[at_];
    if (isWordChar(c))
      takeWord(token);
    else if (c == '"')
      takeQuoted(token, Token::Kind::String);
    else if (c == '\'')
      takeQuoted(token, Token::Kind::Character);
    else
      take(token, Token::Kind::Other, at_ + 1);
    return token;
  }

private:
  void skipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool startsLine = at_ == 0 || text_[at_ - 1] == '\n';
      if ((c == '#' && startsLine) || text_.substr(at_, 2) == "//")
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_.substr(at_, 2) == "/*")
        at_ = std::min(text_.find("*/", at_ + 2), text_.size() - 2) + 2;
      else if (std::isspace(static_cast<unsigned char>(c)) != 0)
        ++at_;
      else
        return;
    }
  }

  void take(Token &token, Token::Kind kind, size_t end) {
    token.kind = kind;
    token.end = at_ = std::min(end, text_.size());
  }

  void takeWord(Token &token) {
    const bool isNumber = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
    size_t end = at_;
    while (end < text_.size() &&
           (isWordChar(text_[end]) || (isNumber && (text_[end] == '.' || text_[end] == '\''))))
      ++end;
    const string_view word = text_.substr(at_, end - at_);
    if (!isNumber && end < text_.size() && text_[end] == '"' && word.back() == 'R' &&
        word.size() < 4)
      return takeRaw(token, end);
    take(token, isNumber ? Token::Kind::Number : Token::Kind::Name, end);
  }

  /// Takes a raw string R"mark( ... )mark", whose quote is at \p quote.
  void takeRaw(Token &token, size_t quote) {
    const size_t open = text_.find('(', quote);
    if (open == string_view::npos)
      return take(token, Token::Kind::Other, quote);
    const string close = ")" + string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const size_t end = text_.find(close, open);
    take(token, Token::Kind::String, end == string_view::npos ? text_.size() : end + close.size());
  }

  void takeQuoted(Token &token, Token::Kind kind) {
    const char quote = text_[at_];
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
      end += text_[end] == '\\' ? 2 : 1;
    take(token, kind, end + 1);
  }

  string_view text_;
  size_t at_ = 0;
};

/// The line marker and declarations before an expanded source in C++. They do not change its line
/// numbers.
constexpr const char *kKinds = R"(# 1 "<kinds of assembly operands>" 3
namespace copse_assembly {
char (&kindOf(unsigned long))[2];
char (&kindOf(long))[3];
template <class Operand> char (&kindOf(Operand))[1];
}
)";

/// Returns C++ code for a number that gives the type of an expression (AssemblyOperandKind).
string kindOf(string_view expression, bool isC) {
  return isC ? "_Generic((" + string(expression) + "), unsigned long: 2, long: 3, default: 1)"
             : "sizeof(::copse_assembly::kindOf(" + string(expression) + "))";
}

/// Rewrites the statements of one source.
class Rewriter {
public:
  Rewriter(const string &source, bool isC) : source_(source), tokens_(source), isC_(isC) {}

  SourceWithAssembly run() {
    Token name; // the last one
    for (Token token = tokens_.next(); token.kind != Token::Kind::End; token = tokens_.next()) {
      static constexpr std::array<string_view, 3> kNames{"asm", "__asm", "__asm__"};
      if (token.kind != Token::Kind::Name)
        followScopes(token);
      else if (std::ranges::find(kNames, tokens_.textOf(token)) == kNames.end())
        name = token;
      else if (depth_ == 0 || !takeRegisterVariable(token, name))
        takeStatement();
      if (tokens_.is(token, "register"))
        register_ = token;
    }
    if (copied_ == 0)
      return {source_, {}};
    copyUpTo(source_.size());
    return std::move(result_);
  }

private:
  /// The place of an operand in the statement.
  struct Operand {
    string_view constraint, expression;
  };
  struct Statement {
    size_t strings = 0;
    std::array<std::vector<Operand>, 2> operands; ///< outputs, inputs
    std::vector<Token> clobbers;
    /// Positions of each section's colon or of the parenthesis.
    std::array<size_t, 5> sectionEnd{};
    unsigned sections = 1;
  };

  /// A variable that lives in a register of the tile: float *p asm("$m2").
  struct RegisterVariable {
    string_view name;
    string registerName;
    unsigned depth; ///< of the braces around it
  };

  void followScopes(const Token &token) {
    if (tokens_.is(token, "{"))
      ++depth_;
    if (tokens_.is(token, "}")) {
      depth_ -= depth_ > 0 ? 1 : 0;
      std::erase_if(variables_, [&](const auto &variable) { return variable.depth > depth_; });
    }
    if (tokens_.is(token, "{") || tokens_.is(token, "}") || tokens_.is(token, ";"))
      register_.reset();
  }

  /// Removes the register from the declaration of a variable of a function, as native compilers do
  /// not know it.
  /// \param keyword  the token asm
  /// \param name     the token before it
  bool takeRegisterVariable(const Token &keyword, const Token &name) {
    const size_t start = tokens_.at();
    const Token open = tokens_.next(), text = tokens_.next(), close = tokens_.next();
    const string_view quoted = tokens_.textOf(text);
    const bool isRegister = tokens_.is(open, "(") && tokens_.is(close, ")") &&
                            quoted.starts_with("\"$") &&
                            isa::registerNamed(quoted.substr(2, quoted.size() - 3)).has_value();
    if (!isRegister) {
      tokens_.goTo(start);
      return false;
    }
    if (register_)
      leaveOut(register_->begin, register_->end);
    register_.reset();
    leaveOut(keyword.begin, close.end);
    variables_.push_back(
        {tokens_.textOf(name), string(quoted.substr(1, quoted.size() - 2)), depth_});
    return true;
  }

  /// Returns the register variable that an operand names, or null.
  const RegisterVariable *variableIn(string_view expression) const {
    while (!expression.empty() && std::isspace(static_cast<unsigned char>(expression.front())) != 0)
      expression.remove_prefix(1);
    while (!expression.empty() && std::isspace(static_cast<unsigned char>(expression.back())) != 0)
      expression.remove_suffix(1);
    const auto found =
        std::find_if(variables_.rbegin(), variables_.rend(),
                     [&](const auto &variable) { return variable.name == expression; });
    return found == variables_.rend() ? nullptr : &*found;
  }

  void takeStatement() {
    const size_t start = tokens_.at();
    if (const auto statement = readStatement(); statement && statement->sections > 1)
      rewrite(*statement);
    else if (!statement)
      tokens_.goTo(start);
  }

  /// \returns nothing if asm gives the name of a declaration
  std::optional<Statement> readStatement() {
    Token token = tokens_.next();
    while (token.kind == Token::Kind::Name)
      token = tokens_.next(); // volatile, goto, inline
    if (!tokens_.is(token, "("))
      return std::nullopt;
    token = tokens_.next();
    if (token.kind != Token::Kind::String)
      return std::nullopt;
    Statement statement;
    statement.strings = token.begin;
    Operand operand;
    for (; token.kind != Token::Kind::End; token = tokens_.next()) {
      if (tokens_.is(token, ")")) {
        endSection(statement, operand, token.begin);
        return statement;
      }
      if (tokens_.is(token, ":") && statement.sections < statement.sectionEnd.size()) {
        endSection(statement, operand, token.begin);
        ++statement.sections;
      } else if (tokens_.is(token, ",")) {
        endOperand(statement, operand);
      } else if (tokens_.is(token, "(")) {
        operand.expression = inParentheses();
      } else if (token.kind == Token::Kind::String) {
        operand.constraint = tokens_.textOf(token);
        if (statement.sections == 4)
          statement.clobbers.push_back(token);
      }
    }
    return std::nullopt;
  }

  /// Reads to the parenthesis that closes the one just opened.
  /// \returns the text between them
  string_view inParentheses() {
    const size_t begin = tokens_.at();
    unsigned depth = 1;
    Token token = tokens_.next();
    for (; token.kind != Token::Kind::End; token = tokens_.next()) {
      depth += tokens_.is(token, "(") ? 1U : 0U;
      depth -= tokens_.is(token, ")") ? 1U : 0U;
      if (depth == 0)
        break;
    }
    return string_view(source_).substr(begin, token.begin - begin);
  }

  static void endOperand(Statement &statement, Operand &operand) {
    const unsigned section = statement.sections;
    if ((section == 2 || section == 3) && !operand.constraint.empty())
      statement.operands[section - 2].push_back(operand);
    operand = {};
  }
  static void endSection(Statement &statement, Operand &operand, size_t at) {
    endOperand(statement, operand);
    statement.sectionEnd[statement.sections - 1] = at;
  }

  void rewrite(const Statement &statement) {
    const auto &[outputs, inputs] = statement.operands;
    AssemblyStatement said;
    said.inputs = static_cast<unsigned>(inputs.size());
    string kinds;
    unsigned number = 0;
    for (const auto &operands : statement.operands)
      for (const Operand &operand : operands) {
        const unsigned index = number++;
        if (const RegisterVariable *const variable = variableIn(operand.expression))
          said.registers.emplace(index, variable->registerName);
        if (operand.constraint.find_first_of("r0123456789") == string_view::npos)
          continue;
        said.kinds.push_back(index);
        kinds +=
            (kinds.empty() ? "" : ", ") + string("\"i\"(") + kindOf(operand.expression, isC_) + ")";
      }
    std::ranges::replace(kinds, '\n', ' ');
    copyUpTo(statement.strings);
    const size_t place = result_.text.size();
    copyUpTo(statement.sectionEnd[std::min(statement.sections, 3U) - 1]);
    if (!kinds.empty())
      result_.text += (statement.sections == 2 ? " : " : inputs.empty() ? " " : ", ") + kinds + " ";
    for (const Token &clobber : statement.clobbers) {
      string_view name = tokens_.textOf(clobber);
      if (!name.starts_with("\"$"))
        continue;
      name.remove_prefix(1);
      name.remove_suffix(1);
      said.clobbers.emplace_back(name);
      copyUpTo(clobber.begin);
      result_.text += "\"cc\"";
      copied_ = clobber.end;
    }
    result_.statements.emplace(place, std::move(said));
  }

  void copyUpTo(size_t end) {
    if (result_.text.empty() && !isC_)
      result_.text = kKinds;
    result_.text.append(source_, copied_, end - copied_);
    copied_ = end;
  }

  /// Replaces text by blanks, so that columns do not change.
  void leaveOut(size_t begin, size_t end) {
    copyUpTo(begin);
    std::ranges::transform(source_.begin() + static_cast<std::ptrdiff_t>(begin),
                           source_.begin() + static_cast<std::ptrdiff_t>(end),
                           std::back_inserter(result_.text),
                           [](char c) { return c == '\n' ? c : ' '; });
    copied_ = end;
  }

  const string &source_;
  Tokens tokens_;
  const bool isC_;
  size_t copied_ = 0;             ///< part of the source that is copied already
  unsigned depth_ = 0;            ///< of nested braces
  std::optional<Token> register_; ///< the keyword register of the current declaration
  std::vector<RegisterVariable> variables_;
  SourceWithAssembly result_;
};

/// Reads a line marker, `# 12 "file.cpp" 1`.
/// \returns nothing for other lines
std::optional<SourcePlace> markerIn(string_view line) {
  if (!line.starts_with("# "))
    return std::nullopt;
  SourcePlace place;
  const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), place.line);
  const string_view name = line.substr(static_cast<size_t>(end - line.data()));
  const size_t quote = name.find('"', 2);
  if (error != std::errc{} || !name.starts_with(" \"") || quote == string_view::npos)
    return std::nullopt;
  place.file = name.substr(2, quote - 2);
  return place;
}

} // namespace

SourceWithAssembly withTileAssembly(const string &expanded, bool isC) {
  return Rewriter(expanded, isC).run();
}

SourcePlace placeIn(const string &expanded, size_t offset) {
  offset = std::min(offset, expanded.size());
  unsigned lines = 0; // between the marker and the place
  for (size_t end = expanded.rfind('\n', offset == 0 ? 0 : offset - 1);
       end != string::npos && end > 0;) {
    const size_t before = expanded.rfind('\n', end - 1);
    const size_t begin = before == string::npos ? 0 : before + 1;
    if (auto place = markerIn(string_view(expanded).substr(begin, end - begin))) {
      place->line += lines;
      return *place;
    }
    ++lines;
    end = before;
  }
  return {"", lines + 1};
}

} // namespace copse::popc
