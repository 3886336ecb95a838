#pragma once

#include "assembler/object.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::assembler {

/// Code that does not link: something is undefined, or a stack is not declared once.
struct LinkError : std::runtime_error {
  LinkError(const std::string &text, std::string linkerOutput)
      : std::runtime_error(text), output(std::move(linkerOutput)) {}
  std::string output; ///< as a linker says it
};

/// Where linked code goes.
struct CodeRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;   ///< of executable memory
  std::uint32_t align = 1; ///< data stand in another unit of this size than code [bytes]
  /// Addresses for native code, which has no bytes on a tile: a word each.
  std::uint32_t nativeBegin = 0, nativeEnd = 0;
};

/// Native code that tile code goes to, and where it finds it.
struct LinkedNative {
  std::string symbol;
  std::uint32_t address = 0;
  friend bool operator==(const LinkedNative &, const LinkedNative &) = default;
};

/// A section with its address and its bytes with all addresses filled in.
struct LinkedSection {
  const Object *object = nullptr;
  std::uint32_t section = 0; ///< of the object
  std::uint32_t address = 0;
  std::vector<std::byte> bytes; ///< a whole number of words

  const Section &source() const { return object->sections[section]; }
};

/// What one entry point needs.
struct LinkedEntry {
  std::uint32_t address = 0;
  std::uint32_t stackBytes = 0;
  std::uint32_t launchedStackBytes = 0; ///< of a supervisor's: what its workers need
  std::vector<std::uint32_t> sections;  ///< of LinkedCode that it can reach, ascending
};

/// The code of a program. A section has one address wherever it is loaded; a tile has those
/// sections that its vertices need.
struct LinkedCode {
  std::vector<LinkedSection> sections; ///< ascending by address, code before data
  std::vector<LinkedEntry> entries;    ///< in the order asked for
  std::vector<LinkedNative> natives;   ///< that the sections name, ascending by address
  std::uint32_t end = 0;               ///< address behind all sections and the space after them
};

/// Lays out what \p entries reach and fills addresses in. Of a source that was added twice the
/// first counts.
/// \param objects  must outlive the result
/// \param natives  symbols that native code has, without repeats; what an object defines counts
///   before them
/// \throws LinkError
LinkedCode link(std::span<const Object *const> objects, std::span<const std::string> entries,
                const CodeRange &range, std::span<const std::string> natives = {});

/// Whether some object defines \p symbol.
bool defines(std::span<const Object *const> objects, const std::string &symbol);

} // namespace copse::assembler
