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

/// Reports objects that cannot be linked.
struct LinkError : CompileError {
  LinkError(const std::string &text, std::vector<std::string> symbols)
      : CompileError(text), missing(std::move(symbols)) {}
  std::vector<std::string> missing; ///< missing symbols; empty if there are other errors, too
};

/// Makes a temporary folder for files of compilers and linkers.
/// \throws CompileError
std::unique_ptr<disk_cache::PrivateDirectory> folderForObjects();

std::vector<std::byte> bytesOf(const std::filesystem::path &file);

/// Joins several objects to one sequence of bytes, as CompiledObject and the cache keep them.
std::vector<std::byte> packed(const std::vector<std::vector<std::byte>> &objects);

/// Links \p objects into one shared object. No symbol may be missing or defined twice.
/// \param clang  the command that calls the linker
/// \param flags  the user's; only flags for the linker matter
/// \throws LinkError  which names symbols and sources
std::vector<std::byte> linked(const std::vector<CompiledObject> &objects,
                              const std::vector<std::string> &clang,
                              const std::vector<std::string> &flags);

/// Translates a linker's \p messages about the files `0.o`, `1.o`, ... into one line for each
/// symbol.
/// \param sources  the sources of these files
std::string explainedByLinker(const std::string &messages, const std::vector<std::string> &sources);

} // namespace copse::popc
