#include "popc/recompiled_module.hpp"

#include "cache.hpp"
#include "packed_source.hpp"
#include "parallel.hpp"

#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"

#include <iostream>

namespace copse::popc {
namespace {

TranslationUnit unitOf(const PackedSource &source, const char *flag, Architecture arch,
                       std::ostream &messages) {
  TranslationUnit unit;
  unit.path = source.path;
  unit.directory = source.directory;
  unit.flags = source.flags;
  unit.flags.emplace_back(flag);
  unit.arch = arch;
  unit.messages = &messages;
  return unit;
}

std::string keyOf(const Module &module, const char *flag, const NativeCompiler &compiler,
                  const Cache &cache) {
  std::vector<std::string> parts{flag, cache.popc(), compiler.version(), compiler.cpuLevel(),
                                 std::string(traitsOf(module.arch).name)};
  parts.insert(parts.end(), module.sources.begin(), module.sources.end());
  return disk_cache::sha256(parts);
}

/// With \p flag among those of each source.
Module compiledAgain(Module module, const char *flag) {
  const NativeCompiler compiler;
  const Cache cache;
  const std::string key = keyOf(module, flag, compiler, cache);
  auto again = cache.find(key);
  if (!again) {
    std::vector<CompiledObject> objects(module.sources.size());
    // Its warnings were given when the module was compiled.
    std::ostream silent(nullptr);
    inParallel(objects.size(), silent, [&](std::size_t i, std::ostream &messages) {
      const PackedSource source = unpacked(module.sources[i]);
      objects[i] = compiler.compile(source.text, unitOf(source, flag, module.arch, messages));
    });
    LinkedObjects linked = compiler.link(objects, unpacked(module.sources.front()).flags);
    again.emplace();
    again->arch = module.arch;
    again->elf = std::move(linked.elf);
    again->tileFunctions = std::move(linked.tileFunctions);
    again->sha256 = disk_cache::sha256(again->elf);
    cache.keep(key, *again);
  }
  module.elf = std::move(again->elf);
  module.tileFunctions = std::move(again->tileFunctions);
  module.sha256 = std::move(again->sha256);
  return module;
}

} // namespace

bool hasSources(const Module &module) { return !module.sources.empty(); }

Module withChecks(Module module) { return compiledAgain(std::move(module), kCheckedFlag); }

Module withDebugInformation(Module module) {
  return compiledAgain(std::move(module), kDebuggedFlag);
}

} // namespace copse::popc
