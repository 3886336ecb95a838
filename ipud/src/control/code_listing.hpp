#pragma once

#include "control/tile_fault_text.hpp"

#include "wire/image.hpp"

#include <array>
#include <filesystem>
#include <string>

namespace copse::ipud {

/// Returns a line such as "setzi $a4, 8  symbol+0x10  file.S:7", without unknown parts.
std::string codeText(const std::array<std::uint32_t, 2> &words, const CodePlace &place,
                     wire::Architecture architecture);

/// Writes the tile code of an image as JSON for debuggers: a list of sections with
/// - `tiles` that have the section, and its first `address`;
/// - `names`: addresses by symbol and by "file.S:7";
/// - `code`: for each word, [4 or 8, text] of the instruction or bundle that would begin there.
///   Data between functions make it unknown at which words instructions really begin.
///
/// If the file cannot be written, the debugger says that the code is unknown.
void writeCodeListing(const wire::Image &image, const std::filesystem::path &path);

} // namespace copse::ipud
