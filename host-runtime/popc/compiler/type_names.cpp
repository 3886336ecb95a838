#include "type_names.hpp"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/PrettyPrinter.h>
#include <llvm/ADT/StringExtras.h>

namespace copse::popc {
namespace {

using clang::QualType;
using std::string;

string qualified(const clang::NamedDecl &declaration, const clang::ASTContext &ast) {
  string own = declaration.getNameAsString();
  const clang::DeclContext *parent = declaration.getDeclContext()->getRedeclContext();
  // Enumerators of an unscoped enumeration belong to the surrounding scope.
  if (const auto *enumeration = llvm::dyn_cast<clang::EnumDecl>(parent);
      enumeration != nullptr && !enumeration->isScoped())
    parent = parent->getParent()->getRedeclContext();
  if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(parent))
    return (space->isAnonymousNamespace() ? "(anonymous namespace)" : qualified(*space, ast)) +
           "::" + own;
  if (const auto *enumeration = llvm::dyn_cast<clang::EnumDecl>(parent))
    return qualified(*enumeration, ast) + "::" + own;
  if (const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(parent))
    return fullTypeName(ast.getRecordType(record), ast) + "::" + own;
  return own;
}

string enumeratorOf(const clang::EnumType &type, const llvm::APSInt &value,
                    const clang::ASTContext &ast) {
  for (const clang::EnumConstantDecl *const enumerator : type.getDecl()->enumerators())
    if (llvm::APSInt::isSameValue(enumerator->getInitVal(), value))
      return qualified(*enumerator, ast);
  return "(" + fullTypeName(QualType(&type, 0), ast) + ")" + llvm::toString(value, 10);
}

/// Returns the value of a template argument, spelled for the parameter's type.
string valueName(const clang::TemplateArgument &argument, const clang::ASTContext &ast) {
  const QualType type = argument.getIntegralType().getCanonicalType();
  const llvm::APSInt value = argument.getAsIntegral();
  if (type->isBooleanType())
    return value.getBoolValue() ? "true" : "false";
  if (const auto *enumeration = type->getAs<clang::EnumType>())
    return enumeratorOf(*enumeration, value, ast);
  return llvm::toString(value, 10);
}

/// Returns "<...>", or "" if it has other arguments than types and integers.
string argumentList(const clang::TemplateArgumentList &arguments, const clang::ASTContext &ast) {
  string list;
  for (const clang::TemplateArgument &argument : arguments.asArray()) {
    list += list.empty() ? "<" : ", ";
    if (argument.getKind() == clang::TemplateArgument::Type)
      list += fullTypeName(argument.getAsType().getCanonicalType(), ast);
    else if (argument.getKind() == clang::TemplateArgument::Integral)
      list += valueName(argument, ast);
    else
      return "";
  }
  return list.empty() ? "" : list + ">";
}

/// Returns the name of a short vector in ipudef.h, which code can use, unlike clang's spelling with
/// an attribute.
string vectorName(const clang::VectorType &type, const clang::ASTContext &ast) {
  const auto *const element = type.getElementType().getCanonicalType()->getAs<clang::BuiltinType>();
  const auto name = [&]() -> const char * {
    switch (element == nullptr ? clang::BuiltinType::Void : element->getKind()) {
    case clang::BuiltinType::Char_S:
      return "char";
    case clang::BuiltinType::UChar:
      return "uchar";
    case clang::BuiltinType::Short:
      return "short";
    case clang::BuiltinType::UShort:
      return "ushort";
    case clang::BuiltinType::Int:
      return "int";
    case clang::BuiltinType::UInt:
      return "uint";
    case clang::BuiltinType::LongLong:
      return "longlong";
    case clang::BuiltinType::Float:
      return "float";
    case clang::BuiltinType::Float16:
      return "half";
    default:
      return nullptr;
    }
  }();
  return name == nullptr ? spellingOf(QualType(&type, 0), ast)
                         : name + std::to_string(type.getNumElements());
}

} // namespace

string poplarClass(QualType type) {
  const clang::CXXRecordDecl *const record = type->getAsCXXRecordDecl();
  if (record == nullptr)
    return "";
  const auto *const parent = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
  return parent != nullptr && parent->getName() == "poplar" &&
                 parent->getDeclContext()->isTranslationUnit()
             ? record->getNameAsString()
             : "";
}

string spellingOf(QualType type, const clang::ASTContext &ast) {
  return type.getAsString(clang::PrintingPolicy(ast.getLangOpts()));
}

string fullTypeName(QualType type, const clang::ASTContext &ast) {
  if (const auto *vector = llvm::dyn_cast<clang::VectorType>(type.getTypePtr()))
    return vectorName(*vector, ast);
  const auto *const instance =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  if (!type->isRecordType() || instance == nullptr)
    return spellingOf(type, ast);
  const string list = argumentList(instance->getTemplateArgs(), ast);
  return list.empty()
             ? spellingOf(type, ast)
             : (type.isConstQualified() ? "const " : "") + qualified(*instance, ast) + list;
}

} // namespace copse::popc
