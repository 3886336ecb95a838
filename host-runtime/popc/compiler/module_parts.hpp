#pragma once

#include <cstddef>
#include <llvm/IR/Module.h>
#include <string>
#include <vector>

namespace copse::popc {

/// A large module takes one thread long. Divides a module into parts whose code can be generated in
/// parallel and that are together equivalent to the module. Functions that use each other, and
/// functions that share a variable, stay in one part. Functions that may exist several times
/// (inline functions, helpers whose address is never compared) are copied to each part that needs
/// them. llvm::SplitModule does not serve: a helper that all functions use would keep all of them
/// in one part.
///
/// The parts depend only on the module, so that a source gives identical code on every machine.
/// \param instructions  the size of a part for which another thread pays
/// \returns the parts as LLVM's bitcode, because each thread needs a context of its own; nothing if
///   the module is small or has elements that cannot be divided
std::vector<std::string> partsOf(const llvm::Module &module, std::size_t instructions);

} // namespace copse::popc
