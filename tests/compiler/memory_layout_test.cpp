#include "models.hpp"

#include "compiler/compile.hpp"
#include "compiler/memory_layout.hpp"
#include "compiler/memory_layout_json.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <random>

namespace copse::compiler {
namespace {

using graph::Model;
using graph::ProgramPtr;
using popc::FieldDirection;

constexpr std::uint32_t kTiles = 3, kSets = 6;

ProgramPtr nodeOf(graph::ProgramKind kind) {
  auto node = std::make_shared<graph::ProgramNode>();
  node->kind = std::move(kind);
  return node;
}

/// A chain of compute sets on random tiles. Each reads variables of earlier ones and writes one of
/// its own.
struct Chain {
  explicit Chain(unsigned seed) : model(test::emptyModel(1, kTiles)) {
    std::mt19937 random(seed);
    const auto below = [&](std::uint32_t limit) {
      return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
    };
    model.modules = {std::make_shared<popc::Module>()};
    const auto type =
        test::addVertexType(model, "V", {FieldDirection::Input, FieldDirection::Output});
    graph::kind::Sequence sequence;
    std::vector<graph::VariableId> variables{
        test::addVariable(model, "input", std::vector<std::uint32_t>(40, 0))};
    for (std::uint32_t set = 0; set < kSets; ++set) {
      const std::uint32_t tile = below(kTiles);
      const std::uint32_t elements = 20 + below(200);
      variables.push_back(test::addVariable(model, "v" + std::to_string(set),
                                            std::vector<std::uint32_t>(elements, tile)));
      const auto computeSet = test::addComputeSet(model, "set" + std::to_string(set));
      const auto vertex = test::addVertex(model, computeSet, type, tile);
      const graph::VariableId from = variables[below(set + 1)];
      test::connect(model, vertex, 0, {{from, 0, 10 + below(10), 1}});
      test::connect(model, vertex, 1, {{variables.back(), 0, elements, 1}});
      graph::kind::Execute execute;
      execute.computeSet = computeSet;
      sequence.programs.push_back(nodeOf(execute));
    }
    program = nodeOf(std::move(sequence));
  }

  CompiledProgram compiled() const {
    return compile(
        model, std::vector<ProgramPtr>{program}, {0x4C000, 0x9C000, 21, 6, true},
        [](std::uint32_t) { return std::nullopt; }, sync::Scheme{});
  }

  Model model;
  ProgramPtr program;
};

/// Returns true if two items may be needed at the same time.
bool meet(const MemoryLayout &layout, const MemoryItem &a, const MemoryItem &b) {
  if (a.range == LiveRanges::kNever || b.range == LiveRanges::kNever)
    return false;
  if (a.range == LiveRanges::kAlways || b.range == LiveRanges::kAlways)
    return true;
  for (const LiveInterval &x : layout.ranges[a.range])
    for (const LiveInterval &y : layout.ranges[b.range])
      if (x.first <= y.last && y.first <= x.last)
        return true;
  return false;
}

class MemoryLayouts : public ::testing::TestWithParam<unsigned> {
protected:
  MemoryLayouts() : program(Chain(GetParam()).compiled()), layout(program.memory) {}

  CompiledProgram program;
  const MemoryLayout &layout;
};
INSTANTIATE_TEST_SUITE_P(Seeds, MemoryLayouts, ::testing::Range(0u, 8u));

TEST_P(MemoryLayouts, GiveNoByteToTwoItemsThatAreLiveTogether) {
  for (GlobalTile tile = 0; tile < kTiles; ++tile) {
    const auto blocks = layout.blocksOf(tile);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (blocks[j].end() > blocks[i].address) {
          EXPECT_FALSE(meet(layout, layout.items[blocks[i].item], layout.items[blocks[j].item]))
              << layout.items[blocks[i].item].name << ", " << layout.items[blocks[j].item].name;
        }
  }
}

TEST(MemoryLayoutsOfChains, ShareMemory) {
  std::uint64_t shared = 0;
  for (unsigned seed = 0; seed < 8; ++seed) {
    const MemoryLayout layout = Chain(seed).compiled().memory;
    for (const MemoryItem &item : layout.items)
      shared += item.bytes;
    for (GlobalTile tile = 0; tile < kTiles; ++tile)
      for (const std::uint64_t bytes : bytesByUse(layout, tile))
        shared -= bytes;
  }
  EXPECT_GT(shared, 100u) << "else the test above says nothing";
}

TEST_P(MemoryLayouts, KnowTheDataOfVertices) {
  for (std::size_t step = 0; step < layout.stepItems.size(); ++step) {
    if (program.images[0].steps[step].op != wire::Op::ComputeSet)
      continue;
    const std::string own =
        "v" + program.images[0].computeSets[program.images[0].steps[step].index].name.substr(3);
    bool isThere = false;
    for (const std::uint32_t item : layout.stepItems[step]) {
      isThere = isThere || layout.items[item].name == own;
      EXPECT_TRUE(layout.items[item].range == LiveRanges::kAlways ||
                  layout.stepTimes[step] != MemoryLayout::kNoTime);
    }
    EXPECT_TRUE(isThere) << own;
  }
}

TEST_P(MemoryLayouts, HoldTheStatesOfAllVertices) {
  for (const wire::ComputeSet &set : program.images[0].computeSets)
    for (const wire::TileVertices &on : set.tiles)
      EXPECT_TRUE(std::ranges::any_of(layout.blocksOf(on.tile), [&](const MemoryBlock &block) {
        const std::uint32_t state = set.vertices[on.first].address;
        return layout.items[block.item].use == MemoryUse::VertexInstance &&
               block.address <= state && state < block.end();
      }));
  EXPECT_EQ(layout.vertexTypes.at(0).vertices, kSets);
  EXPECT_EQ(layout.vertexTypes.at(0).edgePointers, kSets * 16u);
}

TEST_P(MemoryLayouts, ReadBackFromFiles) {
  std::string bytes;
  nlohmann::json::to_cbor(layoutToJson(layout), bytes);
  const auto json =
      nlohmann::json::from_cbor(bytes, true, true, nlohmann::json::cbor_tag_handler_t::store);
  EXPECT_EQ(layoutFromJson(json), layout);
}

} // namespace
} // namespace copse::compiler
