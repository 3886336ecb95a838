#include "image_builder.hpp"
#include "sanitizers.hpp"
#include "tile/tile_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace copse::ipud {
namespace {

using test::geometry;
using test::kBase;
using test::kMemoryBytes;

std::uint64_t residentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:"))
      return std::stoull(line.substr(6)) * 1024;
  return 0;
}

/// Returns the permissions of the mapping that contains \p address, as in /proc/self/maps; empty if
/// there is no such mapping.
std::string permissions(const void *address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto dash = line.find('-'), space = line.find(' ');
    const auto from = std::stoull(line.substr(0, dash), nullptr, 16);
    const auto to = std::stoull(line.substr(dash + 1, space - dash - 1), nullptr, 16);
    if (wanted >= from && wanted < to)
      return line.substr(space + 1, 4);
  }
  return "";
}

TEST(TileMemory, EverySlotIsAlignedToItsSize) {
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(3)).ok());
  for (std::uint32_t tile = 0; tile < 3; ++tile) {
    const auto slot = reinterpret_cast<std::uintptr_t>(memory.at(tile, 0));
    EXPECT_EQ(slot % (1U << 21), 0U);
    EXPECT_EQ(slot,
              reinterpret_cast<std::uintptr_t>(memory.at(0, 0)) + (std::uintptr_t{tile} << 21));
  }
}

TEST(TileMemory, OnlyThePopulatedRangeCanBeAccessed) {
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(2)).ok());
  for (std::uint32_t tile = 0; tile < 2; ++tile) {
    EXPECT_EQ(permissions(memory.at(tile, 0)), "---p");
    EXPECT_EQ(permissions(memory.at(tile, kBase - 1)), "---p");
    EXPECT_EQ(permissions(memory.at(tile, kBase)), "rw-p");
    EXPECT_EQ(permissions(memory.at(tile, kBase + kMemoryBytes - 1)), "rw-p");
    EXPECT_EQ(permissions(memory.at(tile, kBase + kMemoryBytes)), "---p");
  }
}

TEST(TileMemory, IsMappedOnlyOnUsedTiles) {
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(3), {true, false, true}).ok());
  EXPECT_EQ(permissions(memory.at(0, kBase)), "rw-p");
  EXPECT_EQ(permissions(memory.at(1, kBase)), "---p");
  EXPECT_EQ(permissions(memory.at(2, kBase)), "rw-p");
  EXPECT_FALSE(memory.populated(1, kBase, 1));
  ASSERT_TRUE(memory.map(geometry(3), {false, true, true}).ok());
  EXPECT_EQ(permissions(memory.at(0, kBase)), "---p");
  EXPECT_EQ(permissions(memory.at(1, kBase)), "rw-p");
}

TEST(TileMemory, FitsForManyWholeIpusInOneProcess) {
  std::vector<TileMemory> ipus(64); // each would take 2,944 of the 65,530 mappings there are
  std::vector<bool> used(1472, false);
  used[0] = used[700] = true;
  for (TileMemory &memory : ipus)
    ASSERT_TRUE(memory.map(geometry(1472), used).ok());
}

TEST(TileMemory, LocatesNativeAddresses) {
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(4)).ok());
  wire::TileAddress where;
  ASSERT_TRUE(memory.locate(memory.at(3, 0x50004), where));
  EXPECT_EQ(where, (wire::TileAddress{3, 0x50004}));
  EXPECT_FALSE(memory.locate(memory.at(4, 0), where));
  EXPECT_FALSE(memory.locate(nullptr, where));
}

TEST(TileMemory, KnowsThePopulatedRange) {
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(2)).ok());
  EXPECT_TRUE(memory.populated(1, kBase, kMemoryBytes));
  EXPECT_FALSE(memory.populated(1, kBase, kMemoryBytes + 1));
  EXPECT_FALSE(memory.populated(1, kBase - 1, 1));
  EXPECT_FALSE(memory.populated(1, kBase + kMemoryBytes, 1));
  EXPECT_FALSE(memory.populated(2, kBase, 1));
  EXPECT_FALSE(memory.populated(1, kBase + 8, UINT64_MAX));
}

TEST(TileMemory, IsZeroAfterEachMap) {
  TileMemory memory;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(memory.map(geometry(2)).ok());
    EXPECT_EQ(memory.readWord({1, kBase + 100}), 0U);
    memory.writeWord({1, kBase + 100}, 7);
  }
}

TEST(TileMemory, AcceptsAnotherGeometry) {
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(2)).ok());
  wire::TileGeometry cpu;
  cpu.tiles = 2;
  cpu.slotBits = 32;
  cpu.memoryBase = 0x1000;
  cpu.memoryBytes = 0x8000'0000;
  ASSERT_TRUE(memory.map(cpu).ok());
  memory.writeWord({1, 0x8000'0000}, 5);
  EXPECT_EQ(memory.readWord({1, 0x8000'0000}), 5U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.at(1, 0)) % (std::uintptr_t{1} << 32), 0U);
}

TEST(TileMemory, ReportsATooSmallAddressSpace) {
  TileMemory memory;
  auto g = geometry(1 << 20);
  g.slotBits = 32;
  const auto status = memory.map(g);
  EXPECT_EQ(status.code, wire::Code::OutOfMemory);
  EXPECT_NE(status.message.find("1048576 tiles"), std::string::npos) << status.message;
  EXPECT_TRUE(memory.map(geometry(1)).ok()); // still usable
}

TEST(TileMemory, AWholeIdleIpuIsHardlyResident) {
  if (copse::test::kThreadSanitizer)
    GTEST_SKIP() << "thread sanitizer's shadow memory is resident, too";
  const auto before = residentBytes();
  TileMemory memory;
  ASSERT_TRUE(memory.map(geometry(1472)).ok());
  for (std::uint32_t tile = 0; tile < 1472; ++tile)
    memory.writeWord({tile, kBase + 64}, tile); // like an image's initial data
  // A page of data and one of page table per tile.
  EXPECT_LT(residentBytes() - before, 16U << 20);
  memory.clear();
  EXPECT_LT(residentBytes() - before, 2U << 20);
}

} // namespace
} // namespace copse::ipud
