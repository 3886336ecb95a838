#pragma once

#include "assembler/object.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::assembler {

/// Code does not link: a symbol is undefined, or a stack is not declared exactly once.
struct LinkError : std::runtime_error {
  LinkError(const std::string &text, std::string linkerOutput)
      : std::runtime_error(text), output(std::move(linkerOutput)) {}
  std::string output; ///< in the style of a linker
};

/// The memory for linked code.
struct CodeRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;   ///< end of executable memory
  std::uint32_t align = 1; ///< data and code are in different units of this size [bytes]
  /// The addresses for native code, which has no bytes on a tile; one word each.
  std::uint32_t nativeBegin = 0, nativeEnd = 0;
};

/// A native function that tile code refers to, and its address.
struct LinkedNative {
  std::string symbol;
  std::uint32_t address = 0;
  friend bool operator==(const LinkedNative &, const LinkedNative &) = default;
};

/// A section with its address, and its bytes with all relocations applied.
struct LinkedSection {
  const Object *object = nullptr;
  std::uint32_t section = 0; ///< index within the object
  std::uint32_t address = 0;
  std::vector<std::byte> bytes; ///< a whole number of words

  const Section &source() const { return object->sections[section]; }
};

/// The requirements of one entry point.
struct LinkedEntry {
  std::uint32_t address = 0;
  std::uint32_t stackBytes = 0;
  std::uint32_t launchedStackBytes = 0; ///< for a supervisor: the stack of its workers
  /// Indices into LinkedCode of the reachable sections, ascending.
  std::vector<std::uint32_t> sections;
};

/// The linked code of a program. A section has one address wherever it is loaded; each tile has the
/// sections that its vertices need.
struct LinkedCode {
  std::vector<LinkedSection> sections; ///< ascending by address, code before data
  std::vector<LinkedEntry> entries;    ///< in the requested order
  std::vector<LinkedNative> natives;   ///< referred to by the sections, ascending by address
  std::uint32_t end = 0;               ///< end of all sections and of the reserved space after them
};

/// Lays out everything that \p entries reach, and applies relocations. If a source was added
/// twice, its first copy is used.
/// \param objects  must outlive the result
/// \param natives  symbols of native code, without repeats; definitions in objects take precedence
/// \throws LinkError
LinkedCode link(std::span<const Object *const> objects, std::span<const std::string> entries,
                const CodeRange &range, std::span<const std::string> natives = {});

/// Returns true if an object defines \p symbol.
bool defines(std::span<const Object *const> objects, const std::string &symbol);

} // namespace copse::assembler
