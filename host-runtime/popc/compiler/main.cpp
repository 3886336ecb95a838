// Makes native objects of one module in LLVM's text, which popc has read from clang's front end and
// writes to the standard input. Its lines on the standard output are "definition SYMBOL",
// "declaration LINE" and "objects NUMBER".
#include "access_checks.hpp"
#include "any_processor.hpp"
#include "builtin_calls.hpp"
#include "clang_backend.hpp"
#include "cycle_counting.hpp"
#include "job.hpp"
#include "module_parts.hpp"
#include "parallel.hpp"
#include "symbols.hpp"
#include "tile_limits.hpp"
#include "tile_operations.hpp"
#include "vertex_in_sight.hpp"

#include "popc/arch.hpp"

#include <exception>
#include <iostream>
#include <iterator>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace copse::popc {
namespace {

using OwnedModule = std::unique_ptr<llvm::Module>;

/// A context whose errors end the program.
class Context {
public:
  Context() { reportMessages(context_, failed_); }

  OwnedModule read(const std::string &text) {
    llvm::SMDiagnostic problem;
    OwnedModule module =
        llvm::parseIR(llvm::MemoryBufferRef(text, "<codelets>"), problem, context_);
    if (module == nullptr) {
      problem.print("codelet-compiler", llvm::errs());
      throw std::runtime_error("");
    }
    return module;
  }
  void checkSuccess() const {
    if (failed_)
      throw std::runtime_error("");
  }

private:
  llvm::LLVMContext context_;
  bool failed_ = false;
};

std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

template <class... Passes> void run(llvm::Module &module, Passes... pass) {
  llvm::ModuleAnalysisManager analyses;
  llvm::PassBuilder().registerModuleAnalyses(analyses);
  llvm::ModulePassManager passes;
  (passes.addPass(std::move(pass)), ...);
  passes.run(module, analyses);
}

void reportLimits(const TileLimitMessages &limits) {
  if (!limits.errors.empty())
    throw std::runtime_error(limits.errors);
  std::cerr << limits.warnings;
}

/// Inserts the code that counts the cycles of the tile. They are counted on code as the tile's
/// compiler would see it: without vectors of this machine, and with the tile's arithmetic as single
/// instructions.
OwnedModule counted(OwnedModule module, const Job &job, Context &context) {
  run(*module, TileOperationsPass(TileArithmetic::OfProgram), BuiltinsApartPass(),
      AnyProcessorPass());
  ClangBackend(job.simplifier).optimise(*module);
  context.checkSuccess();
  TileLimitMessages limits;
  run(*module, TileLimitsPass(job.source, limits));
  reportLimits(limits);
  std::string text = textOf(*module);
  if (job.isCounted)
    text = withCycleCounting(text, job.arch);
  if (!job.checksWithHeaders.empty())
    text = withAccessChecks(text, job.checksWithHeaders);
  module = context.read(text);
  if (job.isDebugged)
    run(*module, VertexInSightPass());
  run(*module, BuiltinsInlinePass(), TileBodiesPass(TileArithmetic::OfProgram));
  return module;
}

void reportSymbols(const llvm::Module &module, const Job &job) {
  for (const std::string &symbol : definitionsIn(module))
    std::cout << "definition " << symbol << '\n';
  if (traitsOf(job.arch).ipuArchVersion == 0)
    return;
  for (const std::string &line : declarationsIn(module))
    std::cout << "declaration " << line << '\n';
}

std::filesystem::path objectOf(const Job &job, std::size_t number) {
  return job.folder / (std::to_string(number) + ".o");
}

/// Generates the objects; a large module is divided.
/// \returns their number
std::size_t writeObjects(OwnedModule module, const Job &job, const Context &context) {
  // Starting another thread takes about as long as 20 KB of text; this much takes 0.2 s.
  constexpr std::size_t kPartBytes = 180'000;
  ClangBackend(job.generator).setProcessOptions();
  const std::vector<std::string> parts = partsOf(textOf(*module), kPartBytes);
  if (parts.size() == 1) {
    ClangBackend(job.generator).writeObject(*module, objectOf(job, 0));
    context.checkSuccess();
    return 1;
  }
  module.reset();
  inParallel(parts.size(), std::cerr, [&](std::size_t i, std::ostream &) {
    Context own;
    ClangBackend(job.generator).writeObject(*own.read(parts[i]), objectOf(job, i));
    own.checkSuccess();
  });
  return parts.size();
}

void work(const Job &job) {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  Context context;
  OwnedModule module = context.read(text);
  if (traitsOf(job.arch).ipuArchVersion != 0)
    module = counted(std::move(module), job, context);
  else if (job.arithmetic)
    run(*module, TileOperationsPass(*job.arithmetic), TileBodiesPass(*job.arithmetic));
  if (job.writesAssembly) {
    ClangBackend generator(job.generator);
    generator.setProcessOptions();
    generator.writeAssembly(*module, job.folder / "assembly");
    return context.checkSuccess();
  }
  reportSymbols(*module, job);
  std::cout << "objects " << writeObjects(std::move(module), job, context) << std::endl;
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
