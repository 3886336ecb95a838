#include "probes.hpp"

#include "clang_names.hpp"
#include "class_head.hpp"
#include "type_names.hpp"

#include <vector>

namespace copse::popc {
namespace {

const std::string kTypePrefix = "CopseProbedType", kValuePrefix = "CopseProbedValue";

std::vector<std::string> namespacesOf(CXCursor declaration) {
  std::vector<std::string> names;
  for (CXCursor scope = clang_getCursorSemanticParent(declaration);
       clang_getCursorKind(scope) == CXCursor_Namespace;
       scope = clang_getCursorSemanticParent(scope))
    names.insert(names.begin(), taken(clang_getCursorSpelling(scope)));
  return names;
}

/// Returns true for a base such as `Name<T>::type`, which needs the word typename in a template.
bool namesMember(const std::string &base) { return base.find("> ::") != std::string::npos; }

/// Returns a template with the parameters of \p pattern whose member `type` is base class \p index.
std::string cloneOf(CXCursor pattern, std::size_t index, const std::string &name) {
  const ClassHead head = readClassHead(pattern);
  if (index >= head.bases.size())
    return "";
  const std::string &base = head.bases[index];
  std::string text;
  if (clang_getCursorKind(pattern) == CXCursor_ClassTemplatePartialSpecialization)
    text = readClassHead(clang_getSpecializedCursorTemplate(pattern)).templateHead + "struct " +
           name + ";\n";
  return text + head.templateHead + "struct " + name + head.arguments +
         " { using type = " + (namesMember(base) ? "typename " : "") + base + "; };\n";
}

std::string argumentsOf(const std::string &typeName) { return typeName.substr(typeName.find('<')); }

} // namespace

template <class Declaration>
std::size_t Probes::ask(const std::string &key, Declaration declaration) {
  const auto [known, isNew] = questions_.try_emplace(key, questions_.size());
  if (isNew) {
    text_ += declaration(std::to_string(known->second));
    open_ = true;
  }
  return known->second;
}

std::optional<CXType> Probes::baseOf(CXType instance, CXCursor pattern, std::size_t index) {
  const std::string instanceName = fullTypeName(instance);
  const std::size_t number =
      ask(instanceName + " base " + std::to_string(index), [&](const std::string &id) {
        const std::string clone = "CopseClone" + id;
        std::string before, after, path = "::";
        for (const std::string &scope : namespacesOf(pattern)) {
          before += "namespace " + scope + " { ";
          after += "}";
          path += scope + "::";
        }
        return "\n" + before + cloneOf(pattern, index, clone) + after + "\nusing " + kTypePrefix +
               id + " = " + path + clone + argumentsOf(instanceName) + "::type;\n";
      });
  const auto answer = types_.find(number);
  return answer == types_.end() ? std::nullopt : std::optional(answer->second);
}

std::optional<bool> Probes::isExternal(CXType vertex) {
  const std::string name = fullTypeName(vertex);
  const std::size_t number = ask(name + " external", [&](const std::string &id) {
    return "\nenum { " + kValuePrefix + id + " = ::" + name + "::isExternalCodelet ? 1 : 0 };\n";
  });
  const auto answer = values_.find(number);
  return answer == values_.end() ? std::nullopt : std::optional(answer->second);
}

void Probes::read(CXCursor unit) {
  types_.clear();
  values_.clear();
  open_ = false;
  forEachChild(unit, [this](CXCursor cursor) {
    const std::string name = taken(clang_getCursorSpelling(cursor));
    if (clang_getCursorKind(cursor) == CXCursor_TypeAliasDecl && name.starts_with(kTypePrefix))
      types_[std::stoul(name.substr(kTypePrefix.size()))] = canonicalType(cursor);
    if (clang_getCursorKind(cursor) != CXCursor_EnumDecl)
      return;
    forEachChild(cursor, [this](CXCursor enumerator) {
      const std::string valueName = taken(clang_getCursorSpelling(enumerator));
      if (valueName.starts_with(kValuePrefix))
        values_[std::stoul(valueName.substr(kValuePrefix.size()))] =
            clang_getEnumConstantDeclValue(enumerator) != 0;
    });
  });
}

} // namespace copse::popc
