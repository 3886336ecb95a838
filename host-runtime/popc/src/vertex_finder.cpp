#include "vertex_finder.hpp"

#include "clang_names.hpp"
#include "class_head.hpp"
#include "field_reader.hpp"
#include "names.hpp"
#include "parsed_source.hpp"
#include "probes.hpp"
#include "type_names.hpp"

#include "popc/arch.hpp"
#include "popc/popc.hpp"

#include <clang-c/Index.h>
#include <optional>
#include <set>

namespace copse::popc {
namespace {

/// Fails on fatal errors: a header that only libclang does not find would silently make the table
/// wrong.
void checkFatal(CXTranslationUnit unit, const std::string &path) {
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    const CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    const bool fatal = clang_getDiagnosticSeverity(diagnostic) == CXDiagnostic_Fatal;
    const std::string text =
        taken(clang_formatDiagnostic(diagnostic, clang_defaultDiagnosticDisplayOptions()));
    clang_disposeDiagnostic(diagnostic);
    if (fatal)
      throw CompileError(path + ": libclang cannot parse what the compiler can: " + text);
  }
}

/// Facts about a class that its chain of base classes decides.
struct Ancestry {
  bool vertex = false, multi = false, supervisor = false, computes = false;
  bool saysExternal = false; ///< has a member isExternalCodelet
  std::vector<Field> fields; ///< in order, base classes first
  std::vector<std::string> constraints;
};

class Finder {
public:
  /// \param path  path of the source
  Finder(Architecture arch, Probes &probes, const std::string &path)
      : arch_(arch), probes_(probes), path_(path) {}

  void visit(CXCursor scope) {
    forEachChild(scope, [this](CXCursor cursor) {
      const CXCursorKind kind = clang_getCursorKind(cursor);
      if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec)
        visit(cursor);
      else if (kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl)
        consider(cursor);
      else if (kind == CXCursor_ClassTemplate)
        noteBases(cursor);
    });
  }

  /// Returns warnings about classes of the source that derive from a vertex, have no compute(), and
  /// are not base classes of others.
  std::string warnings() const {
    std::string text;
    for (const Idle &idle : idle_)
      if (!bases_.contains(idle.name))
        text += idle.place + ": warning: class '" + idle.name +
                "' derives from a vertex, but has no compute(): graphs cannot use it\n";
    return text;
  }

