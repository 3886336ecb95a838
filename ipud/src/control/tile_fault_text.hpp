#pragma once

#include "isa/tile_processor.hpp"

#include "wire/image.hpp"

#include <string>

namespace copse::ipud {

/// What stopped tile instructions, for people: the exception, the instruction, its address, symbol
/// and source line where the image knows them, and, on lines of their own, the registers.
std::string tileFaultText(const wire::Image &image, const TileFault &fault, std::uint32_t tile);

/// "symbol+0x10 (file.S:7)" of an address of \p tile; empty if the image does not know it.
std::string placeText(const wire::Image &image, std::uint32_t tile, std::uint32_t address);

/// The instruction, or both of a bundle, as the assembly language has them.
std::string instructionText(const std::array<std::uint32_t, 2> &words,
                            wire::Architecture architecture);

} // namespace copse::ipud
