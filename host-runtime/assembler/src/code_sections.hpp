#pragma once

#include "isa/instruction.hpp"

#include "assembler/diagnostics.hpp"
#include "assembler/object.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// An instruction or a bundle of a section.
struct Issued {
  std::uint32_t offset = 0;
  std::uint8_t bytes = 4;                                              ///< 8: a bundle
  isa::Opcode main = isa::Opcode::Invalid, aux = isa::Opcode::Invalid; ///< Invalid: none
  Location at;
};

/// A section under construction.
struct SectionDraft {
  Section section;
  std::vector<Issued> issued; ///< ascending by offset

  std::uint32_t size() const { return static_cast<std::uint32_t>(section.bytes.size()); }
  void append(std::uint64_t value, unsigned bytes);
  void fill(std::uint64_t bytes, std::uint8_t with);
  /// Pads to a multiple of \p align: with `nop` in code, with zeros elsewhere.
  void alignTo(std::uint32_t align);
  std::uint32_t wordAt(std::uint32_t offset) const;
  void setWord(std::uint32_t offset, std::uint32_t word);
};

/// A rpt whose body is checked once the body is complete.
struct RepeatBody {
  std::uint32_t section = 0;
  std::uint32_t word = 0;  ///< offset of the rpt itself
  std::uint32_t begin = 0; ///< offset of the body
  Location at;
};

/// Reports errors in the body: alignment, size, forbidden instructions.
/// \param bundles  number of bundles in the body
void checkRepeatBody(const RepeatBody &repeat, std::uint32_t bundles, const SectionDraft &draft,
                     Diagnostics &diagnostics);

} // namespace copse::assembler
