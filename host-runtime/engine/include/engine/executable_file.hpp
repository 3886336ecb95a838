#pragma once

#include "compiler/executable_impl.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

/// The file of an executable: the line "COPSE-EXE 3", a line with the SHA-256 of the body, a line
/// with the size of the body as 16 hexadecimal digits, and the body. The body is a table (CBOR),
/// followed by the parts that it lists: images, their data, and the modules as a .gp file.
namespace copse::engine {

/// Writes an executable. Equal executables give equal bytes.
/// \throws poplar::poplar_error if an image is too large for its format
void writeExecutable(const poplar::Executable::Impl &executable, std::ostream &out);

/// Reads an executable from arbitrary bytes.
/// \throws poplar::file_load_error if \p file is truncated, damaged, of another version, or
///   inconsistent
std::unique_ptr<poplar::Executable::Impl> readExecutable(std::string_view file);

/// Extracts an executable's file from the front of \p in, and leaves the bytes after it there.
/// Returns fewer bytes if \p in ends early.
/// \throws poplar::file_load_error if \p in does not begin with an executable
std::string takeExecutable(std::istream &in);

/// Reads the body of an executable without checking its hash, so that tests can reach the checks
/// that follow.
std::unique_ptr<poplar::Executable::Impl> readExecutableBody(std::string_view body);

/// Returns the part of the file that the hash covers.
std::string_view bodyOf(std::string_view file);

} // namespace copse::engine
