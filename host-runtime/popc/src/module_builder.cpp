#include "module_builder.hpp"

#include "codelet_compiler.hpp"
#include "dependencies.hpp"
#include "manifest.hpp"
#include "object_linker.hpp"
#include "packed_source.hpp"
#include "parallel.hpp"

#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"
#include "popc/constraints.hpp"
#include "popc/popc.hpp"
#include "popc/stand_in.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>

namespace copse::popc {
namespace {

std::vector<std::string> howCompiled(const TranslationUnit &unit, const NativeCompiler &compiler,
                                     const Cache &cache) {
  std::vector<std::string> parts{cache.popc(), compiler.version(), compiler.cpuLevel(),
                                 std::string(traitsOf(unit.arch).name)};
  parts.insert(parts.end(), unit.flags.begin(), unit.flags.end());
  return parts;
}

std::string objectKeyOf(const std::string &expanded, const TranslationUnit &unit,
                        const NativeCompiler &compiler, const Cache &cache) {
  std::vector<std::string> parts = howCompiled(unit, compiler, cache);
  parts.push_back(expanded);
  return disk_cache::sha256(parts);
}

/// Returns a hash of everything that is known before the source is expanded.
std::string sourceKeyOf(const TranslationUnit &unit, const NativeCompiler &compiler,
                        const Cache &cache) {
  std::vector<std::string> parts = howCompiled(unit, compiler, cache);
  parts.insert(parts.end(), {compiler.identity(), unit.directory, unit.path, unit.source});
  return disk_cache::sha256(parts);
}

/// Returns a compiled source as a module for the cache, whose `elf` is CompiledObject::code.
Module compiled(const TranslationUnit &unit, CodeletCompiler &compiler) {
  CompiledSource source = compiler.compiled();
  source.module.sources = {packed({unit.path, unit.directory, unit.flags, std::move(source.text)})};
  for (const VertexType &vertex : source.module.vertices)
    checkConstraints(vertex);
  return std::move(source.module);
}

/// Compiles for a CPU target with halves of 16 bits. Returns nothing if the unit has such halves
/// anyway, or if it does not compile.
std::optional<Module> compiledWithShortHalves(const TranslationUnit &unit,
                                              const NativeCompiler &compiler) {
  if (unit.arch != Architecture::Cpu ||
      std::ranges::find(unit.flags, kAccurateHalfFlag) != unit.flags.end())
    return std::nullopt;
  TranslationUnit accurate = unit;
  accurate.flags.emplace_back(kAccurateHalfFlag);
  try {
    return compiled(accurate, *compiler.begin(accurate));
  } catch (const CompileError &) {
    return std::nullopt;
  }
}

/// Compiles a source for a CPU target, where a half is a class of 4 bytes. A source that compiles
/// only with halves of 16 bits depends on them: a graph for a CPU target with accurateHalf can use
/// all of it, any other graph only what has no fields of halves.
Module compiledWithSomeHalf(const TranslationUnit &unit, const NativeCompiler &compiler,
                            CodeletCompiler &begun) {
  try {
    return compiled(unit, begun);
  } catch (const CompileError &) {
    if (auto accurate = compiledWithShortHalves(unit, compiler))
      return std::move(*accurate);
    throw;
  }
}

/// One source in progress. It is expanded and compiled only if caches do not have the result.
class PendingSource {
public:
  PendingSource(const TranslationUnit &unit, const NativeCompiler &compiler, const Cache &cache)
      : unit_(unit), compiler_(compiler), cache_(cache),
        sourceKey_(sourceKeyOf(unit, compiler, cache)) {}

