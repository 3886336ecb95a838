#include "popc/checked_module.hpp"

#include "cache.hpp"
#include "packed_source.hpp"
#include "parallel.hpp"

#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"

#include <iostream>

namespace copse::popc {
namespace {

TranslationUnit unitOf(const PackedSource &source, Architecture arch, std::ostream &messages) {
  TranslationUnit unit;
  unit.path = source.path;
  unit.directory = source.directory;
  unit.flags = source.flags;
  unit.flags.emplace_back(kCheckedFlag);
  unit.arch = arch;
  unit.messages = &messages;
  return unit;
}

std::string keyOf(const Module &module, const NativeCompiler &compiler, const Cache &cache) {
  std::vector<std::string> parts{kCheckedFlag, cache.popc(), compiler.version(),
                                 compiler.cpuLevel(), std::string(traitsOf(module.arch).name)};
  parts.insert(parts.end(), module.sources.begin(), module.sources.end());
  return disk_cache::sha256(parts);
}

} // namespace

bool hasSources(const Module &module) { return !module.sources.empty(); }

Module withChecks(Module module) {
  const NativeCompiler compiler;
  const Cache cache;
  const std::string key = keyOf(module, compiler, cache);
  auto checked = cache.find(key);
  if (!checked) {
    std::vector<CompiledObject> objects(module.sources.size());
    // Its warnings were given when the module was compiled.
    std::ostream silent(nullptr);
    inParallel(objects.size(), silent, [&](std::size_t i, std::ostream &messages) {
      const PackedSource source = unpacked(module.sources[i]);
      objects[i] = compiler.compile(source.text, unitOf(source, module.arch, messages));
    });
    LinkedObjects linked = compiler.link(objects, unpacked(module.sources.front()).flags);
    checked.emplace();
    checked->arch = module.arch;
    checked->elf = std::move(linked.elf);
    checked->tileFunctions = std::move(linked.tileFunctions);
    checked->sha256 = disk_cache::sha256(checked->elf);
    cache.keep(key, *checked);
  }
  module.elf = std::move(checked->elf);
  module.tileFunctions = std::move(checked->tileFunctions);
  module.sha256 = std::move(checked->sha256);
  return module;
}

} // namespace copse::popc
