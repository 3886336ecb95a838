#include "popc/popc.hpp"

#include "assembly_module.hpp"
#include "completed_modules.hpp"
#include "ipu_model_code.hpp"
#include "module_builder.hpp"
#include "parallel.hpp"
#include "source_unit.hpp"

#include "assembler/linker.hpp"
#include "popc/arch.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;

fs::path absolutePath(const std::string &path, const std::string &directory) {
  return fs::absolute(fs::path(directory) / path).lexically_normal();
}

/// Returns the end of an error message for a missing file. Relative paths refer to the current
/// folder, which may differ from the folder of the program's source.
std::string whereSearched(const std::string &path, const fs::path &file) {
  return fs::path(path).is_absolute() ? "" : "; looked for " + file.string();
}

Source sourceIn(const std::string &path, const std::string &directory) {
  const fs::path file = absolutePath(path, directory);
  if (const std::string why = wire::whyUnreadable(file); !why.empty())
    throw FileError(path + ": cannot be opened: " + why + whereSearched(path, file));
  std::ifstream in(file, std::ios::binary);
  return {{std::istreambuf_iterator<char>(in), {}}, file.string()};
}

/// Builds all sources for one target.
std::vector<Module> builtFor(Architecture arch, const std::vector<Source> &sources,
                             const CompileOptions &options, const NativeCompiler &compiler,
                             const Cache &cache, std::ostream &messages) {
  std::vector<TranslationUnit> cpp;
  std::vector<Module> modules;
  for (const Source &source : sources) {
    TranslationUnit unit = unitOf(source, options, arch, messages);
    if (isAssembly(source.fileName))
      modules.push_back(buildAssemblyModule(unit, source.fileName.ends_with(".s"), compiler));
    else
      cpp.push_back(std::move(unit));
  }
  if (cpp.empty())
    return modules;
  BuiltModule built = buildModule(cpp, compiler, cache, options.mayLackSymbols);
  modules.insert(modules.begin(), std::move(built.module));
  if (options.withIpuModelCode && traitsOf(arch).ipuArchVersion != 0 && built.testsIpu)
    if (auto module = buildIpuModelModule(cpp, compiler, cache))
      modules.push_back(std::move(*module));
  return modules;
}

/// Checks that no vertex has an entry in C++ and another one in assembly, of which only one could
/// run.
void checkEntries(const std::vector<Module> &modules) {
  for (const Module &code : modules)
    for (const Module &assembly : modules) {
      if (!assembly.object || assembly.arch != code.arch || !code.variant.empty())
        continue;
      const assembler::Object *const object = assembly.object.get();
      for (const VertexType &vertex : code.vertices)
        if (!vertex.external && assembler::defines({&object, 1}, vertex.symbol))
          throw CompileError(assembly.name + ": error: duplicate symbol '" + vertex.symbol +
                             "': the vertex '" + vertex.name + "' of " + code.name +
                             " has a compute() in C++; let its member isExternalCodelet be true, "
                             "or leave one of both out\n");
    }
}

/// The modules of all sources for one target, or the reason why they do not compile for it.
struct Built {
  std::vector<Module> modules;
  std::optional<CompileError> error;
};

bool isLeftOutForAllIpus(const std::vector<Architecture> &targets,
                         const std::vector<Built> &built) {
  bool isLeftOut = false;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (traitsOf(targets[i]).ipuArchVersion == 0)
      continue;
    if (!built[i].error)
      return false;
    isLeftOut = true;
  }
  return isLeftOut;
}

std::vector<Module> readGpFile(const fs::path &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw FileError(path.string() + ": cannot be opened: " + why);
  std::ifstream in(path, std::ios::binary);
  return readGp(in, path.string());
}

} // namespace

TranslationUnit unitOf(const Source &source, const CompileOptions &options, Architecture arch,
                       std::ostream &messages) {
  TranslationUnit unit;
  unit.source = source.text;
  unit.path = absolutePath(source.fileName, options.directory).string();
  unit.directory = absolutePath(".", options.directory).string();
  unit.flags = options.flags;
  unit.arch = arch;
  unit.messages = &messages;
  return unit;
}

std::vector<Source> sourcesIn(const std::vector<std::string> &paths, const std::string &directory) {
  std::vector<Source> sources;
  for (const std::string &path : paths)
    sources.push_back(sourceIn(path, directory));
  return sources;
}

std::vector<Module> compileSources(const std::vector<Source> &sources,
                                   const CompileOptions &options) {
  const NativeCompiler compiler;
  const Cache cache;
  std::vector<Built> built(options.targets.size());
  inParallel(built.size(), std::cerr, [&](std::size_t i, std::ostream &messages) {
    try {
      built[i].modules = builtFor(options.targets[i], sources, options, compiler, cache, messages);
    } catch (const CompileError &error) {
      if (!options.whereverItCompiles)
        throw;
      built[i].error = error;
    }
  });
  std::vector<Module> modules;
  for (Built &target : built)
    std::ranges::move(target.modules, std::back_inserter(modules));
  const std::string &name = sources.front().fileName;
  for (std::size_t i = 0; i < built.size(); ++i)
    if (const auto &error = built[i].error) {
      if (modules.empty())
        throw *error;
      std::cerr << error->what() << name << ": left out for target "
                << traitsOf(options.targets[i]).name << "; name the targets with --target\n";
    }
  if (options.whereverItCompiles && isLeftOutForAllIpus(options.targets, built))
    throw CompileError(name +
                       ": error: compiles for no IPU; for CPU targets alone: --target cpu\n");
  return modules;
}

std::vector<Module> compileSource(const std::string &source, const std::string &fileName,
                                  const CompileOptions &options) {
  return compileSources({{source, fileName}}, options);
}

std::vector<Module> compileFiles(const std::vector<std::string> &paths,
                                 const CompileOptions &options) {
  std::vector<Source> sources;
  std::vector<Module> modules;
  std::size_t place = 0; // of the compiled module: the first source's place
  for (const std::string &path : paths) {
    const fs::path file = absolutePath(path, options.directory);
    if (file.extension() == ".gp") {
      for (Module &module : readGpFile(file))
        modules.push_back(std::move(module));
      continue;
    }
    if (sources.empty())
      place = modules.size();
    sources.push_back(sourceIn(path, options.directory));
  }
  if (!sources.empty()) {
    std::vector<Module> compiled = compileSources(sources, options);
    modules.insert(modules.begin() + static_cast<std::ptrdiff_t>(place),
                   std::make_move_iterator(compiled.begin()),
                   std::make_move_iterator(compiled.end()));
  }
  checkEntries(modules);
  complete(modules);
  return modules;
}

std::vector<Module> compileFile(const std::string &path, const CompileOptions &options) {
  return compileFiles({path}, options);
}

} // namespace copse::popc
