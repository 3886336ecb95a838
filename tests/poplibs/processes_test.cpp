// Tests that operations over two IPUs give the same bits whether these are two ipud processes or in
// this one.
#include "operation_run.hpp"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Sort.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::test {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using Results = std::vector<Values>;

/// Returns the results of \p add on a machine of two IPUs with all tiles of a chip.
template <typename Add> Results resultsOn(Machine machine, Add add) {
  OperationRun run(machine, 1472);
  std::vector<std::string> names;
  for (const Tensor &t : add(run))
    names.push_back(run.output(t));
  run.run();
  Results results;
  for (const std::string &name : names)
    results.push_back(run.read(name));
  return results;
}

template <typename Add> void expectSameBits(Add add) {
  const Results here = resultsOn(Machine::TwoIpuModel, add);
  ASSERT_FALSE(here.empty());
  EXPECT_EQ(resultsOn(Machine::TwoIpus, add), here);
}

/// Returns a tensor mapped linearly over both IPUs.
Tensor spread(OperationRun &run, const poplar::Type &type, const Shape &shape, unsigned seed) {
  const Tensor t = run.graph.addVariable(type, shape);
  poputil::mapTensorLinearly(run.graph, t, 1, 1);
  run.initialise(t, randomValues(elementsOf(shape), -1, 1, seed));
  return t;
}

TEST(Processes, ComputeTheSameMapsAndReductions) {
  expectSameBits([](OperationRun &run) -> std::vector<Tensor> {
    const Tensor a = spread(run, FLOAT, {53, 91}, 1), b = spread(run, HALF, {91}, 2);
    using namespace popops::expr;
    const Tensor mapped = popops::map(run.graph, Tanh(_1) * Cast(_2, FLOAT) + _1, {a, b}, run.prog);
    return {mapped, popops::reduce(run.graph, mapped, {0}, popops::Operation::ADD, run.prog),
            popops::reduce(run.graph, mapped, {0, 1}, popops::Operation::SQUARE_ADD, run.prog)};
  });
}

TEST(Processes, ComputeTheSameSlicesAndSorts) {
  expectSameBits([](OperationRun &run) -> std::vector<Tensor> {
    const Tensor table =
        popops::createSliceableTensor(run.graph, FLOAT, {200, 24}, {0}, {1}, 0, "table");
    run.initialise(table, randomValues(200 * 24, -1, 1, 3));
    const Tensor rows = run.input(poplar::UNSIGNED_INT, {5, 1}, {7, 199, 0, 7, 120});
    const Tensor sorted = spread(run, FLOAT, {6, 50}, 4);
    return {popops::multiSlice(run.graph, table, rows, {0}, {1}, run.prog, {}, {}),
            popops::sort(run.graph, sorted, 1, run.prog)};
  });
}

TEST(Processes, ComputeTheSameLayers) {
  expectSameBits([](OperationRun &run) -> std::vector<Tensor> {
    poplin::ConvParams p(FLOAT, 2, {6, 6}, {3, 3}, 4, 8, 1);
    const Tensor in = spread(run, FLOAT, {2, 4, 6, 6}, 5),
                 w = spread(run, FLOAT, {1, 8, 4, 3, 3}, 6);
    const Tensor out = poplin::convolution(run.graph, in, w, p, false, run.prog);
    const auto s = popnn::bn::batchNormStatistics(run.graph, out, 0.01F, run.prog, false);
    const Tensor deltas = poplin::calculateWeightDeltas(run.graph, out, in, p, run.prog);
    const Tensor product =
        poplin::matMul(run.graph, out.reshape({16, 16}), spread(run, FLOAT, {16, 10}, 7), run.prog);
    return {out, s.first, s.second, deltas, popnn::softmaxStable(run.graph, product, run.prog)};
  });
}

TEST(Processes, DrawTheSameRandomNumbers) {
  expectSameBits([](OperationRun &run) -> std::vector<Tensor> {
    const Tensor reference = spread(run, FLOAT, {700}, 8),
                 seed = run.input(poplar::UNSIGNED_INT, {2}, {17, 4});
    return {poprand::normal(run.graph, &seed, 1, reference, FLOAT, 0, 1, run.prog),
            poprand::uniform(run.graph, &seed, 2, reference, HALF, -1, 1, run.prog),
            poprand::dropout(run.graph, &seed, 3, reference, reference, 0.5, 2.0, run.prog)};
  });
}

} // namespace
} // namespace copse::test
