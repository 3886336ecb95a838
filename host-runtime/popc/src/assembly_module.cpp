#include "assembly_module.hpp"

#include "gp_object.hpp"

#include "assembler/assembler.hpp"
#include "disk_cache/digest.hpp"
#include "popc/arch.hpp"
#include "popc/popc.hpp"

#include <filesystem>

namespace copse::popc {
namespace {

assembler::Object assembledFrom(const TranslationUnit &unit, const std::string &text) {
  try {
    auto result = assembler::assemble(text, unit.path, unit.arch);
    *unit.messages << result.warnings;
    return std::move(result.object);
  } catch (const assembler::AssemblyError &error) {
    throw CompileError(error.what());
  }
}

std::string digestOf(const assembler::Object &object) {
  disk_cache::Digest digest;
  digest.add(objectTable(object).dump());
  for (const assembler::Section &section : object.sections)
    digest.add(section.bytes);
  return digest.finish();
}

} // namespace

bool isAssembly(const std::string &path) {
  const auto extension = std::filesystem::path(path).extension();
  return extension == ".S" || extension == ".s";
}

Module buildAssemblyModule(const TranslationUnit &unit, bool isPreprocessed,
                           const NativeCompiler &compiler) {
  Module module;
  module.arch = unit.arch;
  module.name = std::filesystem::path(unit.path).filename().string();
  if (unit.arch != Architecture::Cpu)
    module.object = std::make_shared<const assembler::Object>(
        assembledFrom(unit, isPreprocessed ? unit.source : compiler.preprocessAssembly(unit)));
  module.sha256 = module.object ? digestOf(*module.object) : disk_cache::sha256(module.elf);
  return module;
}

} // namespace copse::popc
