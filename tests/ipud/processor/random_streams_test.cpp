#include "test_tile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace copse::ipud {
namespace {

using test::kCode;

/// Returns words that are mostly instructions, among them many bundles.
class RandomCode {
public:
  explicit RandomCode(unsigned seed) : random_(seed) {}

  std::vector<std::uint32_t> make(std::size_t count) {
    std::vector<std::uint32_t> words;
    while (words.size() < count) {
      const std::uint32_t kind = random_() % 8;
      if (kind == 0)
        words.push_back(random_());
      else if (kind < 4)
        words.push_back(instruction(false));
      else {
        words.push_back(instruction(false) | isa::kBundleBit);
        words.push_back(instruction(true) | isa::kBundleBit);
      }
    }
    return words;
  }

private:
  std::uint32_t instruction(bool aux) {
    while (true) {
      const auto &info = isa::infoOf(static_cast<isa::Opcode>(random_() % isa::kOpcodes));
      if (aux == info.isAux() && info.isLegalIn(isa::Context::Worker))
        return info.value | (random_() & ~info.mask & ~isa::kBundleBit);
    }
  }
  std::mt19937 random_;
};

TEST(TileRandomStreams, StayOnTheirTile) {
  // Three tiles; the middle one runs, and its neighbours' bytes must not change.
  TileMemory memory;
  const Chip chip = chipOf(isa::Architecture::Ipu21);
  ASSERT_TRUE(memory.map({3, 6, 21, chip.begin, chip.end - chip.begin}).ok());
  for (const unsigned tile : {0U, 2U})
    std::fill_n(memory.at(tile, chip.begin), chip.end - chip.begin, std::byte{0xA5});
  std::mt19937 random(7);
  std::uint64_t issues = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    CodeCache cache(chip, {{kCode, kCode + 0x1000}});
    TileProcessor processor(cache, 300);
    TileContexts tile;
    const auto words = RandomCode(seed).make(1024);
    std::memcpy(memory.at(1, kCode), words.data(), 4096);
    for (auto &worker : tile.workers)
      for (unsigned i = 0; i < 12; ++i)
        worker.registers.m(i) = random() % 2 == 0 ? chip.begin + random() % 0x9C000 / 16 * 16
                                                  : static_cast<std::uint32_t>(random());
    tile.initialControl = random() % 2 == 0 ? 0 : random() & 0x180007;
    for (unsigned start = 0; start < 8; ++start)
      issues +=
          processor
              .runWorker(tile, memory.at(1, 0), start % 6, kCode + 4 * (random() % 1024), 0x60000)
              .issues;
    processor.runSupervisor(tile, memory.at(1, 0), 1, kCode + 4 * (random() % 1024), 0x60000,
                            0x70000);
  }
  EXPECT_GT(issues, 500U); // they do run
  for (const unsigned tile : {0U, 2U})
    EXPECT_TRUE(std::all_of(memory.at(tile, chip.begin),
                            memory.at(tile, chip.begin) + (chip.end - chip.begin),
                            [](std::byte b) { return b == std::byte{0xA5}; }));
}

} // namespace
} // namespace copse::ipud