  std::vector<FoundVertex> found;
  bool foundMacros = false; ///< a macro wrote a class, so that the source lacks its attributes

private:
  void consider(CXCursor cursor) {
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(cursor)))
      return;
    const CXType type = canonicalType(cursor);
    if (!poplarClass(type).empty() || clang_Type_getSizeOf(type) < 0 ||
        !clang_equalCursors(clang_getTypeDeclaration(type), cursor))
      return;
    Ancestry ancestry;
    trace(type, ancestry);
    if (ancestry.vertex && (ancestry.computes || ancestry.saysExternal))
      add(type, std::move(ancestry));
    else if (ancestry.vertex)
      noteIdle(cursor);
  }

  /// A class that derives from a vertex and has no compute().
  struct Idle {
    std::string name, place;
  };
  void noteIdle(CXCursor cursor) {
    CXString file{};
    unsigned line = 0;
    clang_getPresumedLocation(clang_getCursorLocation(cursor), &file, &line, nullptr);
    if (const std::string name = taken(file);
        name == path_) // a header may be meant for other sources
      idle_.push_back({fullTypeName(canonicalType(cursor)), name + ":" + std::to_string(line)});
  }
  void noteBases(CXCursor derived) {
    forEachChild(derived, [&](CXCursor child) {
      if (clang_getCursorKind(child) == CXCursor_CXXBaseSpecifier)
        bases_.insert(fullTypeName(canonicalType(child)));
    });
  }

  void trace(CXType type, Ancestry &ancestry) {
    const std::string known = poplarClass(type);
    if (!known.empty()) {
      ancestry.multi |= known == "MultiVertex";
      ancestry.supervisor |= known == "SupervisorVertex";
      ancestry.vertex |= known == "Vertex" || ancestry.multi || ancestry.supervisor;
      return;
    }
    const CXCursor declaration = clang_getTypeDeclaration(type);
    const CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
    const bool explicitlyWritten = clang_Cursor_isNull(pattern) || hasChildren(declaration);
    std::size_t bases = 0;
    const CXCursor written = explicitlyWritten ? declaration : pattern;
    noteBases(written);
    forEachChild(written, [&](CXCursor child) {
      const CXCursorKind kind = clang_getCursorKind(child);
      const std::string name = taken(clang_getCursorSpelling(child));
      if (kind == CXCursor_CXXBaseSpecifier)
        traceBase(canonicalType(child), type, written, bases++, ancestry);
      else if (kind == CXCursor_CXXMethod && name == "compute")
        ancestry.computes = true;
      else if (kind == CXCursor_VarDecl && name == "isExternalCodelet")
        ancestry.saysExternal = true;
    });
    forEachField(type, [&](CXCursor field) { addField(type, field, ancestry); });
    const ClassHead head = readClassHead(written);
    foundMacros |= head.isFromMacro;
    ancestry.constraints.insert(ancestry.constraints.end(), head.constraints.begin(),
                                head.constraints.end());
  }

  void traceBase(CXType base, CXType owner, CXCursor pattern, std::size_t index,
                 Ancestry &ancestry) {
    const bool dependent = clang_Type_getSizeOf(base) == CXTypeLayoutError_Dependent;
    const auto known = dependent ? probes_.baseOf(owner, pattern, index) : std::optional(base);
    if (known)
      trace(*known, ancestry);
  }

  /// Returns true if the source explicitly instantiates compute(), so that it is a function of its
  /// own. A compute() with attributes may have to be in another place.
  static bool isComputeInstantiated(CXType type) {
    const CXCursor declaration = clang_getTypeDeclaration(type);
    const CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
    if (clang_Cursor_isNull(pattern) || hasChildren(declaration))
      return false;
    bool isPlain = false;
    forEachChild(pattern, [&](CXCursor child) {
      if (clang_getCursorKind(child) == CXCursor_CXXMethod &&
          taken(clang_getCursorSpelling(child)) == "compute")
        isPlain = !hasAttributes(child);
    });
    return isPlain;
  }

  static bool hasAttributes(CXCursor cursor) {
    bool any = false;
    forEachChild(
        cursor, [&](CXCursor child) { any |= clang_isAttribute(clang_getCursorKind(child)) != 0; });
    return any;
  }

  static bool hasChildren(CXCursor cursor) {
    bool any = false;
    forEachChild(cursor, [&](CXCursor child) {
      any |= clang_getCursorKind(child) == CXCursor_CXXBaseSpecifier ||
             clang_getCursorKind(child) == CXCursor_CXXMethod;
    });
    return any;
  }

  void addField(CXType owner, CXCursor declaration, Ancestry &ancestry) {
    Field field = readField(declaration, arch_);
    const long long bits = clang_Type_getOffsetOf(owner, field.name.c_str());
    if (field.name.empty() || bits < 0 || clang_Cursor_isBitField(declaration))
      return; // codelets have no name for such a field
    field.offset = static_cast<std::uint32_t>(bits / 8);
    ancestry.fields.push_back(std::move(field));
  }

  void add(CXType type, Ancestry ancestry) {
    FoundVertex vertex;
    vertex.cppName = fullTypeName(type);
    if (vertex.cppName.find('(') != std::string::npos)
      return; // in an anonymous namespace, so that other code cannot name it
    vertex.type.name = canonicalName(vertex.cppName);
    vertex.type.symbol = entrySymbol(vertex.type.name);
    vertex.type.multiVertex = ancestry.multi;
    vertex.type.supervisor = ancestry.supervisor;
    vertex.type.stateBytes = static_cast<std::uint32_t>(clang_Type_getSizeOf(type));
    vertex.type.stateAlign = static_cast<std::uint32_t>(clang_Type_getAlignOf(type));
    vertex.type.fields = std::move(ancestry.fields);
    vertex.type.constraints = std::move(ancestry.constraints);
    vertex.type.external = ancestry.saysExternal && probes_.isExternal(type).value_or(false);
    vertex.isComputeInstantiated = isComputeInstantiated(type);
    found.push_back(std::move(vertex));
  }

  Architecture arch_;
  Probes &probes_;
  const std::string &path_;
  std::vector<Idle> idle_;
  std::set<std::string> bases_; ///< base classes of all classes
};

std::vector<ScalarFunction> scalarFunctionsIn(const std::string &source, const std::string &path,
                                              const std::vector<std::string> &arguments) {
  const ParsedSource parsed(source, path, arguments, ParsedSource::Depth::Bodies);
  return findScalarFunctions(clang_getTranslationUnitCursor(parsed.unit()));
}

} // namespace

FoundCode findCode(const std::string &source, const std::function<std::string()> &expanded,
                   const std::string &path, const std::vector<std::string> &arguments,
                   Architecture arch) {
  // Each round may find bases whose own bases are the next questions.
  constexpr int kMostRounds = 10;
  Probes probes;
  std::string text = source;
  bool isExpanded = false;
  bool hasScalarFunctions = false;
  for (int round = 0;; ++round) {
    const ParsedSource parsed(text + "\n" + probes.text(), path, arguments,
                              ParsedSource::Depth::Declarations);
    checkFatal(parsed.unit(), path);
    const CXCursor unit = clang_getTranslationUnitCursor(parsed.unit());
    if (!isExpanded)
      hasScalarFunctions = traitsOf(arch).ipuArchVersion != 0 && mayHaveScalarFunctions(unit);
    probes.read(unit);
    Finder finder(arch, probes, path);
    finder.visit(unit);
    if (!isExpanded && finder.foundMacros) {
      isExpanded = true;
      text =
          expanded(); // from here on the text contains headers, which have functions of their own
      probes = Probes(); // earlier questions use macros that are no longer defined
      continue;
    }
    if (!probes.open() || round == kMostRounds)
      return {finder.found,
              hasScalarFunctions ? scalarFunctionsIn(source, path, arguments)
                                 : std::vector<ScalarFunction>{},
              finder.warnings()};
  }
}

} // namespace copse::popc
