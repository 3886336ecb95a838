#include "module_builder.hpp"

#include "dependencies.hpp"
#include "entry_points.hpp"
#include "half_choices.hpp"
#include "manifest.hpp"
#include "object_linker.hpp"
#include "packed_source.hpp"
#include "parallel.hpp"
#include "vertex_finder.hpp"

#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"
#include "popc/constraints.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
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

std::string moduleInfo(const TranslationUnit &unit, const NativeCompiler &compiler) {
  return "slotBits=" + std::to_string(traitsOf(unit.arch).slotBits) + ";cpu=" + compiler.cpuLevel();
}

/// Warns of inline assembly for supervisors in a source without a supervisor vertex.
void warnOfSupervisor(const Module &object, const std::vector<std::string> &places,
                      std::ostream &messages) {
  if (std::ranges::any_of(object.vertices, &VertexType::supervisor))
    return;
  for (const std::string &place : places)
    messages << place
             << ": warning: inline assembly for the supervisor: a worker that gets here stops the "
                "program; the vertex must be a SupervisorVertex\n";
}

FoundCode codeOf(const TranslationUnit &unit, const NativeCompiler &compiler,
                 const std::function<std::string()> &expanded) {
  if (isInC(unit.path))
    return {}; // C has no classes
  return findCode(unit.source, expanded, unit.path, compiler.parserArguments(unit), unit.arch);
}

/// Adds to \p expanded the code that calls it and that it calls.
std::string withEntries(const std::string &expanded, const FoundCode &found,
                        const TranslationUnit &unit, const NativeCompiler &compiler) {
  if (isInC(unit.path))
    return expanded + runtimeSymbols(moduleInfo(unit, compiler), true);
  return expanded + entryPoints(found.vertices) +
         runtimeSymbols(moduleInfo(unit, compiler), false) + functionEntries(found.functions);
}

/// Returns a compiled source as a module for the cache, whose `elf` is CompiledObject::code.
Module compiled(const TranslationUnit &unit, const NativeCompiler &compiler,
                const std::string &expanded, FoundCode found) {
  Module object;
  object.arch = unit.arch;
  object.name = unit.path;
  std::string text = withEntries(expanded, found, unit, compiler);
  CompiledObject compiledObject = compiler.compile(text, unit);
  object.sources = {packed({unit.path, unit.directory, unit.flags, std::move(text)})};
  object.elf = std::move(compiledObject.code);
  object.declarations = std::move(compiledObject.declarations);
  object.definitions = std::move(compiledObject.definitions);
  object.object = standInFor(compiledObject.uses, unit.arch);
  for (const FoundVertex &vertex : found.vertices) {
    checkConstraints(vertex.type);
    object.vertices.push_back(vertex.type);
  }
  for (ScalarFunction &function : found.functions)
    object.functions.push_back(std::move(function.symbol));
  warnOfSupervisor(object, compiledObject.supervisorPlaces, *unit.messages);
  *unit.messages << found.warnings;
  return object;
}

bool isAboutHalves(const CompileError &error) {
  return std::string_view(error.what()).find("half") != std::string_view::npos;
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
    const std::string expanded = compiler.preprocess(accurate).text;
    return compiled(accurate, compiler, expanded,
                    codeOf(accurate, compiler, [&] { return expanded; }));
  } catch (const CompileError &) {
    return std::nullopt;
  }
}

