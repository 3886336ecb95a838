#include "vertex_finder.hpp"

#include "constraint_attribute.hpp"
#include "field_reader.hpp"
#include "names.hpp"
#include "type_names.hpp"

#include "popc/arch.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecordLayout.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Sema/Sema.h>
#include <set>

namespace copse::popc {
namespace {

using clang::CXXRecordDecl;

/// Facts about a class that its chain of base classes decides.
struct Ancestry {
  bool vertex = false, multi = false, supervisor = false, computes = false;
  const clang::VarDecl *isExternal = nullptr; ///< the member isExternalCodelet
  std::vector<Field> fields;                  ///< in order, base classes first
  std::vector<std::string> constraints;
};

class Finder {
public:
  Finder(clang::Sema &sema, const std::string &path, Architecture arch)
      : sema_(sema), ast_(sema.getASTContext()), path_(path), arch_(arch) {}

  void visit(const clang::DeclContext &scope) {
    for (clang::Decl *const declaration : scope.decls()) {
      if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration))
        visit(*llvm::cast<clang::DeclContext>(declaration));
      else if (auto *record = llvm::dyn_cast<CXXRecordDecl>(declaration))
        consider(*record);
      else if (auto *pattern = llvm::dyn_cast<clang::ClassTemplateDecl>(declaration))
        noteBases(*pattern->getTemplatedDecl());
    }
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

private:
  std::string nameOf(const CXXRecordDecl &record) const {
    return fullTypeName(ast_.getRecordType(&record).getCanonicalType(), ast_);
  }

  void consider(CXXRecordDecl &record) {
    if (record.isUnion() || record.isInvalidDecl() || record.isDependentContext() ||
        !record.isThisDeclarationADefinition() || !record.isCompleteDefinition() ||
        ast_.getSourceManager().isInSystemHeader(record.getLocation()) ||
        !poplarClass(ast_.getRecordType(&record)).empty())
      return;
    Ancestry ancestry;
    trace(record, clang::CharUnits::Zero(), ancestry);
    if (ancestry.vertex && (ancestry.computes || ancestry.isExternal != nullptr))
      add(record, std::move(ancestry));
    else if (ancestry.vertex)
      noteIdle(record);
  }

  /// A class that derives from a vertex and has no compute().
  struct Idle {
    std::string name, place;
  };
  void noteIdle(const CXXRecordDecl &record) {
    const auto place = ast_.getSourceManager().getPresumedLoc(record.getLocation());
    if (place.isValid() && place.getFilename() == path_) // a header may be meant for other sources
      idle_.push_back({nameOf(record), path_ + ":" + std::to_string(place.getLine())});
  }
  void noteBases(const CXXRecordDecl &derived) {
    const CXXRecordDecl *const definition = derived.getDefinition();
    if (definition == nullptr)
      return;
    for (const clang::CXXBaseSpecifier &base : definition->bases())
      bases_.insert(fullTypeName(base.getType().getCanonicalType(), ast_));
  }

  /// \param place  of this base class in the vertex
  void trace(const CXXRecordDecl &record, clang::CharUnits place, Ancestry &ancestry) {
    if (const std::string known = poplarClass(ast_.getRecordType(&record)); !known.empty()) {
      ancestry.multi |= known == "MultiVertex";
      ancestry.supervisor |= known == "SupervisorVertex";
      ancestry.vertex |= known == "Vertex" || ancestry.multi || ancestry.supervisor;
      return;
    }
    noteBases(record);
    const clang::ASTRecordLayout &layout = ast_.getASTRecordLayout(&record);
    for (const clang::CXXBaseSpecifier &specifier : record.bases())
      if (const CXXRecordDecl *const base = specifier.getType()->getAsCXXRecordDecl())
        trace(*base, specifier.isVirtual() ? place : place + layout.getBaseClassOffset(base),
              ancestry);
    for (const clang::Decl *const member : record.decls()) {
      const auto *const named = llvm::dyn_cast<clang::NamedDecl>(member);
      if (named == nullptr || !named->getDeclName().isIdentifier())
        continue;
      ancestry.computes |= llvm::isa<clang::CXXMethodDecl>(member) && named->getName() == "compute";
      if (named->getName() == "isExternalCodelet")
        if (const auto *const variable = llvm::dyn_cast<clang::VarDecl>(member))
          ancestry.isExternal = variable;
    }
    for (const clang::FieldDecl *const field : record.fields())
      addField(*field,
               place + ast_.toCharUnitsFromBits(static_cast<std::int64_t>(
                           layout.getFieldOffset(field->getFieldIndex()))),
               ancestry);
    for (const std::string &constraint : constraintsOf(record))
      ancestry.constraints.push_back(constraint);
  }

