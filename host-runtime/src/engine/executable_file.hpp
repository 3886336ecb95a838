#pragma once

#include "engine/executable_impl.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

/// The file of an executable: the line "COPSE-EXE 1", the SHA-256 of all that follows and a line
/// end, then a table (CBOR) and what it counts: images, their data, and the modules as a .gp file.
namespace copse::engine {

/// Equal executables give equal bytes. \throws poplar::poplar_error if an image is too large for
/// its format
void writeExecutable(const poplar::Executable::Impl &executable, std::ostream &out);

/// Any bytes are safe. \throws poplar::file_load_error if \p file is cut, damaged, of another
/// version, or makes no sense
std::unique_ptr<poplar::Executable::Impl> readExecutable(std::string_view file);

/// As readExecutable() after the check of the hash: for tests of what a hash cannot keep out.
std::unique_ptr<poplar::Executable::Impl> readExecutableBody(std::string_view body);

/// The part of the file that the hash covers.
std::string_view bodyOf(std::string_view file);

} // namespace copse::engine
