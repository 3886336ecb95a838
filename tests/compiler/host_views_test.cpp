#include "models.hpp"

#include "compiler/compile.hpp"
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

TEST(SplitRow, LetsTheHostRearrangeScatteredElements) {
  // A transposed tensor: columns of the row are contiguous in memory.
  const std::vector<Region> regions{{0, 0x100, 4, 3, 8}, {1, 0x40, 8, 1, 0}, {0, 0x104, 4, 3, 8}};
  const auto views = splitRow(regions, 1, 4, Rearrange::OnHost);
  EXPECT_THAT(views[0].regions,
              ::testing::ElementsAre(Region{0, 0x100, 24, 1, 0}, Region{1, 0x40, 8, 1, 0}));
  EXPECT_THAT(views[0].pieces,
              ::testing::ElementsAre(HostPiece{0, 4}, HostPiece{20, 4}, HostPiece{4, 4},
                                     HostPiece{24, 4}, HostPiece{8, 4}, HostPiece{28, 4},
                                     HostPiece{12, 8}));
  EXPECT_TRUE(isRearranged(views[0]));
  EXPECT_FALSE(isRearranged(splitRow(regions, 1, 4)[0]));
}

/// Compiles two copies of 4 and 2 floats from streams with these split limits, one after another.
CompiledProgram twoCopies(std::uint64_t firstLimit, std::uint64_t secondLimit) {
  graph::Model model = test::emptyModel(1, 2);
  graph::kind::Sequence sequence;
  for (const auto &[elements, limit] : {std::pair(4, firstLimit), {2, secondLimit}}) {
    graph::StreamDef stream;
    stream.handle = "s" + std::to_string(elements);
    stream.elements = static_cast<std::uint64_t>(elements);
    stream.splitLimit = limit;
    const auto x = test::addVariable(model, stream.handle, std::vector<std::uint32_t>(elements, 0));
    graph::kind::StreamCopy copy;
    copy.stream = static_cast<std::uint32_t>(model.streams.size());
    copy.tensor.view = graph::View::ofVariable(x, {stream.elements});
    model.streams.push_back(stream);
    sequence.programs.push_back(std::make_shared<graph::ProgramNode>(graph::ProgramNode{"", copy}));
  }
  const graph::ProgramPtr program =
      std::make_shared<graph::ProgramNode>(graph::ProgramNode{"", sequence});
  return compile(model, {&program, 1}, {0x1000, 4096}, {}, {});
}

TEST(NeighbouringStreamCopies, AreMergedAsFarAsTheSplitLimitGoes) {
  EXPECT_EQ(twoCopies(24, 24).images[0].hostExchanges.size(), 1u);
  EXPECT_EQ(twoCopies(23, 24).images[0].hostExchanges.size(), 2u);
  EXPECT_EQ(twoCopies(24, 23).images[0].hostExchanges.size(), 2u);
  EXPECT_EQ(twoCopies(0, 0).images[0].hostExchanges.size(), 1u) << "0: no limit";
}

TEST(LargeStreamCopies, TakeSeveralHostExchangesOfTheirOwn) {
  const CompiledProgram executable = twoCopies(8, 24);
  const auto &exchanges = executable.images[0].hostExchanges;
  ASSERT_EQ(exchanges.size(), 3u) << "two halves of the first copy, and the second";
  for (const wire::HostExchange &exchange : exchanges) {
    ASSERT_EQ(exchange.transfers.size(), 1u);
    EXPECT_EQ(exchange.transfers[0].view.bytes, 8u);
    EXPECT_EQ(exchange.replicaBytesToDevice, 8u);
  }
  EXPECT_THAT(exchanges[1].transfers[0].view.pieces, ::testing::ElementsAre(HostPiece{8, 8}));
  EXPECT_EQ(exchanges[1].transfers[0].view.rowBytes, 16u);
  EXPECT_EQ(twoCopies(3, 24).images[0].hostExchanges.size(), 5u) << "an element at a time, no less";
}

TEST(CutViews, KeepTheOrderInWhichBytesTravel) {
  // 24 bytes in blocks, 8 at once, on the first IPU; 10 bytes on the second.
  const auto views = splitRow(
      std::vector<Region>{{0, 0x100, 6, 3, 16}, {4, 0x80, 10, 1, 0}, {1, 0x200, 6, 1, 0}}, 2, 4);
  const auto parts = cutViews(views, 14, 2);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_THAT(parts[0][0].regions,
              ::testing::ElementsAre(Region{0, 0x100, 6, 1, 0}, Region{0, 0x110, 2, 1, 0}));
  EXPECT_THAT(parts[1][0].regions,
              ::testing::ElementsAre(Region{0, 0x112, 4, 1, 0}, Region{0, 0x120, 4, 1, 0}));
  EXPECT_THAT(parts[2][0].regions,
              ::testing::ElementsAre(Region{0, 0x124, 2, 1, 0}, Region{1, 0x200, 6, 1, 0}));
  EXPECT_THAT(parts[2][0].pieces, ::testing::ElementsAre(HostPiece{16, 2}, HostPiece{28, 6}));
  EXPECT_THAT(parts[0][1].pieces, ::testing::ElementsAre(HostPiece{18, 8}));
  EXPECT_THAT(parts[1][1].pieces, ::testing::ElementsAre(HostPiece{26, 2}));
  EXPECT_EQ(parts[2][1].bytes, 0u) << "the second IPU is through";
}

} // namespace
} // namespace copse::compiler
