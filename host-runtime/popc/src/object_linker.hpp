#pragma once

#include "disk_cache/private_directory.hpp"
#include "popc/native_compiler.hpp"
#include "popc/popc.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace copse::popc {

/// Objects that cannot be linked.
struct LinkError : CompileError {
  LinkError(const std::string &text, std::vector<std::string> symbols)
      : CompileError(text), missing(std::move(symbols)) {}
  std::vector<std::string> missing; ///< symbols; empty if that is not all that is wrong
};

/// For files of compilers and linkers.
/// \throws CompileError
std::unique_ptr<disk_cache::PrivateDirectory> folderForObjects();

std::vector<std::byte> bytesOf(const std::filesystem::path &file);

/// Several objects as one sequence of bytes, as CompiledObject and the cache keep them.
std::vector<std::byte> packed(const std::vector<std::vector<std::byte>> &objects);

/// Makes one shared object of \p objects, in which nothing may be missing and nothing be there
/// twice.
/// \param clang  its command
/// \param flags  the user's, of which those for the linker count
/// \throws LinkError, which names symbols and sources
std::vector<std::byte> linked(const std::vector<CompiledObject> &objects,
                              const std::vector<std::string> &clang,
                              const std::vector<std::string> &flags);

/// What popc says for a linker's \p messages about files `0.o`, `1.o`, ...: a line for each symbol.
/// \param sources  of these files
std::string explainedByLinker(const std::string &messages, const std::vector<std::string> &sources);

} // namespace copse::popc
