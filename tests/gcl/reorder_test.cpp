#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <gcl/CollectiveBalancedReorder.hpp>
#include <numeric>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using gcl::CollectiveBalancedReorder;
using poplar::Tensor;

/// Returns a tensor of which tile 0 has most elements.
Tensor uneven(poplar::Graph &graph, std::size_t rows, std::size_t columns) {
  const Tensor t = graph.addVariable(poplar::FLOAT, {rows, columns}, "reference");
  graph.setTileMapping(t, 0);
  graph.setTileMapping(t.slice(0, 1), 2);
  graph.setTileMapping(t.slice(1, 2, 1), 3);
  return t;
}

std::vector<float> counting(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

class BalancedReorder : public ::testing::TestWithParam<unsigned> {
protected:
  unsigned replicas() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Replicas, BalancedReorder, ::testing::Values(1u, 2u, 3u, 4u));

TEST_P(BalancedReorder, TheHostsInverseRestoresTheTensor) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, replicas(), 1});
  const CollectiveBalancedReorder reorder(run.graph, uneven(run.graph, 5, 7), replicas(), {"cbr"});
  const auto &host = reorder.getHostRearrangement();
  const std::vector<float> in = counting(35);
  std::vector<float> gathered(host.getNumRearrangedTensorElems(), -1), out(35);
  host.rearrangeForCollective(reinterpret_cast<const char *>(in.data()), 35,
                              reinterpret_cast<char *>(gathered.data()),
                              static_cast<std::int64_t>(gathered.size()), sizeof(float));
  host.undoRearrangeForCollective(reinterpret_cast<const char *>(gathered.data()),
                                  reinterpret_cast<char *>(out.data()), sizeof(float));
  EXPECT_EQ(out, in);
  EXPECT_EQ(std::accumulate(gathered.begin(), gathered.end(), 0.0f), 35 * 36 / 2)
      << "the padding is not zero";
  EXPECT_LT(gathered.size(), 35 + 3 * replicas()) << "three tiles have elements";
  EXPECT_THROW(host.rearrangeForCollective(nullptr, 34, nullptr, 1000, 4), poputil::poplibs_error);
}

TEST_P(BalancedReorder, PartsLieOnTheSameTilesInTheSameAmounts) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, replicas(), 1});
  const CollectiveBalancedReorder reorder(run.graph, uneven(run.graph, 5, 7), replicas(), {"cbr"},
                                          false, 4);
  const auto slice = run.graph.getTileMapping(reorder.createReplicaSlice(poplar::HALF));
  const Tensor all = reorder.createCollectivesTensor(poplar::HALF, "all");
  const std::size_t each = reorder.getHostRearrangement().totalElementsPerReplica;
  EXPECT_EQ(all.shape(), std::vector<std::size_t>{replicas() * each});
  for (unsigned r = 0; r < replicas(); ++r)
    EXPECT_EQ(run.graph.getTileMapping(all.slice(r * each, (r + 1) * each)), slice);
  for (const auto &intervals : slice)
    for (const auto &interval : intervals)
      EXPECT_EQ(interval.size() % 4, 0u);
}

/// Replicated tensor sharding works in this way: each replica is sent its part, gathers all parts,
/// and has the tensor; sums are scattered back to the parts.
TEST_P(BalancedReorder, AGatheredTensorEqualsTheHosts) {
  ReplicatedRun run({poplar::TargetType::IPU_MODEL, replicas(), 1});
  const CollectiveBalancedReorder reorder(run.graph, uneven(run.graph, 5, 7), replicas(), {"cbr"});
  const auto &host = reorder.getHostRearrangement();
  const std::vector<float> in = counting(35);
  std::vector<float> gathered(host.getNumRearrangedTensorElems());
  host.rearrangeForCollective(reinterpret_cast<const char *>(in.data()),
                              reinterpret_cast<char *>(gathered.data()), sizeof(float));
  const Tensor part = reorder.createReplicaSlice(poplar::FLOAT);
  run.graph.createHostWrite("part", part);
  const Tensor all = gcl::allGatherCrossReplica(run.graph, part, run.prog);
  run.output("tensor", reorder.undoRearrangeForCollective(all));
  run.output("sums", gcl::reduceScatterCrossReplica(run.graph, all.flatten(),
                                                    gcl::CollectiveOperator::ADD, run.prog));
  EXPECT_EQ(reorder.undoRearrangeForCollective(all).shape(), reorder.getReferenceShape());
  EXPECT_THROW(reorder.undoRearrangeForCollective(part.slice(0, 1)), poputil::poplibs_error);
  run.prepare();
  run.engine().writeTensor("part", gathered.data(), gathered.data() + gathered.size());
  run.engine().run(0);
  const auto tensors = run.read("tensor"), sums = run.read("sums");
  for (unsigned r = 0; r < replicas(); ++r) {
    EXPECT_EQ(tensors[r], std::vector<double>(in.begin(), in.end()));
    for (std::size_t i = 0; i < sums[r].size(); ++i)
      EXPECT_EQ(sums[r][i], replicas() * gathered[r * sums[r].size() + i]);
  }
}

} // namespace
} // namespace copse::test
