#include "symbols.hpp"

#include "tile_functions.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Module.h>

namespace copse::popc {
namespace {

using llvm::StringRef;

/// Returns true for names that LLVM's text writes without quotes: those of C and C++.
bool isPlain(StringRef name) {
  return llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || StringRef("._$-").contains(c); });
}

/// Returns true for symbols that LLVM or popc adds, such as entry points of vertices.
bool isOurs(StringRef name) {
  return name.starts_with("__runCodelet_") || name.contains("__copse") ||
         name.starts_with("llvm.") || name.contains("copse_entry");
}

bool isForOthers(const llvm::GlobalValue &value) {
  return !value.isDeclaration() && (value.hasExternalLinkage() || value.hasCommonLinkage()) &&
         isPlain(value.getName()) && !isOurs(value.getName());
}

bool isOfC(StringRef name) {
  return isPlain(name) && !name.starts_with("llvm.") && !name.starts_with("_Z") &&
         !name.starts_with("__copse");
}

} // namespace

std::vector<std::string> definitionsIn(const llvm::Module &module) {
  std::vector<std::string> symbols;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (isForOthers(variable))
      symbols.push_back(variable.getName().str());
  for (const llvm::Function &function : module)
    if (isForOthers(function))
      symbols.push_back(function.getName().str());
  return symbols;
}

std::vector<std::string> declarationsIn(const llvm::Module &module) {
  std::vector<std::string> lines;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && isOfC(function.getName()))
      if (auto line = declarationForTile(function))
        lines.push_back(std::move(*line));
  return lines;
}

} // namespace copse::popc
