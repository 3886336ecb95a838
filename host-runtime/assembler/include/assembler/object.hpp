#pragma once

#include "isa/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::assembler {

/// How an address goes into the bytes of a section.
enum class RelocationKind : std::uint8_t {
  Bytes1,   ///< the low 8 bits, little endian
  Bytes2,   ///< 16 bits, of data or the immediate of an instruction
  Bytes4,   ///< 32 bits
  Branch19, ///< address >> 2 in the low 19 bits of the word
  Call20,   ///< address >> 2 in the low 20 bits
  Setzi20   ///< the address in the low 20 bits
};

/// The address of a symbol or a section of the object, plus a constant.
struct Relocation {
  std::uint32_t offset = 0; ///< in the section [bytes]
  RelocationKind kind = RelocationKind::Bytes4;
  bool isSection = false; ///< `target` counts sections, else symbols
  std::uint32_t target = 0;
  std::int64_t addend = 0;
  friend bool operator==(const Relocation &, const Relocation &) = default;
};

/// The bytes from `offset` on come from this source line.
struct SourceLine {
  std::uint32_t offset = 0, file = 0, line = 0;
  friend bool operator==(const SourceLine &, const SourceLine &) = default;
};

struct Section {
  std::string name;
  bool isExecutable = false;
  bool isWorkerCode = false; ///< the source says so (FUNCTION_IS_WORKER)
  std::uint32_t align = 1;   ///< [bytes], a power of two
  std::vector<std::byte> bytes;
  std::vector<Relocation> relocations;
  std::vector<SourceLine> lines; ///< ascending by offset
  friend bool operator==(const Section &, const Section &) = default;
};

constexpr std::uint32_t kNoSection = 0xFFFFFFFF; ///< of a symbol that is undefined here
constexpr std::uint32_t kAbsolute = 0xFFFFFFFE;  ///< of a symbol that is a number

struct Symbol {
  std::string name;
  std::uint32_t section = kNoSection; ///< or kNoSection, kAbsolute
  std::uint32_t offset = 0;           ///< in the section [bytes]; the number of an absolute one
  std::uint32_t size = 0;             ///< as .size says [bytes]; 0: unknown
  bool isGlobal = false;
  bool isFunction = false;
  friend bool operator==(const Symbol &, const Symbol &) = default;
};

/// Declared stack use of a function or of a section with functions (guide, 7.3.1).
struct StackUse {
  std::string name;
  std::uint32_t bytes = 0;
  bool isTotal = false; ///< with all that it calls (DEF_STACK_USAGE); else its own alone
  friend bool operator==(const StackUse &, const StackUse &) = default;
};

/// One assembled source: sections, symbols and what a linker needs.
struct Object {
  isa::Architecture architecture = isa::Architecture::Ipu2;
  std::vector<Section> sections;
  std::vector<Symbol> symbols;
  std::vector<StackUse> stackUses;
  std::vector<std::string> files; ///< that SourceLine::file counts
  friend bool operator==(const Object &, const Object &) = default;
};

} // namespace copse::assembler
