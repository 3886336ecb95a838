#include "scalar_functions.hpp"

#include "type_names.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <array>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <optional>

namespace copse::popc {
namespace {

using clang::QualType;

bool isAux(QualType type) {
  const auto *const builtin = type->getAs<clang::BuiltinType>();
  return builtin != nullptr && (builtin->getKind() == clang::BuiltinType::Float ||
                                builtin->getKind() == clang::BuiltinType::Float16);
}

/// Returns true for integers that a tile's compiler passes in one register.
bool isMain(QualType type) {
  using Type = clang::BuiltinType;
  constexpr std::array kKinds{Type::Bool,  Type::Char_S, Type::SChar, Type::UChar,
                              Type::Short, Type::UShort, Type::Int,   Type::UInt};
  const auto *const builtin = type->getAs<Type>();
  return builtin != nullptr && std::ranges::find(kKinds, builtin->getKind()) != kKinds.end();
}

std::string qualifiedName(const clang::NamedDecl &function, const clang::ASTContext &ast) {
  const clang::DeclContext *const parent = function.getDeclContext()->getRedeclContext();
  std::string own = "::" + function.getNameAsString();
  if (const auto *space = llvm::dyn_cast<clang::NamespaceDecl>(parent))
    return qualifiedName(*space, ast) + own;
  if (const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(parent))
    return "::" + fullTypeName(ast.getRecordType(record).getCanonicalType(), ast) + own;
  return own;
}

/// Returns the symbol of a function. The built-in type of a half is __fp16 for a tile's compiler,
/// and _Float16 here.
std::string symbolOf(const clang::FunctionDecl &function, clang::ASTContext &ast) {
  const std::string ours = "DF16_", tiles = "Dh";
  std::string symbol = clang::ASTNameGenerator(ast).getName(&function);
  for (auto at = symbol.find(ours); at != std::string::npos; at = symbol.find(ours, at))
    symbol.replace(at, ours.size(), tiles);
  return symbol;
}

std::optional<ScalarFunction> scalarFunctionOf(const clang::FunctionDecl &declaration,
                                               clang::ASTContext &ast) {
  const QualType result = declaration.getReturnType().getCanonicalType();
  if ((!result->isVoidType() && !isMain(result) && !isAux(result)) || declaration.isVariadic())
    return std::nullopt;
  ScalarFunction function;
  std::size_t main = 0, aux = 0;
  for (const clang::ParmVarDecl *const parameter : declaration.parameters()) {
    const QualType type = parameter->getType().getCanonicalType().getUnqualifiedType();
    if (!isMain(type) && !isAux(type))
      return std::nullopt;
    ++(isMain(type) ? main : aux);
    function.parameters.push_back(spellingOf(type, ast));
  }
  if (main > wire::kMainArguments || aux > wire::kAuxArguments)
    return std::nullopt;
  function.symbol = symbolOf(declaration, ast);
  function.cppName = qualifiedName(declaration, ast);
  function.result = spellingOf(result, ast);
  return function;
}

/// Returns true if code can name the function, and if it has an address. Specialisations of
/// templates have no name of their own.
bool mayBeCalled(const clang::FunctionDecl &function) {
  const auto *const method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
  return (method == nullptr || method->isStatic()) && !function.isDeleted() &&
         function.getAvailability() == clang::AR_Available && function.hasExternalFormalLinkage() &&
         function.isExternallyVisible() && !function.isConsteval() &&
         function.getTemplateSpecializationKind() == clang::TSK_Undeclared;
}

/// Returns true for a class whose members the source writes out. A partial specialisation is still
/// a template.
bool isWritten(const clang::CXXRecordDecl &record) {
  const auto kind = record.getTemplateSpecializationKind();
  return !record.isDependentContext() &&
         (kind == clang::TSK_Undeclared || kind == clang::TSK_ExplicitSpecialization);
}

void visit(const clang::DeclContext &scope, clang::ASTContext &ast,
           std::vector<ScalarFunction> &found) {
  for (clang::Decl *const declaration : scope.decls()) {
    if (!ast.getSourceManager().isInMainFile(declaration->getLocation()))
      continue;
    const auto *const record = llvm::dyn_cast<clang::CXXRecordDecl>(declaration);
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration) ||
        (record != nullptr && !record->isUnion() && isWritten(*record)))
      visit(*llvm::cast<clang::DeclContext>(declaration), ast, found);
    const auto *const function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (function == nullptr || !function->isThisDeclarationADefinition() || !mayBeCalled(*function))
      continue;
    if (auto scalar = scalarFunctionOf(*function, ast))
      found.push_back(std::move(*scalar));
  }
}

