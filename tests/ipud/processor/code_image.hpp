#pragma once

#include "../image_builder.hpp"

#include "assembler/assembler.hpp"

#include <string>

namespace copse::ipud::test {

inline constexpr std::uint32_t kEntry = 0x4C000, kState = 0x50000, kData = 0x54000;

/// Builds an image whose code is \p source, on all of \p tiles tiles.
class CodeImage : public ImageBuilder {
public:
  CodeImage(std::uint32_t tiles, const std::string &source) : ImageBuilder(tiles) {
    const auto object = assembler::assemble(source, "work.S", isa::Architecture::Ipu2).object;
    image.architecture = wire::Architecture::Ipu2;
    image.sourceFiles = object.files;
    image.stacks.assign(7, 0xE0000);
    for (const auto &section : object.sections) {
      if (!section.isExecutable || section.bytes.empty())
        continue;
      auto &code = image.code.emplace_back();
      code.address = kEntry;
      code.bytes = static_cast<std::uint32_t>(section.bytes.size());
      code.offset = image.data.size();
      image.data.insert(image.data.end(), section.bytes.begin(), section.bytes.end());
      for (std::uint32_t tile = 0; tile < tiles; ++tile)
        code.tiles.push_back(tile);
      code.symbols = {{"work", kEntry, code.bytes}};
      for (const auto &line : section.lines)
        code.lines.push_back({kEntry + line.offset, line.file, line.line});
    }
  }
  std::uint32_t tileFunction(wire::CodeKind kind, bool multiVertex = false) {
    image.functions.push_back({0, "work", "Work", multiVertex, kind, kEntry});
    return static_cast<std::uint32_t>(image.functions.size() - 1);
  }
};

} // namespace copse::ipud::test
