#include "codelets/module_builder.hpp"

#include "codelets/arch.hpp"
#include "codelets/constraints.hpp"
#include "codelets/digest.hpp"
#include "codelets/entry_points.hpp"
#include "codelets/half_choices.hpp"
#include "codelets/popc.hpp"
#include "codelets/vertex_finder.hpp"

#include <filesystem>
#include <string_view>

namespace copse::codelets {
namespace {

/// Of what buildModule() makes of one and the same source. Count up when that changes.
constexpr const char *kBuilderVersion = "9";

std::string keyOf(const std::string &expanded, const TranslationUnit &unit,
                  const NativeCompiler &compiler) {
  std::string all;
  const auto add = [&all](const std::string &part) {
    all += std::to_string(part.size()) + ":" + part;
  };
  add(kBuilderVersion);
  add(compiler.version());
  add(compiler.cpuLevel());
  add(std::string(traitsOf(unit.arch).name));
  for (const std::string &flag : unit.flags)
    add(flag);
  add(expanded);
  return sha256(all);
}

std::string moduleInfo(const TranslationUnit &unit, const NativeCompiler &compiler) {
  return "slotBits=" + std::to_string(traitsOf(unit.arch).slotBits) + ";cpu=" + compiler.cpuLevel();
}

Module compiled(const TranslationUnit &unit, const NativeCompiler &compiler,
                const std::string &expanded) {
  const std::vector<FoundVertex> found =
      findVertices(unit.source, unit.path, compiler.parserArguments(unit), unit.arch);
  Module module;
  module.arch = unit.arch;
  module.name = std::filesystem::path(unit.path).filename().string();
  module.elf = compiler.compile(expanded + entryPoints(found, moduleInfo(unit, compiler)), unit);
  module.sha256 = sha256(module.elf);
  for (const FoundVertex &vertex : found) {
    checkConstraints(vertex.type);
    module.vertices.push_back(vertex.type);
  }
  return module;
}

/// Codelets that mind that half is a class are compiled again without it.
Module compiledWithSomeHalf(const TranslationUnit &unit, const NativeCompiler &compiler,
                            const std::string &expanded) {
  try {
    return compiled(unit, compiler, expanded);
  } catch (const CompileError &error) {
    if (std::string_view(error.what()).find("half") == std::string_view::npos)
      throw;
    if (traitsOf(unit.arch).ipuArchVersion == 0) {
      const auto mended = withFloatChoices(expanded, compiler.parserArguments(unit));
      if (!mended)
        throw;
      return compiled(unit, compiler, *mended);
    }
  }
  TranslationUnit again = unit;
  again.builtinHalf = true;
  return compiled(again, compiler, compiler.preprocess(again));
}

} // namespace

Module buildModule(const TranslationUnit &unit, const NativeCompiler &compiler,
                   const Cache &cache) {
  const std::string expanded = compiler.preprocess(unit);
  const std::string key = keyOf(expanded, unit, compiler);
  if (auto cached = cache.find(key))
    return std::move(*cached);
  Module module = compiledWithSomeHalf(unit, compiler, expanded);
  cache.keep(key, module);
  return module;
}

} // namespace copse::codelets