  const std::string &sourceKey() const { return sourceKey_; }
  /// Returns true if key() needs no expansion, because a manifest has the key.
  bool hasManifest() {
    if (key_.empty())
      if (const auto entry = Manifests().find(sourceKey_)) {
        key_ = entry->moduleKey;
        testsIpu_ = entry->testsIpu;
      }
    return !key_.empty();
  }
  /// Returns the cache's key of the resulting object.
  const std::string &key() {
    if (!hasManifest())
      key_ = objectKeyOf(begun().expanded().text, unit_, compiler_, cache_);
    return key_;
  }
  /// \throws CompileError
  Module object() { return compiledWithSomeHalf(unit_, compiler_, begun()); }
  /// Ends the compiler, whose object is known.
  void dismissCompiler() {
    if (begun_)
      begun_->dismiss();
  }

  bool isExpanded() const { return begun_ != nullptr; }
  /// Keeps a manifest of an expanded source, so that later runs know key() without expanding it,
  /// even if it does not compile.
  void keepManifest() {
    if (const auto dependencies = dependenciesOf(unit_, begun_->expanded(), compiler_))
      Manifests().keep(sourceKey_, {key(), testsIpu()}, *dependencies, begunAt_);
  }
  bool testsIpu() const { return begun_ ? begun_->expanded().testsIpu : testsIpu_; }

private:
  CodeletCompiler &begun() {
    if (!begun_) {
      begunAt_ = std::chrono::system_clock::now();
      begun_ = compiler_.begin(unit_);
    }
    return *begun_;
  }

