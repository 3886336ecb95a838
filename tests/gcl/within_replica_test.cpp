#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <popops/Collectives.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using poplar::Tensor;
using popops::CollectiveOperator;

/// Tests one graph over several IPUs; row i of a tensor lies on IPU i.
class WithinReplica : public ::testing::TestWithParam<unsigned> {
protected:
  WithinReplica() : run_({poplar::TargetType::IPU_MODEL, 1, GetParam()}) {}
  unsigned ipus() const { return GetParam(); }
  Tensor rows(const poplar::Type &type, std::size_t n, const std::vector<double> &values) {
    const Tensor t = run_.input(type, {ipus(), n}, {values});
    const unsigned tiles = run_.graph.getTarget().getTilesPerIPU();
    for (unsigned ipu = 0; ipu < ipus(); ++ipu)
      for (std::size_t i = 0; i < n; ++i)
        run_.graph.setTileMapping(t[ipu][i],
                                  static_cast<unsigned>(ipu * tiles + (i + ipu) % tiles));
    return t;
  }
  std::vector<double> combined(CollectiveOperator op, const std::vector<double> &values,
                               std::size_t n) const {
    std::vector<double> result(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
    for (unsigned row = 1; row < ipus(); ++row)
      for (std::size_t i = 0; i < n; ++i) {
        const double x = values[row * n + i];
        result[i] = op == CollectiveOperator::ADD   ? result[i] + x
                    : op == CollectiveOperator::MUL ? result[i] * x
                    : op == CollectiveOperator::MIN ? std::min(result[i], x)
                                                    : std::max(result[i], x);
      }
    return result;
  }
  ReplicatedRun run_;
};
INSTANTIATE_TEST_SUITE_P(Ipus, WithinReplica, ::testing::Values(1u, 2u, 3u, 4u, 8u));

const char *const kIpuMethods[] = {"auto",
                                   "clockwise_ring",
                                   "anticlockwise_ring",
                                   "bidirectional_ring_pair",
                                   "meet_in_middle_ring",
                                   "direct",
                                   "hierarchical"};
const CollectiveOperator kOperators[] = {CollectiveOperator::ADD, CollectiveOperator::MUL,
                                         CollectiveOperator::MIN, CollectiveOperator::MAX};

TEST_P(WithinReplica, EveryRowReceivesTheReduction) {
  const std::size_t n = 29;
  std::map<std::string, std::pair<CollectiveOperator, std::vector<double>>> done;
  for (const CollectiveOperator op : kOperators)
    for (const std::string method : kIpuMethods) {
      const auto values = randomValues(ipus() * n, 1, 3, static_cast<unsigned>(done.size()), true);
      const std::string name = method + std::to_string(static_cast<int>(op));
      run_.output(name, popops::allReduce(run_.graph, rows(poplar::FLOAT, n, values), op, run_.prog,
                                          "reduce", {{"method", method}}));
      done[name] = {op, values};
    }
  run_.run();
  for (const auto &[name, what] : done) {
    const auto row = combined(what.first, what.second, n);
    std::vector<double> expected;
    for (unsigned ipu = 0; ipu < ipus(); ++ipu)
      expected.insert(expected.end(), row.begin(), row.end());
    EXPECT_EQ(run_.read(name)[0], expected) << name;
  }
}

TEST_P(WithinReplica, ScatteredChunksLieOnTheirIpusAndAreGathered) {
  for (const std::size_t n : {1u, 7u, 40u}) {
    const auto values = randomValues(ipus() * n, 0, 50, 1, true);
    const popops::Chunks chunks = popops::reduceScatter(
        run_.graph, rows(poplar::INT, n, values), CollectiveOperator::ADD, run_.prog, "scatter");
    ASSERT_EQ(chunks.chunks.size(), ipus());
    const unsigned tiles = run_.graph.getTarget().getTilesPerIPU();
    for (const popops::Chunk &chunk : chunks.chunks) {
      const auto mapping = run_.graph.getTileMapping(chunk.tensor);
      for (unsigned tile = 0; tile < mapping.size(); ++tile)
        EXPECT_TRUE(mapping[tile].empty() || tile / tiles == chunk.index);
    }
    const Tensor all = popops::allGather(run_.graph, chunks, run_.prog, "gather");
    ASSERT_EQ(all.shape(), (std::vector<std::size_t>{ipus(), n}));
    if (n < 40)
      continue;
    run_.output("all", all);
    run_.run();
    const auto row = combined(CollectiveOperator::ADD, values, n);
    std::vector<double> expected;
    for (unsigned ipu = 0; ipu < ipus(); ++ipu)
      expected.insert(expected.end(), row.begin(), row.end());
    EXPECT_EQ(run_.read("all")[0], expected);
  }
}

TEST_P(WithinReplica, MeansAndSquaresAreRefused) {
  const Tensor t = rows(poplar::FLOAT, 4, std::vector<double>(4 * ipus()));
  for (const CollectiveOperator op : {CollectiveOperator::MEAN, CollectiveOperator::SQUARE_ADD})
    EXPECT_THROW(popops::allReduce(run_.graph, t, op, run_.prog), poputil::poplibs_error);
}

TEST(TensorCollectives, RowsOnTheSameIpuAreRefused) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, 1, 2});
  const Tensor t = run.graph.addVariable(poplar::FLOAT, {2, 4});
  run.graph.setTileMapping(t, 0);
  EXPECT_THROW(popops::allReduce(run.graph, t, CollectiveOperator::ADD, run.prog),
               poputil::poplibs_error);
}

TEST(ReplicatedCollectives, AcceptOperations) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, 2, 1});
  const Tensor t = run.input(poplar::FLOAT, {3}, {{1, 2, 3}, {4, 5, 6}});
  Tensor output = run.graph.addVariable(poplar::FLOAT, {3});
  run.graph.setTileMapping(output, 0);
  popops::replicatedAllReduceWithOutput(run.graph, t, output, popops::Operation::MUL, run.prog);
  run.output("product", output);
  run.output("parts", popops::replicatedReduceScatter(run.graph, t, CollectiveOperator::MAX,
                                                      run.prog, "scatter"));
  run.output("sum", popops::replicatedAllReduce(run.graph, run.graph, t, CollectiveOperator::ADD,
                                                run.prog));
  run.run();
  EXPECT_EQ(run.read("product"), (ReplicatedRun::Values{{4, 10, 18}, {4, 10, 18}}));
  EXPECT_EQ(run.read("parts"), (ReplicatedRun::Values{{4, 5}, {6, 0}}));
  EXPECT_EQ(run.read("sum"), (ReplicatedRun::Values{{5, 7, 9}, {5, 7, 9}}));
}

} // namespace
} // namespace copse::test
