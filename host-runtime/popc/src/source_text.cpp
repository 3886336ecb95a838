#include "source_text.hpp"

#include "assembly_module.hpp"
#include "module_builder.hpp"
#include "source_unit.hpp"

#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"

#include <iostream>
#include <optional>

namespace copse::popc {
namespace {

std::string textOf(const TranslationUnit &unit, const NativeCompiler &compiler, SourceText kind) {
  if (isAssembly(unit.path))
    return unit.path.ends_with(".s") ? unit.source : compiler.preprocessAssembly(unit);
  return kind == SourceText::Assembly ? compiler.assembly(unit) : compiler.expanded(unit);
}

} // namespace

std::string textOf(const std::vector<Source> &sources, const CompileOptions &options,
                   SourceText kind) {
  const NativeCompiler compiler;
  const bool isOne = sources.size() * options.targets.size() == 1;
  std::string text;
  std::optional<CompileError> failure;
  for (const Architecture arch : options.targets)
    for (const Source &source : sources) {
      const std::string title = source.fileName + " for " + std::string(traitsOf(arch).name);
      try {
        const std::string one = textOf(unitOf(source, options, arch, std::cerr), compiler, kind);
        text += (isOne ? "" : (kind == SourceText::Assembly ? "# " : "// ") + title + "\n") + one;
      } catch (const CompileError &error) {
        if (!options.whereverItCompiles)
          throw;
        failure = error;
      }
    }
  if (failure && text.empty())
    throw *failure;
  return text;
}

} // namespace copse::popc
