#include "scalar_functions.hpp"

#include "clang_names.hpp"
#include "type_names.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace copse::popc {
namespace {

bool isAux(CXTypeKind kind) { return kind == CXType_Float || kind == CXType_Float16; }

/// Returns true for integers that a tile's compiler passes in one register.
bool isMain(CXTypeKind kind) {
  constexpr std::array kKinds{CXType_Bool,  CXType_Char_S, CXType_SChar, CXType_UChar,
                              CXType_Short, CXType_UShort, CXType_Int,   CXType_UInt};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

/// Returns true for extern "C" { ... }, which older libclangs do not distinguish from other
/// declarations.
bool isLinkage(CXCursorKind kind) {
  return kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl;
}

std::string qualifiedName(CXCursor function) {
  CXCursor parent = clang_getCursorSemanticParent(function);
  while (isLinkage(clang_getCursorKind(parent)))
    parent = clang_getCursorSemanticParent(parent);
  const std::string own = "::" + taken(clang_getCursorSpelling(function));
  if (clang_getCursorKind(parent) == CXCursor_TranslationUnit)
    return own;
  if (clang_getCursorKind(parent) == CXCursor_Namespace)
    return qualifiedName(parent) + own;
  return "::" + fullTypeName(canonicalType(parent)) + own;
}

/// Returns the symbol of a function. The built-in type of a half is __fp16 for a tile's compiler,
/// and _Float16 here.
std::string symbolOf(CXCursor function) {
  const std::string ours = "DF16_", tiles = "Dh";
  std::string symbol = taken(clang_Cursor_getMangling(function));
  for (auto at = symbol.find(ours); at != std::string::npos; at = symbol.find(ours, at))
    symbol.replace(at, ours.size(), tiles);
  return symbol;
}

std::optional<ScalarFunction> scalarFunctionOf(CXCursor cursor) {
  const CXType type = canonicalType(cursor);
  const CXType result = clang_getResultType(type);
  if (result.kind != CXType_Void && !isMain(result.kind) && !isAux(result.kind))
    return std::nullopt;
  ScalarFunction function;
  std::size_t main = 0, aux = 0;
  for (int i = 0; i < clang_getNumArgTypes(type); ++i) {
    const CXType parameter = clang_getArgType(type, static_cast<unsigned>(i));
    if (!isMain(parameter.kind) && !isAux(parameter.kind))
      return std::nullopt;
    ++(isMain(parameter.kind) ? main : aux);
    function.parameters.push_back(taken(clang_getTypeSpelling(parameter)));
  }
  if (main > wire::kMainArguments || aux > wire::kAuxArguments ||
      clang_isFunctionTypeVariadic(type) != 0)
    return std::nullopt;
  function.symbol = symbolOf(cursor);
  function.cppName = qualifiedName(cursor);
  function.result = taken(clang_getTypeSpelling(result));
  return function;
}

/// Returns true for functions without an address, which are declared consteval.
bool isImmediate(CXCursor cursor) {
  const CXTranslationUnit unit = clang_Cursor_getTranslationUnit(cursor);
  const CXSourceRange range = clang_getRange(clang_getRangeStart(clang_getCursorExtent(cursor)),
                                             clang_getCursorLocation(cursor));
  CXToken *tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit, range, &tokens, &count);
  bool found = false;
  for (unsigned i = 0; i < count && !found; ++i)
    found = taken(clang_getTokenSpelling(unit, tokens[i])) == "consteval";
  clang_disposeTokens(unit, tokens, count);
  return found;
}

/// Returns true if code can name the function. Specialisations of templates have no name of their
/// own.
bool mayBeCalled(CXCursor cursor) {
  const CXCursorKind kind = clang_getCursorKind(cursor);
  const bool isFree = kind == CXCursor_FunctionDecl;
  const bool isStatic = kind == CXCursor_CXXMethod && clang_CXXMethod_isStatic(cursor) != 0;
  return (isFree || isStatic) && clang_getCursorAvailability(cursor) == CXAvailability_Available &&
         clang_getCursorLinkage(cursor) == CXLinkage_External && !isImmediate(cursor) &&
         clang_Cursor_isNull(clang_getSpecializedCursorTemplate(cursor)) != 0;
}

using Wanted = bool (*)(CXCursor);

void visit(CXCursor scope, Wanted wanted, std::vector<ScalarFunction> &found) {
  forEachChild(scope, [&](CXCursor cursor) {
    if (!clang_Location_isFromMainFile(clang_getCursorLocation(cursor)))
      return;
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_Namespace || isLinkage(kind) || kind == CXCursor_ClassDecl ||
        kind == CXCursor_StructDecl)
      return visit(cursor, wanted, found);
    if (!mayBeCalled(cursor) || !wanted(cursor))
      return;
    if (auto function = scalarFunctionOf(cursor))
      found.push_back(std::move(*function));
  });
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

std::vector<ScalarFunction> findScalarFunctions(CXCursor unit) {
  std::vector<ScalarFunction> found;
  visit(
      unit, [](CXCursor cursor) { return clang_isCursorDefinition(cursor) != 0; }, found);
  return found;
}

bool mayHaveScalarFunctions(CXCursor unit) {
  std::vector<ScalarFunction> found;
  visit(
      unit, [](CXCursor) { return true; }, found);
  return !found.empty();
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
