#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <utility>

namespace copse::popc {

/// Runs passes on a module, one after the other, with all analyses of LLVM.
template <class... Passes> void runPasses(llvm::Module &module, Passes... pass) {
  llvm::LoopAnalysisManager ofLoops;
  llvm::FunctionAnalysisManager ofFunctions;
  llvm::CGSCCAnalysisManager ofCalls;
  llvm::ModuleAnalysisManager ofModules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(ofModules);
  builder.registerCGSCCAnalyses(ofCalls);
  builder.registerFunctionAnalyses(ofFunctions);
  builder.registerLoopAnalyses(ofLoops);
  builder.crossRegisterProxies(ofLoops, ofFunctions, ofCalls, ofModules);
  llvm::ModulePassManager passes;
  (passes.addPass(std::move(pass)), ...);
  passes.run(module, ofModules);
}

} // namespace copse::popc