  void addField(const clang::FieldDecl &declaration, clang::CharUnits place, Ancestry &ancestry) {
    if (declaration.getName().empty() || declaration.isBitField())
      return; // codelets have no name for such a field
    Field field = readField(declaration, arch_);
    field.offset = static_cast<std::uint32_t>(place.getQuantity());
    ancestry.fields.push_back(std::move(field));
  }

  /// Returns true if the source explicitly instantiates compute(), so that it is a function of its
  /// own. A compute() with attributes may have to be in another place.
  static bool isComputeInstantiated(const CXXRecordDecl &record) {
    const auto *const instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&record);
    if (instance == nullptr ||
        instance->getSpecializationKind() == clang::TSK_ExplicitSpecialization)
      return false;
    bool isPlain = false;
    for (const clang::CXXMethodDecl *const method : instance->methods())
      if (method->getDeclName().isIdentifier() && method->getName() == "compute") {
        const auto *const pattern = method->getTemplateInstantiationPattern();
        isPlain = !(pattern == nullptr ? method : pattern)->hasAttrs();
      }
    return isPlain;
  }

  /// Returns the value of the member isExternalCodelet (guide, 3.4.1). A template's member gets its
  /// value when code asks for it.
  bool valueOf(const clang::VarDecl &member) {
    auto &variable = const_cast<clang::VarDecl &>(member);
    if (variable.getAnyInitializer() == nullptr)
      sema_.InstantiateVariableDefinition(variable.getLocation(), &variable);
    const clang::VarDecl *definition = nullptr;
    const clang::Expr *const value = variable.getAnyInitializer(definition);
    bool isTrue = false;
    return value != nullptr && !value->isValueDependent() &&
           value->EvaluateAsBooleanCondition(isTrue, ast_) && isTrue;
  }

  void add(const CXXRecordDecl &record, Ancestry ancestry) {
    FoundVertex vertex;
    vertex.cppName = nameOf(record);
    if (vertex.cppName.find('(') != std::string::npos)
      return; // in an anonymous namespace, so that other code cannot name it
    const clang::ASTRecordLayout &layout = ast_.getASTRecordLayout(&record);
    vertex.type.name = canonicalName(vertex.cppName);
    vertex.type.symbol = entrySymbol(vertex.type.name);
    vertex.type.multiVertex = ancestry.multi;
    vertex.type.supervisor = ancestry.supervisor;
    vertex.type.stateBytes = static_cast<std::uint32_t>(layout.getSize().getQuantity());
    vertex.type.stateAlign = static_cast<std::uint32_t>(layout.getAlignment().getQuantity());
    vertex.type.fields = std::move(ancestry.fields);
    vertex.type.constraints = std::move(ancestry.constraints);
    vertex.type.external = ancestry.isExternal != nullptr && valueOf(*ancestry.isExternal);
    vertex.isComputeInstantiated = isComputeInstantiated(record);
    found.push_back(std::move(vertex));
  }

  clang::Sema &sema_;
  clang::ASTContext &ast_;
  const std::string &path_;
  const Architecture arch_;
  std::vector<Idle> idle_;
  std::set<std::string> bases_; ///< base classes of all classes
};

} // namespace

FoundCode findCode(clang::Sema &sema, const std::string &path, Architecture arch) {
  Finder finder(sema, path, arch);
  finder.visit(*sema.getASTContext().getTranslationUnitDecl());
  FoundCode code{std::move(finder.found), {}, finder.warnings()};
  if (traitsOf(arch).ipuArchVersion != 0)
    code.functions = findScalarFunctions(sema.getASTContext());
  return code;
}

} // namespace copse::popc
