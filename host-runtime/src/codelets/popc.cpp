#include "codelets/popc.hpp"

#include "codelets/arch.hpp"
#include "codelets/assembly_module.hpp"
#include "codelets/module_builder.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>

namespace copse::codelets {
namespace {

namespace fs = std::filesystem;

fs::path absolutePath(const std::string &path, const std::string &directory) {
  return fs::absolute(fs::path(directory) / path).lexically_normal();
}

/// A target that the codelets do not compile for.
struct Failure {
  Arch arch;
  CompileError error;
};

std::vector<Module> readGpFile(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw FileError(path.string() + ": cannot be opened");
  return readGp(in, path.string());
}

} // namespace

std::vector<Module> compileSource(const std::string &source, const std::string &fileName,
                                  const CompileOptions &options) {
  const NativeCompiler compiler;
  const Cache cache;
  TranslationUnit unit;
  unit.source = source;
  unit.path = absolutePath(fileName, options.directory).string();
  unit.directory = absolutePath(".", options.directory).string();
  unit.flags = options.flags;
  unit.nativeIpu = options.nativeIpu;
  std::vector<Module> modules;
  std::vector<Failure> failures;
  for (Arch arch : options.targets) {
    unit.arch = arch;
    try {
      modules.push_back(isAssembly(fileName)
                            ? buildAssemblyModule(unit, fileName.ends_with(".s"), compiler)
                            : buildModule(unit, compiler, cache));
    } catch (const CompileError &error) {
      if (!options.whereverItCompiles)
        throw;
      failures.push_back({arch, error});
    }
  }
  if (modules.empty() && !failures.empty())
    throw failures.front().error;
  for (const Failure &failure : failures)
    std::cerr << failure.error.what() << fileName << ": left out for target "
              << traitsOf(failure.arch).name << "; name the targets with --target\n";
  return modules;
}

std::vector<Module> compileFile(const std::string &path, const CompileOptions &options) {
  const fs::path file = absolutePath(path, options.directory);
  if (file.extension() == ".gp")
    return readGpFile(file);
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file))
    throw FileError(path + ": cannot be opened");
  const std::string source{std::istreambuf_iterator<char>(in), {}};
  return compileSource(source, file.string(), options);
}

} // namespace copse::codelets
