#pragma once

#include "compiler/executable_impl.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>

/// The file of an executable: the line "COPSE-EXE 3", a line with the SHA-256 of the body, a line
/// with the body's size as 16 hexadecimal digits, and the body: a table (CBOR) and what it counts,
/// which is images, their data, and the modules as a .gp file.
namespace copse::engine {

/// Equal executables give equal bytes.
/// \throws poplar::poplar_error if an image is too large for its format
void writeExecutable(const poplar::Executable::Impl &executable, std::ostream &out);

/// Any bytes are safe.
/// \throws poplar::file_load_error if \p file is cut, damaged, of another version, or makes no
///   sense
std::unique_ptr<poplar::Executable::Impl> readExecutable(std::string_view file);

/// The bytes of a file that stands at the front of \p in; what follows them is left there. Reads
/// less if there is less.
/// \throws poplar::file_load_error if they do not begin as an executable
std::string takeExecutable(std::istream &in);

/// As readExecutable() after the check of the hash: for tests of what a hash cannot keep out.
std::unique_ptr<poplar::Executable::Impl> readExecutableBody(std::string_view body);

/// The part of the file that the hash covers.
std::string_view bodyOf(std::string_view file);

} // namespace copse::engine
