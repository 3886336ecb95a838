#pragma once

#include <llvm/IR/PassManager.h>

namespace copse::popc {

/// Rules of the tile's arithmetic that a compiler does not know.
enum class TileArithmetic {
  /// Halves are rounded to nearest even, and a result that is too large becomes the largest half.
  Saturating,
  /// The program may change the rules while it runs (poplar/CSRFunctions.hpp); until then they are
  /// as with Saturating. The tile is asked how to round, and no division is executed speculatively,
  /// because it could be an event that stops the program.
  OfProgram
};

/// Native arithmetic rounds differently than the tile does. Replaces operations that return halves
/// or vectors of them by calls of functions without a body, such as "copse.fadd.half2"; and so
/// divisions, if a program can make events of them. Passes may simplify the module around the
/// calls, but neither merge two calls nor execute a call earlier.
///
/// The module must be unoptimised output of clang, in which each operation rounds for itself.
class TileOperationsPass : public llvm::PassInfoMixin<TileOperationsPass> {
public:
  explicit TileOperationsPass(TileArithmetic arithmetic) : arithmetic_(arithmetic) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  TileArithmetic arithmetic_;
};

/// Gives the functions of TileOperationsPass bodies that do what TileArithmetic says and that are
/// inlined. Loops are still vectorised, because the program's settings are a word that no store of
/// the module can reach (wire/codelet_abi.hpp, kHalfMaskSymbol).
class TileBodiesPass : public llvm::PassInfoMixin<TileBodiesPass> {
public:
  explicit TileBodiesPass(TileArithmetic arithmetic) : arithmetic_(arithmetic) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  TileArithmetic arithmetic_;
};

} // namespace copse::popc