/// Compiles a source for a CPU target, where a half is a class of 4 bytes. A source that does not
/// compile with the class is changed and compiled again. A source that depends on the size is
/// compiled with halves of 16 bits: a graph for a CPU target with accurateHalf can use all of it,
/// any other graph only what has no fields of halves.
Module compiledWithSomeHalf(const TranslationUnit &unit, const NativeCompiler &compiler,
                            const std::string &expanded, const FoundCode &found) {
  try {
    return compiled(unit, compiler, expanded, found);
  } catch (const CompileError &error) {
    if (!isAboutHalves(error))
      throw;
    if (const auto mended = withFloatChoices(expanded, compiler.parserArguments(unit)))
      return compiled(unit, compiler, *mended, found);
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
      key_ = Manifests().find(sourceKey_).value_or("");
    return !key_.empty();
  }
  /// Returns the cache's key of the resulting object.
  const std::string &key() {
    if (!hasManifest())
      key_ = objectKeyOf(expanded().text, unit_, compiler_, cache_);
    return key_;
  }
  /// \throws CompileError
  Module object() {
    const std::string &text = expanded().text;
    return compiledWithSomeHalf(unit_, compiler_, text, found_.get());
  }

  bool isExpanded() const { return begun_.has_value(); }
  /// Keeps a manifest, so that later runs know key() without expanding the source, even if it does
  /// not compile.
  void keepManifest() {
    if (!begun_)
      return; // a manifest exists
    if (const auto dependencies = dependenciesOf(unit_, expanded(), compiler_))
      Manifests().keep(sourceKey_, key(), *dependencies, *begun_);
  }

private:
  /// Expands the source. Most expanded sources have to be compiled, too, so libclang looks for
  /// vertex classes at the same time.
  const ExpandedSource &expanded() {
    if (!begun_) {
      begun_ = std::chrono::system_clock::now();
      expanded_ = std::async(std::launch::async, [this] { return compiler_.preprocess(unit_); });
      found_ = std::async(std::launch::async, [this, expanded = expanded_] {
        return codeOf(unit_, compiler_, [&] { return expanded.get().text; });
      });
    }
    return expanded_.get();
  }

  const TranslationUnit &unit_;
  const NativeCompiler &compiler_;
  const Cache &cache_;
  std::string sourceKey_, key_;
  /// A time before the source was expanded.
  std::optional<std::chrono::system_clock::time_point> begun_;
  std::shared_future<ExpandedSource> expanded_;
  std::future<FoundCode> found_; ///< waits for its thread when destroyed
};

/// Returns the object of a source. If there are several sources, each has its own entry in the
/// cache, so that a change of one compiles only this one.
Module objectOf(PendingSource &source, bool isOneOfSeveral, const Cache &cache) {
  if (isOneOfSeveral)
    if (auto cached = cache.find(source.key()))
      return std::move(*cached);
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

std::string nativeAssembly(const TranslationUnit &unit, const NativeCompiler &compiler) {
  const std::string expanded = compiler.preprocess(unit).text;
  const FoundCode found = codeOf(unit, compiler, [&] { return expanded; });
  return compiler.assembly(withEntries(expanded, found, unit, compiler), unit);
}

Module buildModule(const std::vector<TranslationUnit> &units, const NativeCompiler &compiler,
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
  const auto findKnown = [&]() -> std::optional<Module> {
    std::atomic<bool> areKnown = true;
    forEachSource([&](std::size_t i) {
      if (!sources[i].hasManifest())
        areKnown = false;
    });
    return areKnown ? findModule(sources, cache, mayLack) : std::nullopt;
  };
  if (auto known = findKnown())
    return std::move(*known);
  const disk_cache::EntryLock lock = cache.lock(lockKeyOf(sources));
  if (auto known = findKnown())
    return std::move(*known);
  forEachSource([&](std::size_t i) { sources[i].key(); });
  auto module = findModule(sources, cache, mayLack);
  // Reading and hashing all headers goes on at the same time.
  std::vector<PendingSource *> expanded;
  for (PendingSource &source : sources)
    if (source.isExpanded())
      expanded.push_back(&source);
  std::future<void> manifests;
  if (!expanded.empty())
    manifests = std::async(std::launch::async, [&expanded] {
      for (PendingSource *const source : expanded)
        source->keepManifest();
    });
  if (!module) {
    module.emplace();
    module->arch = units.front().arch;
    module->name = std::filesystem::path(units.front().path).filename().string();
    std::vector<CompiledObject> objects;
    TileCodeUse use;
    std::vector<Module> compiledSources(sources.size());
    forEachSource([&](std::size_t i) {
      compiledSources[i] = objectOf(sources[i], sources.size() > 1, cache);
    });
    for (Module &object : compiledSources) {
      addCode(object, *module);
      std::ranges::move(object.sources, std::back_inserter(module->sources));
      if (object.object)
        use.add(useOf(*object.object));
      objects.push_back(
          {std::move(object.name), std::move(object.elf), std::move(object.declarations), {}, {}});
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
  if (manifests.valid())
    manifests.get();
  return std::move(*module);
}

} // namespace copse::popc
