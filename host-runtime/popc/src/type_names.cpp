#include "type_names.hpp"

#include "clang_names.hpp"

#include <map>
#include <vector>

namespace copse::popc {
namespace {

std::string qualified(CXCursor declaration) {
  const std::string own = taken(clang_getCursorSpelling(declaration));
  CXCursor parent = clang_getCursorSemanticParent(declaration);
  // Enumerators of an unscoped enumeration belong to the surrounding scope.
  if (clang_getCursorKind(parent) == CXCursor_EnumDecl && !clang_EnumDecl_isScoped(parent))
    parent = clang_getCursorSemanticParent(parent);
  switch (clang_getCursorKind(parent)) {
  case CXCursor_Namespace:
  case CXCursor_EnumDecl:
    return qualified(parent) + "::" + own;
  case CXCursor_ClassDecl:
  case CXCursor_StructDecl:
    return fullTypeName(canonicalType(parent)) + "::" + own;
  default:
    return own;
  }
}

std::string enumeratorOf(CXType enumeration, long long value) {
  std::string name;
  forEachChild(clang_getTypeDeclaration(enumeration), [&](CXCursor child) {
    if (name.empty() && clang_getCursorKind(child) == CXCursor_EnumConstantDecl &&
        clang_getEnumConstantDeclValue(child) == value)
      name = qualified(child);
  });
  return name.empty() ? "(" + fullTypeName(enumeration) + ")" + std::to_string(value) : name;
}

/// Returns the value of a template argument, spelled for the parameter's type.
std::string valueName(CXType parameter, CXCursor owner, unsigned index) {
  const long long value = clang_Cursor_getTemplateArgumentValue(owner, index);
  if (parameter.kind == CXType_Bool)
    return value ? "true" : "false";
  if (parameter.kind == CXType_Enum)
    return enumeratorOf(parameter, value);
  if (parameter.kind == CXType_ULongLong || parameter.kind == CXType_ULong ||
      parameter.kind == CXType_UInt)
    return std::to_string(clang_Cursor_getTemplateArgumentUnsignedValue(owner, index));
  return std::to_string(value);
}

/// Returns the types of a template's value parameters, in order, with invalid types for other
/// parameters.
std::vector<CXType> parameterTypes(CXCursor declaration) {
  CXCursor primary = clang_getSpecializedCursorTemplate(declaration);
  if (clang_getCursorKind(primary) == CXCursor_ClassTemplatePartialSpecialization)
    primary = clang_getSpecializedCursorTemplate(primary);
  std::vector<CXType> types;
  forEachChild(primary, [&](CXCursor child) {
    const CXCursorKind kind = clang_getCursorKind(child);
    if (kind == CXCursor_NonTypeTemplateParameter)
      types.push_back(canonicalType(child));
    else if (kind == CXCursor_TemplateTypeParameter || kind == CXCursor_TemplateTemplateParameter)
      types.push_back(CXType{CXType_Invalid, {nullptr, nullptr}});
  });
  return types;
}

/// Returns "<...>", or "" if libclang does not tell about arguments of these kinds.
std::string argumentList(CXCursor declaration, int count) {
  const std::vector<CXType> parameters = parameterTypes(declaration);
  std::string list;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    list += i == 0 ? "<" : ", ";
    switch (clang_Cursor_getTemplateArgumentKind(declaration, i)) {
    case CXTemplateArgumentKind_Type:
      list += fullTypeName(
          clang_getCanonicalType(clang_Cursor_getTemplateArgumentType(declaration, i)));
      break;
    case CXTemplateArgumentKind_Integral:
      if (i >= parameters.size())
        return "";
      list += valueName(parameters[i], declaration, i);
      break;
    default:
      return "";
    }
  }
  return list + ">";
}

/// Returns the name of a short vector in ipudef.h, which code can use, unlike clang's spelling with
/// an attribute.
std::string vectorName(CXType type) {
  const CXType element = clang_getCanonicalType(clang_getElementType(type));
  static const std::map<CXTypeKind, std::string> kNames{
      {CXType_Char_S, "char"},       {CXType_UChar, "uchar"}, {CXType_Short, "short"},
      {CXType_UShort, "ushort"},     {CXType_Int, "int"},     {CXType_UInt, "uint"},
      {CXType_LongLong, "longlong"}, {CXType_Float, "float"}, {CXType_Float16, "half"}};
  const auto name = kNames.find(element.kind);
  return name == kNames.end() ? taken(clang_getTypeSpelling(type))
                              : name->second + std::to_string(clang_getNumElements(type));
}

} // namespace

std::string fullTypeName(CXType type) {
  if (type.kind == CXType_Vector)
    return vectorName(clang_getUnqualifiedType(type));
  const CXCursor declaration = clang_getTypeDeclaration(type);
  const int count = clang_Cursor_getNumTemplateArguments(declaration);
  if (type.kind != CXType_Record || count <= 0)
    return taken(clang_getTypeSpelling(type));
  const std::string list = argumentList(declaration, count);
  const std::string constness = clang_isConstQualifiedType(type) ? "const " : "";
  return list.empty() ? taken(clang_getTypeSpelling(type))
                      : constness + qualified(declaration) + list;
}

} // namespace copse::popc
