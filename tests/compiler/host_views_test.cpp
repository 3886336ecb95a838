#include "compiler/host_views.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using wire::HostPiece;
using wire::Region;

TEST(SplitRow, GivesOneIpuTheWholeRow) {
  const auto views =
      splitRow(std::vector<Region>{{0, 0x100, 64, 1, 0}, {3, 0x200, 32, 1, 0}}, 1, 4);
  ASSERT_EQ(views.size(), 1u);
  EXPECT_THAT(views[0].pieces, ::testing::ElementsAre(HostPiece{0, 96}));
  EXPECT_EQ(views[0].bytes, 96u);
  EXPECT_EQ(views[0].rowBytes, 96u);
}

TEST(SplitRow, CutsTheRowWhereTheIpuChanges) {
  const auto views = splitRow(
      std::vector<Region>{{0, 0x100, 8, 1, 0}, {5, 0x100, 16, 1, 0}, {1, 0x100, 4, 2, 8}}, 2, 4);
  EXPECT_THAT(views[0].pieces, ::testing::ElementsAre(HostPiece{0, 8}, HostPiece{24, 8}));
  EXPECT_THAT(views[1].pieces, ::testing::ElementsAre(HostPiece{8, 16}));
  EXPECT_EQ(views[1].regions[0].tile, 1u) << "tiles are numbered within their IPU";
  EXPECT_EQ(views[1].rowBytes, 32u) << "every IPU knows the size of the whole row";
}

} // namespace
} // namespace copse::compiler
