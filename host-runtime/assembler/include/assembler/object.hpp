#pragma once

#include "isa/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::assembler {

/// How an address is stored in the bytes of a section.
enum class RelocationKind : std::uint8_t {
  Bytes1,   ///< the low 8 bits, little endian
  Bytes2,   ///< 16 bits, of data or the immediate of an instruction
  Bytes4,   ///< 32 bits
  Branch19, ///< address >> 2 in the low 19 bits of the word
  Call20,   ///< address >> 2 in the low 20 bits
  Setzi20   ///< the address in the low 20 bits
};

/// Refers to the address of a symbol or a section of the object, plus a constant.
struct Relocation {
  std::uint32_t offset = 0; ///< in the section [bytes]
  RelocationKind kind = RelocationKind::Bytes4;
  bool isSection = false; ///< `target` is the index of a section, else of a symbol
  std::uint32_t target = 0;
  std::int64_t addend = 0;
  friend bool operator==(const Relocation &, const Relocation &) = default;
};

/// Says that the bytes from `offset` on come from this source line.
struct SourceLine {
  std::uint32_t offset = 0, file = 0, line = 0;
  friend bool operator==(const SourceLine &, const SourceLine &) = default;
};

/// A piece of code or data that the linker places as a whole, at an address that is not known yet.
/// Relocations say where addresses must be filled in.
struct Section {
  std::string name;
  bool isExecutable = false;
  bool isWorkerCode = false; ///< declared in the source (FUNCTION_IS_WORKER)
  std::uint32_t align = 1;   ///< [bytes], a power of two
  std::vector<std::byte> bytes;
  std::vector<Relocation> relocations;
  std::vector<SourceLine> lines; ///< ascending by offset
  friend bool operator==(const Section &, const Section &) = default;
};

constexpr std::uint32_t kNoSection = 0xFFFFFFFF; ///< `section` of a symbol that is undefined here
constexpr std::uint32_t kAbsolute = 0xFFFFFFFE;  ///< `section` of a symbol that is a number

/// A name for an address of a section, for a number, or for something that another object defines.
struct Symbol {
  std::string name;
  std::uint32_t section = kNoSection; ///< or kNoSection, kAbsolute
  std::uint32_t offset = 0;           ///< in the section [bytes]; for kAbsolute, the number
  std::uint32_t size = 0;             ///< from .size [bytes]; 0: unknown
  bool isGlobal = false;
  bool isFunction = false;
  friend bool operator==(const Symbol &, const Symbol &) = default;
};

/// The declared stack use of a function, or of a section with functions (guide, 7.3.1).
struct StackUse {
  std::string name;
  std::uint32_t bytes = 0;
  /// Includes called functions (DEF_STACK_USAGE); otherwise its own use only.
  bool isTotal = false;
  friend bool operator==(const StackUse &, const StackUse &) = default;
};

/// One assembled source: sections, symbols, and data for the linker.
struct Object {
  isa::Architecture architecture = isa::Architecture::Ipu2;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::vector<StackUse> stackUses;
  std::vector<std::string> files; ///< indexed by SourceLine::file
  friend bool operator==(const Object &, const Object &) = default;
};

} // namespace copse::assembler
