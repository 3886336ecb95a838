#include "models.hpp"

#include "compiler/compile.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using graph::Model;
using popc::FieldDirection;
using ::testing::HasSubstr;

constexpr std::uint32_t kMemoryBytes = 0x9C000;

/// Returns a model of three tiles. Compute set "first" has vertices on tiles 1 and 2, "second"
/// three on tile 2 between others, and "third" no vertices.
Model sample(std::size_t elementsOnTile2 = 4) {
  Model model = test::emptyModel(1, 3);
  model.modules = {std::make_shared<popc::Module>()};
  const auto type = test::addVertexType(model, "V", {FieldDirection::Output});
  const auto first = test::addComputeSet(model, "first"),
             second = test::addComputeSet(model, "second");
  test::addComputeSet(model, "third");
  std::vector<std::uint32_t> tiles(elementsOnTile2, 2);
  tiles.push_back(1);
  const auto data = test::addVariable(model, "data", tiles);
  std::uint64_t element = 0;
  const auto add = [&](std::uint32_t set, std::uint32_t tile, std::uint64_t at) {
    test::connect(model, test::addVertex(model, set, type, tile), 0, {{data, at, 1, 1}});
  };
  for (const std::uint32_t set : {first, second, second, second})
    add(set, 2, element++);
  add(first, 1, elementsOnTile2);
  return model;
}

/// Compiles \p model with a program for each compute set of \p executed.
CompiledProgram compiled(const Model &model,
                         const std::vector<std::uint32_t> &executed = {0, 1, 2}) {
  std::vector<graph::ProgramPtr> programs;
  for (const std::uint32_t set : executed)
    programs.push_back(std::make_shared<const graph::ProgramNode>(
        graph::ProgramNode{"", graph::kind::Execute{set, {}}}));
  return compile(
      model, programs, {0x4C000, kMemoryBytes, 21, 6, false},
      [](std::uint32_t) { return std::nullopt; }, sync::Scheme{});
}

/// Returns the bytes of control code on a tile; on tile 0, with the words on which steps depend.
std::uint64_t controlBytes(const CompiledProgram &program, GlobalTile tile) {
  return bytesByUse(program.memory, tile)[static_cast<std::size_t>(MemoryUse::ControlCode)];
}

TEST(ControlCode, TakesMemoryForComputeSetsAndVerticesOfATile) {
  const CompiledProgram program = compiled(sample());
  EXPECT_EQ(controlBytes(program, 1), 32u + 4);
  EXPECT_EQ(controlBytes(program, 2), 2 * 32u + 4 * 4);
}

TEST(ControlCode, IsMissingForUnusedComputeSets) {
  const CompiledProgram program = compiled(sample(), {0});
  EXPECT_EQ(controlBytes(program, 1), 32u + 4);
  EXPECT_EQ(controlBytes(program, 2), 32u + 4);
  EXPECT_TRUE(program.images[0].computeSets[1].vertices.empty());
}

TEST(ControlCode, IsMissingOnACpu) {
  Model model = sample();
  model.arch = popc::Architecture::Cpu;
  EXPECT_EQ(controlBytes(compiled(model), 2), 0u);
}

TEST(ControlCode, MovesNothing) {
  const Model model = sample();
  const CompiledProgram program = compiled(model);
  Model cpu = model;
  cpu.arch = popc::Architecture::Cpu;
  const CompiledProgram without = compiled(cpu);
  ASSERT_EQ(program.images[0].computeSets.size(), without.images[0].computeSets.size());
  for (std::size_t set = 0; set < 2; ++set)
    EXPECT_EQ(program.images[0].computeSets[set].vertices,
              without.images[0].computeSets[set].vertices);
  EXPECT_EQ(program.images[0].initial, without.images[0].initial);
}

TEST(ControlCode, CountsWhereMemoryIsFull) {
  // Four vertex states of 8 bytes, 80 bytes of control code, and the bytes that loads may read past
  // the end.
  const std::size_t fits = (kMemoryBytes - 4 * 8 - 80 - 32) / 4;
  EXPECT_NO_THROW(compiled(sample(fits)));
  try {
    compiled(sample(fits + 1));
    FAIL() << "there is no room for control code";
  } catch (const poplar::graph_memory_allocation_error &error) {
    EXPECT_THAT(error.what(), HasSubstr("tile 2"));
    EXPECT_THAT(error.what(), HasSubstr("80 control"));
  }
}

} // namespace
} // namespace copse::compiler
