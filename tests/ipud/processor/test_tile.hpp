#pragma once

#include "processor/memory_access.hpp"
#include "processor/tile_processor.hpp"
#include "tile/tile_memory.hpp"

#include "assembler/assembler.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::ipud::test {

inline constexpr std::uint32_t kCode = 0x4C000, kVertex = 0x50000;

/// Returns the translation mode of the environment: ctest runs the tests of tile instructions in
/// both modes.
inline Translation translationUnderTest() {
  const char *const given = std::getenv("TEST_TILE_CODE"); // NOLINT(concurrency-mt-unsafe)
  const bool isInterpreted = given != nullptr && std::string(given) == "interpreted";
  return isInterpreted ? Translation::None : Translation::HotCode;
}

/// Returns how many random operands a test uses that draws up to \p most. The interpreter, which is
/// the reference, is tested with all of them; hot code computes with the same functions, or with
/// few instructions of the host.
inline std::size_t operandsOf(std::size_t most) {
  return translationUnderTest() == Translation::None ? most : most / 8;
}

/// One tile with code from the assembler, and its workers.
class TestTile {
public:
  explicit TestTile(isa::Architecture architecture = isa::Architecture::Ipu2,
                    Translation translation = translationUnderTest())
      : cache(chipOf(architecture), {{kCode, kCode + 0x2000}}, translation),
        processor(cache, 1'000'000) {
    const Chip &chip = cache.chip();
    const auto mapped = memory.map({1, 6, 21, chip.begin, chip.end - chip.begin});
    if (!mapped.ok())
      throw std::runtime_error(mapped.message);
  }

  std::byte *base() { return memory.at(0, 0); }

  /// Assembles \p source and copies its .text to kCode, with 0 elsewhere.
  /// \returns the address after it
  std::uint32_t assemble(const std::string &source) {
    const auto object = assembler::assemble(source, "test.S", cache.chip().architecture).object;
    std::uint32_t at = kCode;
    for (const auto &section : object.sections) {
      if (!section.isExecutable || section.bytes.empty())
        continue;
      std::memcpy(base() + at, section.bytes.data(), section.bytes.size());
      for (const auto &relocation : section.relocations)
        relocate(object, relocation, at);
      at += static_cast<std::uint32_t>(section.bytes.size());
    }
    tile.code.forget();
    return at;
  }
  std::uint32_t assembleProgram(const std::string &name) {
    std::ifstream in(std::string(PROGRAMS) + "/" + name + ".S");
    std::ostringstream text;
    text << in.rdbuf();
    return assemble(text.str());
  }

  void words(std::uint32_t address, const std::vector<std::uint32_t> &values) {
    std::memcpy(base() + address, values.data(), 4 * values.size());
  }
  void floats(std::uint32_t address, const std::vector<float> &values) {
    std::memcpy(base() + address, values.data(), 4 * values.size());
  }
  void halves(std::uint32_t address, const std::vector<std::uint16_t> &values) {
    std::memcpy(base() + address, values.data(), 2 * values.size());
  }
  template <class T = std::uint32_t> std::vector<T> read(std::uint32_t address, std::size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), base() + address, sizeof(T) * count);
    return values;
  }

  /// Runs the code at kCode on a worker.
  TileProcessor::Result run(unsigned worker = 0, std::uint32_t vertex = kVertex) {
    return processor.runWorker(tile, base(), worker, kCode, vertex);
  }
  /// Assembles and runs worker code that ends by itself.
  TileProcessor::Result run(const std::string &source) {
    assemble(".worker\n.align 8\n" + source + "\nexitz $mzero\n");
    return run();
  }

  std::uint32_t m(unsigned i) const { return tile.workers[0].registers.m(i); }
  std::uint32_t a(unsigned i) const { return tile.workers[0].registers.a(i); }
  void setM(unsigned i, std::uint32_t value) { tile.workers[0].registers.m(i) = value; }
  void setA(unsigned i, std::uint32_t value) { tile.workers[0].registers.a(i) = value; }
  float &accumulator(unsigned i) { return tile.workers[0].accumulators[i]; }
  std::uint32_t status() const { return tile.workers[0].fpStatus; }

  TileMemory memory;
  CodeCache cache;
  TileProcessor processor;
  TileContexts tile;

private:
  void relocate(const assembler::Object &object, const assembler::Relocation &r, std::uint32_t at) {
    const std::uint32_t value = kCode + static_cast<std::uint32_t>(r.addend) +
                                (r.isSection ? 0 : object.symbols.at(r.target).offset);
    auto word = loaded<std::uint32_t>(base() + at + r.offset);
    if (r.kind == assembler::RelocationKind::Branch19)
      word |= value >> 2 & 0x7FFFF;
    else if (r.kind == assembler::RelocationKind::Call20)
      word |= value >> 2 & 0xFFFFF;
    else if (r.kind == assembler::RelocationKind::Setzi20)
      word |= value & 0xFFFFF;
    else
      word += value;
    stored(base() + at + r.offset, word);
  }
};

} // namespace copse::ipud::test
