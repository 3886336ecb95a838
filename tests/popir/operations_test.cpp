#include "snap_run.hpp"

#include <poplin/MatMul.hpp>
#include <snap/poplin/MatMul.hpp>
#include <snap/poplin/codelets.hpp>
#include <snap/popnn/codelets.hpp>
#include <snap/popops/ElementWise.hpp>
#include <snap/popops/codelets.hpp>
#include <snap/poprand/codelets.hpp>

namespace copse::test {
namespace {

namespace pe = ::popops::expr;
using ::testing::ElementsAre;

class SnapOperations : public SnapRun {
protected:
  SnapOperations() {
    snap::popops::addCodelets(graph_);
    snap::poplin::addCodelets(graph_);
    snap::popnn::addCodelets(graph_);
    snap::poprand::addCodelets(graph_);
  }
};

TEST_F(SnapOperations, MapTakesExpressionsAndOperators) {
  const snap::Tensor a = ints({1, 2}, "a"), b = ints({10, 20}, "b"), c = ints({0, 15}, "c");
  readable("expression", snap::popops::map(graph_, pe::Add(pe::_1, pe::Mul(pe::_2, pe::Const(2))),
                                           {a, b}, prog_, {"expression"}));
  readable("unary", snap::popops::map(graph_, pe::UnaryOpType::NEGATE, a, prog_));
  readable("binary", snap::popops::map(graph_, pe::BinaryOpType::SUBTRACT, b, a, prog_));
  readable("ternary", snap::popops::map(graph_, pe::TernaryOpType::CLAMP, b, a, c, prog_));
  run();
  EXPECT_THAT(read("expression", 2), ElementsAre(21, 42));
  EXPECT_THAT(read("unary", 2), ElementsAre(-1, -2));
  EXPECT_THAT(read("binary", 2), ElementsAre(9, 18));
  EXPECT_THAT(read("ternary", 2), ElementsAre(0, 15));
}

TEST_F(SnapOperations, MapInPlaceChangesItsFirstTensor) {
  const snap::Tensor t = ints({1, 2}, "t"), two = ints({2, 2}, "two"), five = ints({5, 5}, "five");
  snap::popops::mapInPlace(graph_, pe::Add(pe::_1, pe::_2), {t, two}, prog_);      // 3, 4
  snap::popops::mapInPlace(graph_, pe::BinaryOpType::MULTIPLY, t, two, prog_);     // 6, 8
  snap::popops::mapInPlace(graph_, pe::UnaryOpType::NEGATE, t, prog_);             // -6, -8
  snap::popops::mapInPlace(graph_, pe::TernaryOpType::CLAMP, t, two, five, prog_); // 2, 2
  snap::popops::addInPlace(graph_, t, five, prog_);
  readable("t", t);
  run();
  EXPECT_THAT(read("t", 2), ElementsAre(7, 7));
}

TEST_F(SnapOperations, MaybeInPlaceWritesItsFirstTensorInTheCommonShape) {
  const snap::Tensor t = ints({1, 2}, "t"), row = ints({3, 4}, "row").expand({0});
  const snap::Tensor sum = snap::popops::addMaybeInPlace(graph_, t, row, prog_, {"sum"});
  EXPECT_EQ(sum.shape(), (std::vector<std::size_t>{1, 2}));
  EXPECT_TRUE(sum.intersectsWith(t));
  readable("sum", sum);
  run();
  EXPECT_THAT(read("sum", 2), ElementsAre(4, 6));
}

TEST_F(SnapOperations, MaybeInPlaceLeavesATensorThatOneTileHolds) {
  constexpr std::size_t elements = 200'004; // an even share of four tiles is 50,001
  const snap::Tensor crowded = graph_.addVariable(poplar::BOOL, {elements}, "crowded");
  graph_.getPoplarGraph().setTileMapping(crowded.getPoplarTensor(), 0);
  const snap::Tensor even = graph_.addLinearlyMappedVariable(poplar::BOOL, {elements});
  const auto result = [&](const snap::Tensor &t) {
    return snap::popops::mapMaybeInPlace(graph_, pe::BinaryOpType::LOGICAL_AND, t, even, prog_);
  };
  EXPECT_FALSE(result(crowded).intersectsWith(crowded));
  EXPECT_TRUE(result(even).intersectsWith(even));
}

TEST_F(SnapOperations, BinaryOperationsFollowTheirNames) {
  const auto floats = [&](float value) {
    const snap::Tensor t = graph_.addLinearlyMappedVariable(poplar::FLOAT, {1});
    graph_.getPoplarGraph().setInitialValue(t.getPoplarTensor(), value);
    return t;
  };
  const snap::Tensor three = floats(3), two = floats(2);
  readable("add", snap::popops::add(graph_, three, two, prog_));
  readable("mul", snap::popops::mul(graph_, three, two, prog_));
  readable("pow", snap::popops::pow(graph_, three, two, prog_));
  readable("atan2", snap::popops::atan2(graph_, three, two, prog_));
  readable("mulMaybe", snap::popops::mulMaybeInPlace(graph_, floats(3), two, prog_));
  readable("powMaybe", snap::popops::powMaybeInPlace(graph_, floats(3), two, prog_));
  readable("atan2Maybe", snap::popops::atan2MaybeInPlace(graph_, floats(3), two, prog_));
  run();
  for (const auto &[name, expected] : {std::pair{"add", 5.0F},
                                       {"mul", 6.0F},
                                       {"pow", 9.0F},
                                       {"atan2", 0.98279372F},
                                       {"mulMaybe", 6.0F},
                                       {"powMaybe", 9.0F},
                                       {"atan2Maybe", 0.98279372F}})
    EXPECT_NEAR(read<float>(name, 1)[0], expected, 1e-5F) << name;
}

TEST_F(SnapOperations, GroupedMatrixProductsUseACache) {
  ::poplin::matmul::PlanningCache cache;
  const std::vector<std::size_t> left{2, 1, 2}, right{2, 2, 1};
  const snap::Tensor a = snap::poplin::createMatMulGroupedInputLHS(
      graph_, poplar::FLOAT, poplar::FLOAT, left, right, {"a"}, {}, &cache);
  const snap::Tensor b = snap::poplin::createMatMulGroupedInputRHS(
      graph_, poplar::FLOAT, poplar::FLOAT, left, right, {"b"});
  const std::vector<float> as{1, 2, 3, 4}, bs{1, 10, 100, 1000};
  graph_.getPoplarGraph().setInitialValue(a.getPoplarTensor(), poplar::ArrayRef<float>(as));
  graph_.getPoplarGraph().setInitialValue(b.getPoplarTensor(), poplar::ArrayRef<float>(bs));
  readable("product",
           snap::poplin::matMulGrouped(graph_, a, b, prog_, poplar::FLOAT, {}, {}, &cache));
  std::ostringstream plan;
  snap::poplin::matMulGroupedReportPlan(plan, graph_, poplar::FLOAT, poplar::FLOAT, left, right, {},
                                        &cache);
  EXPECT_FALSE(plan.str().empty());
  run();
  EXPECT_THAT(read<float>("product", 2), ElementsAre(21, 4300));
}

} // namespace
} // namespace copse::test
