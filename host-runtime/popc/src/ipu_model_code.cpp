#include "ipu_model_code.hpp"

#include "module_builder.hpp"
#include "parallel.hpp"

#include "popc/arch.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ostream>

namespace copse::popc {
namespace {

using Units = std::vector<TranslationUnit>;

Units forOtherProcessors(const Units &units, std::ostream &messages) {
  Units portable = units;
  for (TranslationUnit &unit : portable) {
    unit.flags.emplace_back(kPortableFlag);
    unit.messages = &messages;
  }
  return portable;
}

/// Returns true if the sources have no branches for other processors. The lack of builtins in a
/// CPU's compiler does not count as a branch.
bool haveOneText(const Units &units, const Units &portable, const NativeCompiler &compiler,
                 std::ostream &messages) {
  std::vector<std::string> texts(2 * units.size());
  inParallel(texts.size(), messages, [&](std::size_t i, std::ostream &) {
    TranslationUnit unit = i % 2 == 0 ? units[i / 2] : portable[i / 2];
    unit.flags.emplace_back("-D__COPSE_SAME_HEADERS__");
    texts[i] = compiler.expanded(unit);
  });
  for (std::size_t i = 0; i != texts.size(); i += 2)
    if (texts[i] != texts[i + 1])
      return false;
  return true;
}

} // namespace

std::optional<Module> buildIpuModelModule(const std::vector<TranslationUnit> &units,
                                          const NativeCompiler &compiler, const Cache &cache) {
  // Warnings were given when the units were compiled for the IPU.
  std::ostream silent(nullptr);
  const Units portable = forOtherProcessors(units, silent);
  try {
    if (haveOneText(units, portable, compiler, silent))
      return std::nullopt;
    Module module = buildModule(portable, compiler, cache, true).module;
    module.variant = ipuModelVariant(module.arch);
    return module;
  } catch (const CompileError &) {
    return std::nullopt; // the code is only for IPUs
  }
}

} // namespace copse::popc
