#include "class_head.hpp"

#include "clang_names.hpp"

namespace copse::popc {
namespace {

using Spellings = std::vector<std::string>;

std::pair<CXFile, unsigned> placeOf(CXSourceLocation location) {
  CXFile file = nullptr;
  unsigned offset = 0;
  clang_getExpansionLocation(location, &file, nullptr, nullptr, &offset);
  return {file, offset};
}

/// Returns the tokens before the body. `>>` becomes two tokens, so that brackets can be counted.
/// \param isFromMacro  set to true if the tokens belong to a macro's definition and have the names
///   of its parameters
Spellings headTokens(CXCursor declaration, bool &isFromMacro) {
  const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(declaration);
  CXToken *tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, clang_getCursorExtent(declaration), &tokens, &count);
  isFromMacro = count > 0 && placeOf(clang_getTokenLocation(unit, tokens[0])) !=
                                 placeOf(clang_getRangeStart(clang_getCursorExtent(declaration)));
  Spellings head;
  for (unsigned i = 0; i < count; ++i) {
    std::string text = taken(clang_getTokenSpelling(unit, tokens[i]));
    if (text == "{" || text == ";")
      break;
    if (clang_getTokenKind(tokens[i]) == CXToken_Comment)
      continue;
    if (text == ">>")
      head.insert(head.end(), {">", ">"});
    else
      head.push_back(std::move(text));
  }
  clang_disposeTokens(unit, tokens, count);
  return head;
}

class HeadReader {
public:
  HeadReader(Spellings tokens, std::string className)
      : tokens_(std::move(tokens)), className_(std::move(className)) {}

  ClassHead read() {
    ClassHead head;
    if (peek() == "template") {
      ++at_;
      head.templateHead = "template " + bracketed();
    }
    while (at_ < tokens_.size() && peek() != className_ && peek() != ":")
      readAttribute(head);
    if (peek() == className_)
      ++at_;
    if (peek() == "<")
      head.arguments = bracketed();
    while (at_ < tokens_.size() && peek() != ":")
      ++at_; // `final`
    ++at_;
    readBases(head);
    return head;
  }

private:
  std::string peek(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : "";
  }

  /// Takes the text from `<` to the matching `>`.
  std::string bracketed() {
    std::string text;
    int depth = 0, parentheses = 0;
    while (at_ < tokens_.size()) {
      const std::string &token = tokens_[at_++];
      text += token + " ";
      parentheses += token == "(" ? 1 : token == ")" ? -1 : 0;
      if (parentheses == 0)
        depth += token == "<" ? 1 : token == ">" ? -1 : 0;
      if (depth == 0)
        break;
    }
    return text;
  }

  /// Reads one token, or poplar::constraint with its strings.
  void readAttribute(ClassHead &head) {
    const bool constraint = peek() == "constraint" && peek(1) == "(";
    ++at_;
    while (constraint && at_ < tokens_.size() && peek() != ")") {
      const std::string &token = tokens_[at_++];
      if (token.size() >= 2 && token.front() == '"')
        head.constraints.push_back(token.substr(1, token.size() - 2));
    }
  }

  void readBases(ClassHead &head) {
    std::string base;
    int depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string &token = tokens_[at_];
      const bool opens = token == "<" || token == "(", closes = token == ">" || token == ")";
      depth += opens ? 1 : closes ? -1 : 0;
      if (depth == 0 && token == ",") {
        head.bases.push_back(std::move(base));
        base.clear();
      } else if (!isAccess(token)) {
        base += token + " ";
      }
    }
    if (!base.empty())
      head.bases.push_back(std::move(base));
  }

  static bool isAccess(const std::string &token) {
    return token == "public" || token == "protected" || token == "private" || token == "virtual";
  }

  const Spellings tokens_;
  const std::string className_;
  std::size_t at_ = 0;
};

} // namespace

ClassHead readClassHead(CXCursor declaration) {
  bool isFromMacro = false;
  Spellings tokens = headTokens(declaration, isFromMacro);
  ClassHead head =
      HeadReader(std::move(tokens), taken(clang_getCursorSpelling(declaration))).read();
  head.isFromMacro = isFromMacro;
  return head;
}

} // namespace copse::popc
