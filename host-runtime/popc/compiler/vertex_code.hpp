#pragma once

#include <llvm/IR/Function.h>

namespace copse::popc {

/// Returns true for the entry point of a vertex class, which ipud calls (entry_points.cpp).
inline bool isEntryPoint(const llvm::Function &function) {
  return function.getName().starts_with("__runCodelet_");
}

/// Returns true for a vertex class's compute(), by its mangled name.
inline bool isCompute(const llvm::Function &function) {
  return function.getName().contains("7computeE");
}

/// Returns true if the first parameter is a vertex. This is so for a compute() and for an entry
/// point, into which most compute() are inlined.
inline bool hasVertex(const llvm::Function &function) {
  return function.arg_size() != 0 && (isEntryPoint(function) || isCompute(function));
}

} // namespace copse::popc
