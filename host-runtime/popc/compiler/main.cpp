// Compiles one source, which popc writes to the standard input, and writes its results to a
// folder: the objects `0.o`, `1.o`, ...; `module.gp` with everything else that is known of the
// module; and `text`, the source with its entry points. Or only `assembly`, native assembly.
#include "access_checks.hpp"
#include "any_processor.hpp"
#include "builtin_calls.hpp"
#include "clang_backend.hpp"
#include "cycle_counting.hpp"
#include "expansion.hpp"
#include "front_end.hpp"
#include "inline_assembly.hpp"
#include "job.hpp"
#include "module_parts.hpp"
#include "object_cache.hpp"
#include "own_builtins.hpp"
#include "parallel.hpp"
#include "run_passes.hpp"
#include "symbols.hpp"
#include "tile_attributes.hpp"
#include "tile_functions.hpp"
#include "tile_limits.hpp"
#include "tile_operations.hpp"
#include "tile_pointers.hpp"
#include "vertex_finder.hpp"
#include "vertex_in_sight.hpp"

#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace copse::popc {
namespace {

using OwnedModule = std::unique_ptr<llvm::Module>;

/// A context whose errors end the program.
class Context {
public:
  Context() { reportMessages(context_, failed_); }

  /// \param code  LLVM's text or bitcode
  OwnedModule read(const std::string &code) {
    llvm::SMDiagnostic problem;
    OwnedModule module =
        llvm::parseIR(llvm::MemoryBufferRef(code, "<codelets>"), problem, context_);
    if (module == nullptr) {
      problem.print("codelet-compiler", llvm::errs());
      throw std::runtime_error("");
    }
    return module;
  }
  llvm::LLVMContext &get() { return context_; }
  void checkSuccess() const {
    if (failed_)
      throw std::runtime_error("");
  }

private:
  llvm::LLVMContext context_;
  bool failed_ = false;
};

void reportLimits(const TileLimitMessages &limits) {
  if (!limits.errors.empty())
    throw std::runtime_error(limits.errors);
  std::cerr << limits.warnings;
}

/// Inserts the code that counts the cycles of the tile. They are counted on code as the tile's
/// compiler would see it: without vectors of this machine, and with the tile's arithmetic as single
/// instructions.
void count(llvm::Module &module, const Job &job, const Context &context) {
  runPasses(module, TileOperationsPass(TileArithmetic::OfProgram), BuiltinsApartPass(),
            AnyProcessorPass());
  ClangBackend(job.simplifier).optimise(module);
  context.checkSuccess();
  TileLimitMessages limits;
  runPasses(module, TileLimitsPass(job.source, limits));
  reportLimits(limits);
  if (job.isCounted)
    runPasses(module, CycleCountingPass(job.arch));
  if (!job.checksWithHeaders.empty())
    runPasses(module, AccessChecksPass(job.checksWithHeaders));
  if (job.isDebugged)
    runPasses(module, VertexInSightPass());
  runPasses(module, BuiltinsInlinePass(), TileBodiesPass(TileArithmetic::OfProgram));
}

bool isOfIpu(const Job &job) { return traitsOf(job.arch).ipuArchVersion != 0; }

/// A source that has become a module, and what is known of it.
struct Codelets {
  OwnedModule module;
  Module table; ///< without code
  std::string text, warnings;
};

/// Warns of inline assembly for supervisors in a source without a supervisor vertex.
std::string warningsOfSupervisor(const std::vector<std::string> &places) {
  std::string text;
  for (const std::string &place : places)
    text += place + ": warning: inline assembly for the supervisor: a worker that gets here stops "
                    "the program; the vertex must be a SupervisorVertex\n";
  return text;
}

/// Replaces what only the tile executes: its instructions, and pointers of 32 bits.
void replaceTileCode(Codelets &codelets, const AssemblySource &source) {
  InlineAssemblyUse use;
  runPasses(*codelets.module, TilePointersPass(), InlineAssemblyPass(source, use));
  if (!use.errors.empty())
    throw std::runtime_error(use.errors);
  std::cerr << use.warnings;
  codelets.table.object = standInFor(use.tileCode, source.architecture);
  if (!source.hasSupervisors)
    codelets.warnings = warningsOfSupervisor(use.supervisorPlaces);
}

Codelets codeletsIn(const std::string &text, const Job &job, Context &context) {
  AssemblySource assembly{{text, {}}, job.arch, false};
  if (isOfIpu(job))
    assembly.expanded = withTileAssembly(text, isInC(job.source));
  SourceToParse source{assembly.expanded.text, job.source, job.arch, job.frontEnd, job.moduleInfo};
  ParsedCode code = parsed(source, context.get());
  Codelets codelets;
  codelets.module = std::move(code.module);
  codelets.text = (isOfIpu(job) ? text : source.text) + code.entries;
  for (FoundVertex &vertex : code.found->vertices)
    codelets.table.vertices.push_back(std::move(vertex.type));
  for (ScalarFunction &function : code.found->functions)
    codelets.table.functions.push_back(std::move(function.symbol));
  if (isOfIpu(job)) {
    assembly.hasSupervisors = std::ranges::any_of(codelets.table.vertices, &VertexType::supervisor);
    replaceTileCode(codelets, assembly);
  }
  codelets.warnings += code.found->warnings;
  return codelets;
}

void describe(const llvm::Module &module, const Job &job, Module &table) {
  table.arch = job.arch;
  table.name = job.source;
  table.definitions = definitionsIn(module);
  if (isOfIpu(job))
    table.declarations = declarationsIn(module);
}

std::filesystem::path objectOf(const Job &job, std::size_t number) {
  return job.folder / (std::to_string(number) + ".o");
}

/// Generates the objects; a large module is divided.
void writeObjects(OwnedModule module, const Job &job, const Context &context) {
  constexpr std::size_t kPartInstructions = 2600; // their code takes 0.2 s
  ClangBackend(job.generator).setProcessOptions();
  const ObjectCache objects(job.generator);
  const std::vector<std::string> parts = partsOf(*module, kPartInstructions);
  if (parts.empty())
    return objects.make(objectOf(job, 0), wholeBitcodeOf(*module), [&] {
      ClangBackend(job.generator).writeObject(*module, objectOf(job, 0));
      context.checkSuccess();
    });
  module.reset();
  inParallel(parts.size(), std::cerr, [&](std::size_t i, std::ostream &) {
    objects.make(objectOf(job, i), parts[i], [&] {
      Context own;
      ClangBackend(job.generator).writeObject(*own.read(parts[i]), objectOf(job, i));
      own.checkSuccess();
    });
  });
}

void write(const Job &job, const std::string &name, const std::string &bytes) {
  std::ofstream out(job.folder / name, std::ios::binary);
  out << bytes;
  if (!out.flush())
    throw std::runtime_error("error: cannot write " + (job.folder / name).string() + "\n");
}

void writeTable(const Job &job, const Codelets &codelets) {
  std::ostringstream table;
  writeGp(table, {codelets.table});
  write(job, "module.gp", table.str());
  write(job, "text", codelets.text);
}

/// Expands the source on the standard input, which follows a line with its size. Its text goes to
/// the standard output. Behind it follow a null, and 'i' if it depends on __IPU__.
std::string expandedInput(const Job &job) {
  std::size_t size = 0;
  std::cin >> size;
  std::cin.get();
  std::string source(size, '\0');
  if (!std::cin.read(source.data(), static_cast<std::streamsize>(size)))
    throw std::runtime_error("error: codelet-compiler: the source is not complete\n");
  Expansion expansion = expanded(source, job.preprocessor, job.headerOfBuiltins);
  std::string text = withOwnBuiltins(withoutTileAttributes(std::move(expansion.text)));
  (std::cout << text << '\0' << (expansion.testsIpu ? 'i' : '-')).flush();
  ::close(STDOUT_FILENO);
  return text;
}

void work(const Job &job) {
  std::string text;
  if (job.preprocessor.empty())
    text.assign(std::istreambuf_iterator<char>(std::cin), {});
  else if (text = expandedInput(job); std::cin.peek() == EOF)
    return; // it need not be compiled
  Context context;
  Codelets codelets;
  if (job.frontEnd.empty()) {
    codelets.module = context.read(text);
    runPasses(*codelets.module, TileFunctionsPass());
  } else {
    codelets = codeletsIn(text, job, context);
  }
  OwnedModule &module = codelets.module;
  if (isOfIpu(job))
    count(*module, job, context);
  else if (job.arithmetic)
    runPasses(*module, TileOperationsPass(*job.arithmetic), TileBodiesPass(*job.arithmetic));
  if (job.writesAssembly) {
    ClangBackend generator(job.generator);
    generator.setProcessOptions();
    generator.writeAssembly(*module, job.folder / "assembly");
    return context.checkSuccess();
  }
  describe(*module, job, codelets.table);
  writeTable(job, codelets);
  writeObjects(std::move(module), job, context);
  std::cerr << codelets.warnings;
}

} // namespace
} // namespace copse::popc

int main(int argc, char **argv) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  try {
    copse::popc::work(copse::popc::jobOf({argv + 1, argv + argc}));
    return 0;
  } catch (const std::exception &error) {
    std::cerr << error.what();
    return 1;
  }
}
