#include "constraint_attribute.hpp"

#include <clang/AST/Attr.h>
#include <clang/Lex/Lexer.h>
#include <clang/Sema/ParsedAttr.h>
#include <clang/Sema/Sema.h>
#include <optional>

namespace copse::popc {
namespace {

constexpr llvm::StringRef kAnnotation = "poplar::constraint ";

/// Returns the texts of the strings in the parentheses behind an attribute's name. Clang 16 skips
/// arguments of attributes that it does not have itself.
std::vector<std::string> stringsBehind(clang::SourceLocation name, const clang::Sema &sema) {
  const clang::SourceManager &sources = sema.getSourceManager();
  const clang::LangOptions &options = sema.getLangOpts();
  std::vector<std::string> texts;
  std::optional<clang::Token> token = clang::Lexer::findNextToken(name, sources, options);
  if (!token || token->isNot(clang::tok::l_paren))
    return texts;
  while ((token = clang::Lexer::findNextToken(token->getLocation(), sources, options)) &&
         token->isNot(clang::tok::r_paren) && token->isNot(clang::tok::eof))
    if (token->is(clang::tok::string_literal)) {
      const std::string quoted = clang::Lexer::getSpelling(*token, sources, options);
      texts.push_back(quoted.substr(1, quoted.size() - 2));
    }
  return texts;
}

/// Turns each string of the attribute into an annotation of its class.
struct ConstraintAttribute : clang::ParsedAttrInfo {
  ConstraintAttribute() {
    static constexpr Spelling kSpellings[] = {
        {clang::AttributeCommonInfo::AS_CXX11, "poplar::constraint"}};
    Spellings = kSpellings;
  }

  AttrHandling handleDeclAttribute(clang::Sema &sema, clang::Decl *declaration,
                                   const clang::ParsedAttr &attribute) const override {
    for (const std::string &text : stringsBehind(attribute.getRange().getEnd(), sema))
      declaration->addAttr(clang::AnnotateAttr::Create(sema.Context, (kAnnotation + text).str(),
                                                       nullptr, 0, attribute.getRange()));
    return AttributeApplied;
  }
};

const clang::ParsedAttrInfoRegistry::Add<ConstraintAttribute> kRegistered("poplar-constraint", "");

} // namespace

std::vector<std::string> constraintsOf(const clang::CXXRecordDecl &record) {
  std::vector<std::string> texts;
  for (const auto *const annotation : record.specific_attrs<clang::AnnotateAttr>())
    if (llvm::StringRef text = annotation->getAnnotation(); text.consume_front(kAnnotation))
      texts.push_back(text.str());
  return texts;
}

} // namespace copse::popc