/// Arguments are evaluated from left to right, as in a braced list.
constexpr const char *kCalls = R"(
# 1 "<functions that tile code may call>" 3
namespace copse_entry {
struct Registers {
  unsigned m[4], a[6];
};
inline void take(Registers &r, unsigned &, unsigned &a, float &value) {
  __builtin_memcpy(&value, &r.a[a++], sizeof value);
}
template <class T> inline void take(Registers &r, unsigned &m, unsigned &, T &value) {
  value = static_cast<T>(r.m[m++]);
}
inline void give(Registers &r, float value) { __builtin_memcpy(&r.a[0], &value, sizeof value); }
template <class T> inline void give(Registers &r, T value) { r.m[0] = static_cast<unsigned>(value); }
)";
constexpr const char *kCallsWithHalves = R"(
inline void take(Registers &r, unsigned &, unsigned &a, _Float16 &value) {
  __builtin_memcpy(&value, &r.a[a++], sizeof value);
}
inline void give(Registers &r, _Float16 value) {
  r.a[0] = 0;
  __builtin_memcpy(&r.a[0], &value, sizeof value);
}
)";
constexpr const char *kCaller = R"(
struct Arguments {
  Registers &registers;
  unsigned m, a;
  template <class T> T next() {
    T value;
    take(registers, m, a, value);
    return value;
  }
};
template <class R> struct Called {
  R result;
  template <class... A> Called(R (*f)(A...), A... a) : result(f(a...)) {}
};
template <> struct Called<void> {
  template <class... A> Called(void (*f)(A...), A... a) { f(a...); }
};
inline void giveResult(Registers &, const Called<void> &) {}
template <class R> inline void giveResult(Registers &r, const Called<R> &called) {
  give(r, called.result);
}
template <class R, class... A> inline bool call(void *registers, R (*f)(A...)) {
  Arguments arguments{*static_cast<Registers *>(registers), 0, 0};
  const Called<R> called{f, arguments.template next<A>()...};
  giveResult(arguments.registers, called);
  return true;
}
}
)";

std::string entryOf(const ScalarFunction &function) {
  std::string parameters;
  for (const std::string &parameter : function.parameters)
    parameters += (parameters.empty() ? "" : ", ") + parameter;
  return "extern \"C\" __attribute__((visibility(\"default\"), used, weak)) bool " +
         std::string(wire::kFunctionPrefix) + function.symbol +
         "(void *registers, unsigned) {\n  return ::copse_entry::call(registers, static_cast<" +
         function.result + " (*)(" + parameters + ")>(&" + function.cppName + "));\n}\n";
}

bool hasHalf(const ScalarFunction &function) {
  const auto isHalf = [](const std::string &type) { return type == "_Float16"; };
  return isHalf(function.result) || std::ranges::any_of(function.parameters, isHalf);
}

} // namespace

std::vector<ScalarFunction> findScalarFunctions(clang::ASTContext &ast) {
  std::vector<ScalarFunction> found;
  visit(*ast.getTranslationUnitDecl(), ast, found);
  return found;
}

std::string functionEntries(const std::vector<ScalarFunction> &functions) {
  if (functions.empty())
    return "";
  std::string text = kCalls;
  if (std::ranges::any_of(functions, hasHalf))
    text += kCallsWithHalves;
  text += kCaller;
  for (const ScalarFunction &function : functions)
    text += entryOf(function);
  return text;
}

} // namespace copse::popc
