#include "completed_modules.hpp"

#include "assembler/object.hpp"
#include "popc/arch.hpp"
#include "popc/demangled.hpp"
#include "popc/popc.hpp"
#include "popc/recompiled_module.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

namespace copse::popc {
namespace {

/// Maps architecture, variant and symbol to the index of the first module that defines the symbol
/// and whose code can be compiled again.
using Definitions = std::map<std::tuple<Architecture, std::string, std::string>, std::size_t>;

Definitions definitionsIn(const std::vector<Module> &modules) {
  Definitions all;
  for (std::size_t i = 0; i != modules.size(); ++i)
    for (const std::string &symbol : modules[i].definitions)
      if (hasSources(modules[i]))
        all.try_emplace({modules[i].arch, modules[i].variant, symbol}, i);
  return all;
}

/// Returns true if assembly for the target \p arch defines \p symbol.
bool isTileCode(const std::string &symbol, Architecture arch, const std::vector<Module> &modules) {
  return std::ranges::any_of(modules, [&](const Module &module) {
    return module.object && module.arch == arch &&
           std::ranges::any_of(module.object->symbols, [&](const assembler::Symbol &defined) {
             return defined.name == symbol && defined.section != assembler::kNoSection;
           });
  });
}

/// Returns the missing symbols of \p module, and the functions with names of C that it takes for
/// tile code because its own sources do not define them.
std::vector<std::string> wantedBy(const Module &module, const std::vector<Module> &modules) {
  std::vector<std::string> wanted = module.missing;
  std::ranges::copy_if(module.tileFunctions, std::back_inserter(wanted), [&](const auto &symbol) {
    return !isTileCode(symbol, module.arch, modules);
  });
  return wanted;
}

/// Returns the modules that \p module needs, directly or not. Symbols that no module defines are
/// added to \p missing, except those that tile code of another file may define.
std::set<std::size_t> needsOf(std::size_t module, const std::vector<Module> &modules,
                              const Definitions &definitions, std::vector<std::string> &missing) {
  std::set<std::size_t> needed{module};
  std::vector<std::size_t> next{module};
  while (!next.empty()) {
    const Module &user = modules[next.back()];
    next.pop_back();
    for (const std::string &symbol : wantedBy(user, modules)) {
      auto found = definitions.find({user.arch, user.variant, symbol});
      if (found == definitions.end() && user.variant == ipuModelVariant(user.arch))
        found = definitions.find({user.arch, "", symbol}); // its source has no such branches
      if (found == definitions.end()) {
        if (std::ranges::find(user.missing, symbol) != user.missing.end())
          missing.push_back(symbol);
      } else if (needed.insert(found->second).second)
        next.push_back(found->second);
    }
  }
  needed.erase(module);
  return needed;
}

/// Returns one line for each symbol that a module lacks.
std::string missingIn(const std::vector<Module> &modules, const char *kind) {
  std::set<std::string> lines;
  for (const Module &module : modules)
    for (const std::string &symbol : module.missing)
      lines.insert(module.name + ": " + kind + ": undefined symbol '" + demangled(symbol) +
                   "': the .gp file that defines it is to be added: popc -o all.gp one.gp "
                   "other.gp\n");
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

} // namespace

void complete(std::vector<Module> &modules) {
  const Definitions definitions = definitionsIn(modules);
  /// Sources that have to be added, by index of the module.
  std::map<std::size_t, std::vector<std::string>> sources;
  for (std::size_t i = 0; i != modules.size(); ++i) {
    if (modules[i].missing.empty() && modules[i].tileFunctions.empty())
      continue;
    std::vector<std::string> missing;
    const auto needed = needsOf(i, modules, definitions, missing);
    if (!missing.empty() || needed.empty() || !hasSources(modules[i]))
      continue;
    for (const std::size_t other : needed)
      sources[i].insert(sources[i].end(), modules[other].sources.begin(),
                        modules[other].sources.end());
  }
  for (const auto &[i, more] : sources) {
    modules[i] = withSources(std::move(modules[i]), more);
    modules[i].missing.clear();
  }
}

void tellMissing(const std::vector<Module> &modules, std::ostream &messages) {
  messages << missingIn(modules, "warning");
}

void checkComplete(const std::vector<Module> &modules) {
  if (const std::string errors = missingIn(modules, "error"); !errors.empty())
    throw CompileError(errors);
}

} // namespace copse::popc
