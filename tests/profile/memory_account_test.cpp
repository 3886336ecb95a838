#include "profile/memory_account.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace copse::profile {
namespace {

constexpr std::uint32_t kBase = 0x1000, kBytes = 600;
constexpr MemoryBounds kBounds{kBase + 200, kBase + 450};

/// Returns one tile with \p blocks blocks of random items anywhere in 600 bytes. Blocks of one item
/// do not overlap.
compiler::MemoryLayout randomLayout(std::mt19937 &random, unsigned blocks) {
  const auto below = [&](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  compiler::MemoryLayout layout;
  for (unsigned i = 0; i < blocks; ++i) {
    const std::uint32_t begin = below(kBytes - 1),
                        bytes = 1 + below(std::min(100u, kBytes - begin));
    layout.items.push_back({"", static_cast<MemoryUse>(below(kMemoryUses)), "", {}});
    layout.blocks.push_back({i, kBase + begin, bytes});
  }
  std::ranges::stable_sort(layout.blocks, {}, &compiler::MemoryBlock::address);
  layout.firstBlock = {0, blocks};
  layout.bytesWithGaps = {kBytes};
  return layout;
}

std::size_t regionOf(std::uint32_t address) {
  return address < kBounds.interleaved ? 0 : address < kBounds.end ? 1 : 2;
}

/// Computes the account byte by byte.
MemoryAccount plainAccount(const compiler::MemoryLayout &layout) {
  MemoryAccount account;
  account.withGaps = kBytes;
  for (std::uint32_t address = kBase; address < kBase + kBytes; ++address) {
    std::vector<MemoryUse> uses;
    for (const compiler::MemoryBlock &block : layout.blocks)
      if (address >= block.address && address < block.end())
        uses.push_back(layout.items[block.item].use);
    const std::size_t region = regionOf(address);
    account.once.bytes[region] += uses.size() == 1;
    account.shared.bytes[region] += uses.size() > 1;
    for (const MemoryUse use : uses) {
      UseBytes &of = account.uses[static_cast<std::size_t>(use)];
      ++(uses.size() == 1 ? of.notOverlapped : of.overlapped).bytes[region];
    }
  }
  return account;
}

void expectEqual(const MemoryAccount &a, const MemoryAccount &b) {
  EXPECT_EQ(a.once.bytes, b.once.bytes);
  EXPECT_EQ(a.shared.bytes, b.shared.bytes);
  EXPECT_EQ(a.withGaps, b.withGaps);
  for (std::size_t use = 0; use < kMemoryUses; ++use) {
    EXPECT_EQ(a.uses[use].notOverlapped.bytes, b.uses[use].notOverlapped.bytes);
    EXPECT_EQ(a.uses[use].overlapped.bytes, b.uses[use].overlapped.bytes);
  }
}

TEST(MemoryAccounts, AgreeWithACountOfBytes) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 200; ++round) {
    const auto layout = randomLayout(random, round % 20);
    expectEqual(accountOfTile(layout, 0, kBounds), plainAccount(layout));
  }
}

TEST(MemoryAccounts, AddUp) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 50; ++round) {
    const auto layout = randomLayout(random, 15);
    const MemoryAccount account = accountOfTile(layout, 0, kBounds);
    std::uint64_t notOverlapped = 0, byUse = 0;
    for (const UseBytes &use : account.uses)
      notOverlapped += use.notOverlapped.total();
    EXPECT_EQ(notOverlapped, account.once.total());
    for (const std::uint64_t bytes : compiler::bytesByUse(layout, 0))
      byUse += bytes;
    EXPECT_EQ(byUse, account.withoutGaps()) << "each byte counts once";
    EXPECT_LE(account.withoutGaps(), account.withGaps);
  }
}

TEST(MemoryAccounts, KnowNoInterleavedMemoryOnACpu) {
  std::mt19937 random(3);
  const MemoryAccount account = accountOfTile(randomLayout(random, 15), 0, {});
  EXPECT_EQ(account.once.bytes[1] + account.shared.bytes[1], 0u);
  EXPECT_EQ(account.once.bytes[2] + account.shared.bytes[2], 0u);
}

} // namespace
} // namespace copse::profile
