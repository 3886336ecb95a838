#include "models.hpp"

#include "compiler/compile.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace copse::compiler {
namespace {

using graph::View;
using ::testing::ElementsAre;

/// A grid of 4 rows of 8 floats on each of two tiles, and a row of 8 floats beside each.
class NeighbouringCopies : public ::testing::Test {
protected:
  View row(graph::VariableId grid, std::size_t index) const {
    return View::ofVariable(grid, {4, 8}).slice(index, index + 1, 0);
  }
  View column(graph::VariableId grid, std::size_t index) const {
    return View::ofVariable(grid, {4, 8}).slice(index, index + 1, 1);
  }
  void copy(const std::string &name, const View &from, const View &to) {
    graph::kind::Copy copy;
    copy.source.view = from;
    copy.destination.view = to;
    sequence_.programs.push_back(
        std::make_shared<graph::ProgramNode>(graph::ProgramNode{name, copy}));
  }
  /// Returns the names of the exchanges of all copies.
  std::vector<std::string> exchanges() const {
    const graph::ProgramPtr program =
        std::make_shared<graph::ProgramNode>(graph::ProgramNode{"", sequence_});
    const CompiledProgram compiled = compile(model_, {&program, 1}, {0x1000, 4096}, {}, {});
    std::vector<std::string> names;
    for (const wire::Exchange &exchange : compiled.images[0].exchanges)
      names.push_back(exchange.name);
    return names;
  }

  graph::Model model_ = test::emptyModel(1, 2);
  const graph::VariableId a_ = test::addVariable(model_, "a", std::vector<std::uint32_t>(32, 0));
  const graph::VariableId b_ = test::addVariable(model_, "b", std::vector<std::uint32_t>(32, 1));

private:
  graph::kind::Sequence sequence_;
};

TEST_F(NeighbouringCopies, ShareAnExchangeIfTheyAreIndependent) {
  copy("up", row(a_, 2), row(b_, 0));
  copy("down", row(b_, 1), row(a_, 3));
  EXPECT_THAT(exchanges(), ElementsAre("up, ..."));
}

TEST_F(NeighbouringCopies, AreIndependentInOtherColumnsOfTheSameRows) {
  copy("left", column(a_, 6), column(b_, 0));
  copy("right", column(b_, 1), column(a_, 7));
  copy("again", column(a_, 5), column(b_, 2));
  EXPECT_THAT(exchanges(), ElementsAre("left, ..."));
}

TEST_F(NeighbouringCopies, TakeTheirTurnsIfOneReadsWhatAnotherWrites) {
  copy("first", row(a_, 0), row(b_, 0));
  copy("second", row(b_, 0), row(a_, 1));
  EXPECT_THAT(exchanges(), ElementsAre("first", "second"));
}

TEST_F(NeighbouringCopies, TakeTheirTurnsIfOneWritesWhatAnotherHasRead) {
  copy("first", row(a_, 0), row(b_, 0));
  copy("second", row(b_, 1), row(a_, 0));
  EXPECT_THAT(exchanges(), ElementsAre("first", "second"));
}

TEST_F(NeighbouringCopies, TakeTheirTurnsIfBothWriteTheSame) {
  copy("first", row(a_, 0), row(b_, 0));
  copy("second", row(a_, 1), row(b_, 0));
  copy("third", row(a_, 2), row(b_, 1));
  EXPECT_THAT(exchanges(), ElementsAre("first", "second, ..."));
}

} // namespace
} // namespace copse::compiler
