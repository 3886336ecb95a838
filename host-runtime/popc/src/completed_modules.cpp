#include "completed_modules.hpp"

#include "popc/demangled.hpp"
#include "popc/popc.hpp"
#include "popc/recompiled_module.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

namespace copse::popc {
namespace {

/// By architecture, variant and symbol: the place of the first module that defines it, and whose code can be compiled again.
using Definitions = std::map<std::tuple<Architecture, std::string, std::string>, std::size_t>;

Definitions definitionsIn(const std::vector<Module> &modules) {
  Definitions all;
  for (std::size_t i = 0; i != modules.size(); ++i)
    for (const std::string &symbol : modules[i].definitions)
      if (hasSources(modules[i]))
        all.try_emplace({modules[i].arch, modules[i].variant, symbol}, i);
  return all;
}

/// The modules that \p module needs, and those that they need; symbols that none defines come out as \p missing.
std::set<std::size_t> needsOf(std::size_t module, const std::vector<Module> &modules,
                              const Definitions &definitions, std::vector<std::string> &missing) {
  std::set<std::size_t> needed{module};
  std::vector<std::size_t> next{module};
  while (!next.empty()) {
    const Module &user = modules[next.back()];
    next.pop_back();
    for (const std::string &symbol : user.missing) {
      const auto found = definitions.find({user.arch, user.variant, symbol});
      if (found == definitions.end())
        missing.push_back(symbol);
      else if (needed.insert(found->second).second)
        next.push_back(found->second);
    }
  }
  needed.erase(module);
  return needed;
}

} // namespace

void complete(std::vector<Module> &modules) {
  const Definitions definitions = definitionsIn(modules);
  const std::vector<Module> given = modules; // what one gains, the others do not need
  for (std::size_t i = 0; i != modules.size(); ++i) {
    if (given[i].missing.empty())
      continue;
    std::vector<std::string> missing, sources;
    for (const std::size_t other : needsOf(i, given, definitions, missing))
      sources.insert(sources.end(), given[other].sources.begin(), given[other].sources.end());
    if (!missing.empty())
      continue;
    modules[i] = withSources(std::move(modules[i]), sources);
    modules[i].missing.clear();
  }
}

void tellMissing(const std::vector<Module> &modules, std::ostream &messages) {
  std::set<std::pair<std::string, std::string>> told;
  for (const Module &module : modules)
    for (const std::string &symbol : module.missing)
      if (told.insert({module.name, symbol}).second)
        messages
            << module.name << ": warning: undefined symbol '" << demangled(symbol)
            << "': the .gp file that defines it is to be added: popc -o all.gp one.gp other.gp\n";
}

void checkComplete(const std::vector<Module> &modules, const std::string &nameForMessages) {
  std::string errors;
  for (const Module &module : modules)
    for (const std::string &symbol : module.missing)
      errors += module.name + ": error: undefined symbol '" + demangled(symbol) +
                "': no source of " + nameForMessages +
                " defines it; add the .gp file that does: popc -o all.gp " + "one.gp other.gp\n";
  if (!errors.empty())
    throw CompileError(errors);
}

} // namespace copse::popc
