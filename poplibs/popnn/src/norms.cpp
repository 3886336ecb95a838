#include "popnn/Norms.hpp"

#include <poplin/Norms.hpp>

namespace popnn {

using poplar::Graph;
using poplar::Tensor;

Tensor createNormGamma(Graph &graph, const Tensor &acts, const poplar::DebugContext &debugContext) {
  return poplin::createNormGamma(graph, acts, debugContext);
}
Tensor createNormBeta(Graph &graph, const Tensor &acts, const poplar::DebugContext &debugContext) {
  return poplin::createNormBeta(graph, acts, debugContext);
}
std::pair<Tensor, Tensor> createNormParams(Graph &graph, const Tensor acts,
                                           const poplar::DebugContext &debugContext) {
  return poplin::createNormParams(graph, acts, debugContext);
}

// Counts for each element two additions, one of them of its square, and the square, for statistics;
// a subtraction, a multiplication, and one of each for gamma and beta, to normalise.
std::uint64_t getNormFwdFlops(std::size_t statisticsSize, std::size_t numActsElements,
                              bool computeStats) {
  return (computeStats ? 3 * numActsElements + 6 * statisticsSize : 0) + 4 * numActsElements;
}
// The product with gamma, the two sums and a product for means, and what subtracts them.
std::uint64_t getNormBwdFlops(std::size_t statisticsSize, std::size_t numActsElements) {
  return 8 * numActsElements + 2 * statisticsSize;
}
// A product and two sums for the deltas, and their addition to both parameters.
std::uint64_t getNormWuFlops(std::size_t paramsSize, std::size_t numActsElements) {
  return 3 * numActsElements + 4 * paramsSize;
}

} // namespace popnn
