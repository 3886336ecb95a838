#include "region_set.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <utility>

namespace copse::compiler {
namespace {

using wire::Region;

/// The bytes of regions, one by one.
class Bytes {
public:
  void add(const Region &region) {
    each(region, [&](const auto &byte) { bytes_.insert(byte); });
  }
  bool contain(const Region &region) const {
    bool found = false;
    each(region, [&](const auto &byte) { found = found || bytes_.contains(byte); });
    return found;
  }

private:
  static void each(const Region &region, const auto &f) {
    for (std::uint32_t block = 0; block < region.count; ++block)
      for (std::uint32_t byte = 0; byte < region.bytes; ++byte)
        f(std::pair(region.tile,
                    std::int64_t{region.address} + std::int64_t{block} * region.stride + byte));
  }
  std::set<std::pair<std::uint32_t, std::int64_t>> bytes_;
};

/// Returns a region in 200 bytes of one of two tiles.
Region randomRegion(std::mt19937 &random, std::int32_t stride) {
  const auto upTo = [&](std::uint32_t most) { return static_cast<std::uint32_t>(random() % most); };
  Region region{upTo(2), 100 + upTo(100), 1 + upTo(6), 1, 0};
  if (upTo(3) != 0) {
    region.count = 1 + upTo(5);
    region.stride = upTo(2) == 0 ? stride : -stride;
  }
  return region;
}

TEST(RegionSet, IsExactForRegionsOfOneStride) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto stride = static_cast<std::int32_t>(random() % 20);
    RegionSet set;
    Bytes plain;
    for (int i = 0; i < 40; ++i) {
      const Region region = randomRegion(random, stride);
      EXPECT_TRUE(stride == 0 || set.mayContain(region) == plain.contain(region))
          << "seed " << seed << ", region " << i;
      EXPECT_GE(set.mayContain(region), plain.contain(region)) << "seed " << seed;
      set.add(region);
      plain.add(region);
    }
  }
}

TEST(RegionSet, NeverDeniesAByteOfAnyStrides) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    RegionSet set;
    Bytes plain;
    for (int i = 0; i < 100; ++i) {
      const Region region = randomRegion(random, static_cast<std::int32_t>(random() % 20));
      EXPECT_GE(set.mayContain(region), plain.contain(region)) << "seed " << seed;
      set.add(region);
      plain.add(region);
    }
  }
}

TEST(RegionSet, ContainsNoEmptyRegion) {
  RegionSet set;
  set.add({0, 0x100, 0, 1, 0});
  set.add({0, 0x100, 4, 0, 0});
  EXPECT_FALSE(set.mayContain({0, 0, 0x200, 1, 0}));
  set.add({0, 0x100, 4, 1, 0});
  EXPECT_FALSE(set.mayContain({0, 0x100, 4, 0, 0}));
}

} // namespace
} // namespace copse::compiler