  const TranslationUnit &unit_;
  const NativeCompiler &compiler_;
  const Cache &cache_;
  std::string sourceKey_, key_;
  bool testsIpu_ = false; ///< the manifest's word
  /// Has expanded the source; nothing if this was not necessary.
  std::unique_ptr<CodeletCompiler> begun_;
  std::chrono::system_clock::time_point begunAt_; ///< before the source was expanded
};

/// Returns the object of a source. If there are several sources, each has its own entry in the
/// cache, so that a change of one compiles only this one.
Module objectOf(PendingSource &source, bool isOneOfSeveral, const Cache &cache) {
  if (isOneOfSeveral)
    if (auto cached = cache.find(source.key())) {
      source.dismissCompiler();
      return std::move(*cached);
    }
  Module object = source.object();
  if (isOneOfSeveral)
    cache.keep(source.key(), object);
  return object;
}

/// Returns the key of the module that all sources become.
std::string moduleKeyOf(std::deque<PendingSource> &sources) {
  std::vector<std::string> keys{"linked"};
  for (PendingSource &source : sources)
    keys.push_back(source.key());
  return disk_cache::sha256(keys);
}

/// Returns the key under which all sources together are locked. It is known before they are
/// expanded, unlike the key of their module.
std::string lockKeyOf(const std::deque<PendingSource> &sources) {
  std::vector<std::string> keys{"lock"};
  for (const PendingSource &source : sources)
    keys.push_back(source.sourceKey());
  return disk_cache::sha256(keys);
}

/// \returns nothing if the cache does not have the module, or if it must not lack symbols
std::optional<Module> findModule(std::deque<PendingSource> &sources, const Cache &cache,
                                 bool mayLack) {
  auto module = cache.find(moduleKeyOf(sources));
  if (module && !module->missing.empty() && !mayLack)
    module.reset(); // the linker reports where missing symbols are used
  return module;
}

/// Checks that only modules with supervisors use addresses of codelets.
void checkUse(const TileCodeUse &use, const Module &module) {
  if (std::ranges::any_of(module.vertices, &VertexType::supervisor))
    return;
  std::string errors;
  for (const UsedSymbol &symbol : use.symbols)
    errors += symbol.file + ":" + std::to_string(symbol.line) +
              ": error: inline assembly: nothing defines '" + symbol.name +
              "'; names of other code are for a SupervisorVertex\n";
  if (!errors.empty())
    throw CompileError(errors);
}

/// Adds classes and functions to \p module, each once even if several sources have it.
void addCode(const Module &object, Module &module) {
  for (const VertexType &vertex : object.vertices)
    if (std::ranges::none_of(module.vertices,
                             [&](const VertexType &known) { return known.name == vertex.name; }))
      module.vertices.push_back(vertex);
  for (const std::string &function : object.functions)
    if (std::ranges::find(module.functions, function) == module.functions.end())
      module.functions.push_back(function);
  module.definitions.insert(module.definitions.end(), object.definitions.begin(),
                            object.definitions.end());
}

/// \param mayLack  true: missing symbols are added to Module::missing
void link(const std::vector<CompiledObject> &objects, const TranslationUnit &first,
          const NativeCompiler &compiler, bool mayLack, Module &module) {
  try {
    LinkedObjects linked = compiler.link(objects, first.flags);
    module.elf = std::move(linked.elf);
    module.tileFunctions = std::move(linked.tileFunctions);
  } catch (const LinkError &error) {
    if (!mayLack || error.missing.empty())
      throw;
    module.missing = error.missing;
  }
}

} // namespace

BuiltModule buildModule(const std::vector<TranslationUnit> &units, const NativeCompiler &compiler,
                        const Cache &cache, bool mayLack) {
  // Each source writes its own messages, which are joined in the order of the sources.
  std::vector<TranslationUnit> apart = units;
  std::deque<PendingSource> sources;
  for (const TranslationUnit &unit : apart)
    sources.emplace_back(unit, compiler, cache);
  const auto forEachSource = [&](const std::function<void(std::size_t)> &work) {
    inParallel(sources.size(), *units.front().messages, [&](std::size_t i, std::ostream &messages) {
      apart[i].messages = &messages;
      work(i);
    });
  };
  const auto built = [&](Module module) {
    return BuiltModule{std::move(module), std::ranges::any_of(sources, &PendingSource::testsIpu)};
  };
  const auto findKnown = [&]() -> std::optional<Module> {
    std::atomic<bool> areKnown = true;
    forEachSource([&](std::size_t i) {
      if (!sources[i].hasManifest())
        areKnown = false;
    });
    return areKnown ? findModule(sources, cache, mayLack) : std::nullopt;
  };
  if (auto known = findKnown())
    return built(std::move(*known));
  const disk_cache::EntryLock lock = cache.lock(lockKeyOf(sources));
  if (auto known = findKnown())
    return built(std::move(*known));
  const bool isOneOfSeveral = sources.size() > 1;
  std::vector<Module> compiledSources(sources.size());
  std::optional<Module> module;
  forEachSource([&](std::size_t i) {
    sources[i].key();
    // Reading and hashing all headers goes on at the same time.
    std::future<void> manifest;
    if (sources[i].isExpanded())
      manifest = std::async(std::launch::async, [&] { sources[i].keepManifest(); });
    if (!isOneOfSeveral)
      module = findModule(sources, cache, mayLack);
    if (!module)
      compiledSources[i] = objectOf(sources[i], isOneOfSeveral, cache);
  });
  if (isOneOfSeveral)
    module = findModule(sources, cache, mayLack);
  if (!module) {
    module.emplace();
    module->arch = units.front().arch;
    module->name = std::filesystem::path(units.front().path).filename().string();
    std::vector<CompiledObject> objects;
    TileCodeUse use;
    for (Module &object : compiledSources) {
      addCode(object, *module);
      std::ranges::move(object.sources, std::back_inserter(module->sources));
      if (object.object)
        use.add(useOf(*object.object));
      objects.push_back(
          {std::move(object.name), std::move(object.elf), std::move(object.declarations)});
    }
    link(objects, units.front(), compiler, mayLack, *module);
    const bool isOfTile = traitsOf(module->arch).ipuArchVersion != 0;
    if (!isOfTile && module->missing.empty() && module->definitions.empty())
      module->sources.clear();
    checkUse(use, *module);
    module->object = standInFor(use, module->arch);
    const std::string moduleKey = moduleKeyOf(sources);
    module->sha256 = module->missing.empty() ? disk_cache::sha256(module->elf) : moduleKey;
    cache.keep(moduleKey, *module);
  }
  return built(std::move(*module));
}

} // namespace copse::popc
