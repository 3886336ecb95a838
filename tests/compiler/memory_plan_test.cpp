#include "models.hpp"

#include "compiler/compile.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>

namespace copse::compiler {
namespace {

using graph::Model;
using popc::FieldDirection;
namespace kind = graph::kind;

constexpr std::uint64_t kSmallTile = 0x40000;
/// The size of each of two large variables that do not fit side by side [elements].
constexpr std::uint64_t kLargeElements = kSmallTile / 4 * 3 / 5;

/// A tile with two large variables. The program writes and reads one after the other.
class MemoryPlans : public ::testing::Test {
protected:
  MemoryPlans() : model_(test::emptyModel(1, 1)) {
    model_.modules = {std::make_shared<popc::Module>()};
    const auto writer = test::addVertexType(model_, "Writer", {FieldDirection::Output});
    const auto reader = test::addVertexType(model_, "Reader", {FieldDirection::Input});
    std::vector<graph::ProgramPtr> steps;
    for (const char *name : {"first", "second"}) {
      const auto variable =
          test::addVariable(model_, name, std::vector<std::uint32_t>(kLargeElements, 0));
      for (const auto type : {writer, reader}) {
        const auto set = test::addComputeSet(model_, name);
        test::connect(model_, test::addVertex(model_, set, type, 0), 0,
                      {{variable, 0, kLargeElements, 1}});
        steps.push_back(node(kind::Execute{set, {}}));
      }
    }
    program_ = node(kind::Sequence{std::move(steps)});
  }

  static graph::ProgramPtr node(graph::ProgramKind kind) {
    return std::make_shared<const graph::ProgramNode>(graph::ProgramNode{"", std::move(kind)});
  }
  CompiledProgram compiled(bool sharing, bool mayOverflow, bool checked) const {
    CompileWatch watch;
    unsigned told = 0;
    watch.progress = [&](unsigned percent) {
      EXPECT_GT(percent, told);
      told = percent;
    };
    return compile(
        model_, std::vector{program_}, {0x40000, kSmallTile, 21, 6, sharing, mayOverflow, checked},
        [](std::uint32_t) { return std::nullopt; }, sync::Scheme{}, watch);
  }
  static std::uint64_t bytesOf(const CompiledProgram &program) {
    return program.images.front().geometry.memoryBytes;
  }

  Model model_;
  graph::ProgramPtr program_;
};

TEST_F(MemoryPlans, ShareIfTheProgramFitsOnlySo) {
  EXPECT_EQ(bytesOf(compiled(true, false, false)), kSmallTile);
  EXPECT_THROW(compiled(false, false, false), poplar::graph_memory_allocation_error);
}

TEST_F(MemoryPlans, ShareIfACheckedProgramFitsOnlySo) {
  EXPECT_EQ(bytesOf(compiled(true, false, true)), kSmallTile);
}

TEST_F(MemoryPlans, ShareBeforeACheckedProgramOverflowsItsTiles) {
  EXPECT_GT(bytesOf(compiled(false, true, true)), kSmallTile);
  EXPECT_EQ(bytesOf(compiled(true, true, true)), kSmallTile);
}

} // namespace
} // namespace copse::compiler
