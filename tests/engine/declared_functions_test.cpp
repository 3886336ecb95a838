// Tests that libpoplar.so defines all functions that the public headers declare: no program that
// compiles may fail to link.
#include <gmock/gmock.h>

#include <clang-c/Index.h>
#include <dlfcn.h>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string text(CXString string) {
  const char *const chars = clang_getCString(string);
  std::string copy = chars ? chars : "";
  clang_disposeString(string);
  return copy;
}

/// Collects functions that need a definition in the library.
class Declarations {
public:
  explicit Declarations(CXTranslationUnit unit) {
    clang_visitChildren(
        clang_getTranslationUnitCursor(unit),
        [](CXCursor cursor, CXCursor, CXClientData self) {
          return static_cast<Declarations *>(self)->visit(cursor);
        },
        this);
  }
  const std::vector<std::string> &symbols() const { return symbols_; }

private:
  static bool isOurs(CXCursor cursor) {
    CXFile file = nullptr;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, nullptr, nullptr, nullptr);
    return text(clang_getFileName(file)).starts_with(COPSE_INCLUDE);
  }

  CXChildVisitResult visit(CXCursor cursor) {
    switch (clang_getCursorKind(cursor)) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_ClassDecl:
    case CXCursor_StructDecl:
      return CXChildVisit_Recurse;
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
      if (isOurs(cursor))
        add(cursor);
      return CXChildVisit_Continue;
    default:
      return CXChildVisit_Continue;
    }
  }

  void add(CXCursor cursor) {
    const bool elsewhere = clang_Cursor_isNull(clang_getCursorDefinition(cursor)) &&
                           !clang_CXXMethod_isDefaulted(cursor) &&
                           !clang_CXXMethod_isDeleted(cursor) &&
                           !clang_CXXMethod_isPureVirtual(cursor);
    if (!elsewhere)
      return;
    // All variants of a constructor or destructor.
    CXStringSet *const all = clang_Cursor_getCXXManglings(cursor);
    if (!all || all->Count == 0)
      symbols_.push_back(text(clang_Cursor_getMangling(cursor)));
    for (unsigned i = 0; all && i < all->Count; ++i)
      symbols_.emplace_back(clang_getCString(all->Strings[i]));
    if (all)
      clang_disposeStringSet(all);
  }

  std::vector<std::string> symbols_;
};

/// Returns true for headers of codelets, whose functions are defined where a codelet runs.
bool isForCodelets(const std::string &name) {
  static const std::set<std::string> kNames{
      "FieldTypes.hpp",      "HalfFloat.hpp",   "InOutTypes.hpp",
      "StackSizeDefs.hpp",   "TileAddress.hpp", "TileConstants.hpp",
      "VectorListTypes.hpp", "VectorTypes.hpp", "Vertex.hpp"};
  return kNames.count(name) > 0;
}

/// Returns a source that includes all host headers.
std::string includeAll() {
  std::string source;
  for (const char *folder : {"poplar", "pva", "pvti"})
    for (const auto &entry : fs::directory_iterator(fs::path(COPSE_INCLUDE) / folder))
      if (entry.path().extension() == ".hpp" && !isForCodelets(entry.path().filename()))
        source +=
            "#include <" + std::string(folder) + "/" + entry.path().filename().string() + ">\n";
  return source;
}

std::vector<std::string> declaredSymbols() {
  const std::string source = includeAll(), name = "all_headers.cpp";
  CXUnsavedFile file{name.c_str(), source.c_str(), source.size()};
  const char *const arguments[] = {"-std=c++17", "-I" COPSE_INCLUDE};
  CXIndex index = clang_createIndex(0, 1);
  CXTranslationUnit unit = clang_parseTranslationUnit(index, name.c_str(), arguments, 2, &file, 1,
                                                      CXTranslationUnit_None);
  EXPECT_NE(unit, nullptr);
  std::vector<std::string> symbols;
  if (unit)
    symbols = Declarations(unit).symbols();
  clang_disposeTranslationUnit(unit);
  clang_disposeIndex(index);
  return symbols;
}

TEST(PublicHeaders, DeclareNothingThatTheLibraryLacks) {
  void *const library = ::dlopen(COPSE_LIBPOPLAR, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << ::dlerror();
  std::size_t found = 0;
  for (const std::string &symbol : declaredSymbols()) {
    EXPECT_NE(::dlsym(library, symbol.c_str()), nullptr) << symbol;
    ++found;
  }
  EXPECT_GT(found, 500u); // else the headers were not read as they should be
}

} // namespace
