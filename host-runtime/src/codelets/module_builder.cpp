#include "codelets/module_builder.hpp"

#include "codelets/arch.hpp"
#include "codelets/constraints.hpp"
#include "codelets/dependencies.hpp"
#include "codelets/digest.hpp"
#include "codelets/entry_points.hpp"
#include "codelets/half_choices.hpp"
#include "codelets/manifest.hpp"
#include "codelets/popc.hpp"
#include "codelets/vertex_finder.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>

namespace copse::codelets {
namespace {

/// Of what buildModule() makes of one and the same source. Count up when that changes.
constexpr const char *kBuilderVersion = "9";

std::vector<std::string> howCompiled(const TranslationUnit &unit, const NativeCompiler &compiler) {
  std::vector<std::string> parts{kBuilderVersion, compiler.version(), compiler.cpuLevel(),
                                 std::string(traitsOf(unit.arch).name)};
  parts.insert(parts.end(), unit.flags.begin(), unit.flags.end());
  return parts;
}

std::string moduleKeyOf(const std::string &expanded, const TranslationUnit &unit,
                        const NativeCompiler &compiler) {
  std::vector<std::string> parts = howCompiled(unit, compiler);
  parts.push_back(expanded);
  return sha256(parts);
}

/// Of all that is known before the source is expanded.
std::string sourceKeyOf(const TranslationUnit &unit, const NativeCompiler &compiler) {
  std::vector<std::string> parts = howCompiled(unit, compiler);
  parts.insert(parts.end(), {compiler.identity(), unit.nativeIpu ? "native" : "", unit.directory,
                             unit.path, unit.source});
  return sha256(parts);
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
  const Manifests manifests;
  const std::string sourceKey = sourceKeyOf(unit, compiler);
  if (const auto key = manifests.find(sourceKey))
    if (auto cached = cache.find(*key))
      return std::move(*cached);

  const auto begun = std::chrono::system_clock::now();
  const std::string expanded = compiler.preprocess(unit);
  const std::string moduleKey = moduleKeyOf(expanded, unit, compiler);
  auto module = cache.find(moduleKey);
  if (!module) {
    module = compiledWithSomeHalf(unit, compiler, expanded);
    cache.keep(moduleKey, *module);
  }
  if (const auto dependencies = dependenciesOf(unit, expanded, compiler))
    manifests.keep(sourceKey, moduleKey, *dependencies, begun);
  return std::move(*module);
}

} // namespace copse::codelets
