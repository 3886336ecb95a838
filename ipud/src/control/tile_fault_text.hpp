#pragma once

#include "processor/tile_processor.hpp"

#include "wire/image.hpp"

#include <string>

namespace copse::ipud {

/// What stopped tile instructions, for people: the exception, the instruction, its address, symbol
/// and source line where the image knows them, and, on lines of their own, the registers.
std::string tileFaultText(const wire::Image &image, const TileFault &fault, std::uint32_t tile);

/// "0x4c010"
std::string hexadecimal(std::uint32_t address);

/// Where an address of code comes from; empty where the image does not know it.
struct CodePlace {
  std::string symbol; ///< "symbol+0x10"
  std::string source; ///< "file.S:7"
};
CodePlace placeOf(const wire::Image &image, std::uint32_t tile, std::uint32_t address);
/// \param address  in \p section
CodePlace placeIn(const wire::CodeSection &section, const wire::Image &image,
                  std::uint32_t address);

/// "symbol+0x10 (file.S:7)", or what of it is known.
std::string placeText(const wire::Image &image, std::uint32_t tile, std::uint32_t address);

/// The instruction, or both of a bundle, as the assembly language has them.
std::string instructionText(const std::array<std::uint32_t, 2> &words,
                            wire::Architecture architecture);

/// The mnemonic of one instruction; "(invalid)" of what is none.
std::string mnemonicOf(std::uint32_t word, wire::Architecture architecture);

} // namespace copse::ipud
