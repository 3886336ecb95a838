#include "clang_names.hpp"

namespace copse::popc {

std::string taken(CXString text) {
  const char *chars = clang_getCString(text);
  std::string result = chars ? chars : "";
  clang_disposeString(text);
  return result;
}

void forEachChild(CXCursor cursor, const std::function<void(CXCursor)> &visit) {
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        (*static_cast<const std::function<void(CXCursor)> *>(data))(child);
        return CXChildVisit_Continue;
      },
      const_cast<std::function<void(CXCursor)> *>(&visit));
}

void forEachField(CXType type, const std::function<void(CXCursor)> &visit) {
  clang_Type_visitFields(
      type,
      [](CXCursor field, CXClientData data) {
        (*static_cast<const std::function<void(CXCursor)> *>(data))(field);
        return CXVisit_Continue;
      },
      const_cast<std::function<void(CXCursor)> *>(&visit));
}

std::string poplarClass(CXType type) {
  const CXCursor declaration = clang_getTypeDeclaration(type);
  const CXCursor parent = clang_getCursorSemanticParent(declaration);
  if (clang_getCursorKind(parent) != CXCursor_Namespace ||
      taken(clang_getCursorSpelling(parent)) != "poplar" ||
      clang_getCursorKind(clang_getCursorSemanticParent(parent)) != CXCursor_TranslationUnit)
    return "";
  return taken(clang_getCursorSpelling(declaration));
}

} // namespace copse::popc
