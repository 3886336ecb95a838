#include "popc/recompiled_module.hpp"

#include "cache.hpp"
#include "packed_source.hpp"
#include "parallel.hpp"

#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"

#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

namespace copse::popc {
namespace {

using Flags = std::vector<std::string>;

TranslationUnit unitOf(const PackedSource &source, const Flags &more, Architecture arch,
                       std::ostream &messages) {
  TranslationUnit unit;
  unit.path = source.path;
  // The folder may be gone, or on another machine. A source that contains all its headers needs
  // nothing from it.
  std::error_code error;
  if (std::filesystem::is_directory(source.directory, error))
    unit.directory = source.directory;
  unit.flags = source.flags;
  unit.flags.insert(unit.flags.end(), more.begin(), more.end());
  unit.arch = arch;
  unit.messages = &messages;
  return unit;
}

std::string keyOf(const Module &module, const Flags &more, const NativeCompiler &compiler,
                  const Cache &cache) {
  std::vector<std::string> parts{"compiled again", cache.popc(), compiler.version(),
                                 compiler.cpuLevel(), std::string(traitsOf(module.arch).name)};
  parts.insert(parts.end(), more.begin(), more.end());
  parts.insert(parts.end(), module.sources.begin(), module.sources.end());
  return disk_cache::sha256(parts);
}

/// Compiles each source again with \p more flags.
Module compiledAgain(Module module, const Flags &more) {
  const NativeCompiler compiler;
  const Cache cache;
  const std::string key = keyOf(module, more, compiler, cache);
  auto again = cache.find(key);
  std::optional<disk_cache::EntryLock> lock;
  if (!again) {
    lock.emplace(cache.lock(key));
    again = cache.find(key);
  }
  if (!again) {
    std::vector<CompiledObject> objects(module.sources.size());
    // Warnings were given when the module was first compiled.
    std::ostream silent(nullptr);
    inParallel(objects.size(), silent, [&](std::size_t i, std::ostream &messages) {
      const PackedSource source = unpacked(module.sources[i]);
      objects[i] = compiler.compileAgain(source.text, unitOf(source, more, module.arch, messages));
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

Module withChecks(Module module) { return compiledAgain(std::move(module), {kCheckedFlag}); }

Module withDebugInformation(Module module) {
  return compiledAgain(std::move(module), {kDebuggedFlag});
}

Module withSources(Module module, const std::vector<std::string> &others) {
  module.sources.insert(module.sources.end(), others.begin(), others.end());
  return compiledAgain(std::move(module), {});
}

} // namespace copse::popc
