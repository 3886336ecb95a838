#pragma once

#include "processor/tile_processor.hpp"

#include "wire/image.hpp"

#include <string>

namespace copse::ipud {

/// Describes a fault in tile code for people: exception, instruction, address, symbol and source
/// line if known, and the registers on lines of their own.
std::string tileFaultText(const wire::Image &image, const TileFault &fault, std::uint32_t tile);

/// Returns a text such as "0x4c010".
std::string hexadecimal(std::uint32_t address);

/// The origin of an address in code; members are empty if unknown.
struct CodePlace {
  std::string symbol; ///< "symbol+0x10"
  std::string source; ///< "file.S:7"
};
CodePlace placeOf(const wire::Image &image, std::uint32_t tile, std::uint32_t address);
/// \param address  lies in \p section
CodePlace placeIn(const wire::CodeSection &section, const wire::Image &image,
                  std::uint32_t address);

/// Returns "symbol+0x10 (file.S:7)", without unknown parts.
std::string placeText(const wire::Image &image, std::uint32_t tile, std::uint32_t address);

/// Returns the instruction, or both instructions of a bundle, in assembly.
std::string instructionText(const std::array<std::uint32_t, 2> &words,
                            wire::Architecture architecture);

/// Returns the mnemonic of an instruction; "(invalid)" if the word is not an instruction.
std::string mnemonicOf(std::uint32_t word, wire::Architecture architecture);

} // namespace copse::ipud
