#include "accumulate.hpp"
#include "poplin/MatMul.hpp"

#include <poputil/exceptions.hpp>
#include <string>

namespace poplin {
namespace {

using poplar::Graph;
using poplar::Tensor;

/// The product has the type of what it is added to.
template <typename Scale>
void addProduct(const char *function, unsigned rank, Graph &graph, const Tensor &C, const Scale &k,
                const Tensor &A, const Tensor &B, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                matmul::PlanningCache *cache) {
  const Tensor product =
      rank == 2 ? matMul(graph, A, B, prog, C.elementType(), debugContext, options, cache)
                : matMulGrouped(graph, A, B, prog, C.elementType(), debugContext, options, cache);
  addScaled(function, graph, C, k, product, prog, debugContext);
}

} // namespace

void matMulAcc(Graph &graph, const Tensor &C, float k, const Tensor &A, const Tensor &B,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
               const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  addProduct("matMulAcc", 2, graph, C, k, A, B, prog, debugContext, options, cache);
}
void matMulAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A, const Tensor &B,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
               const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  addProduct("matMulAcc", 2, graph, C, k, A, B, prog, debugContext, options, cache);
}
void matMulGroupedAcc(Graph &graph, const Tensor &C, float k, const Tensor &A, const Tensor &B,
                      poplar::program::Sequence &prog, const poplar::DebugContext &debugContext,
                      const poplar::OptionFlags &options, matmul::PlanningCache *cache) {
  addProduct("matMulGroupedAcc", 3, graph, C, k, A, B, prog, debugContext, options, cache);
}
void matMulGroupedAcc(Graph &graph, const Tensor &C, const Tensor &k, const Tensor &A,
                      const Tensor &B, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                      matmul::PlanningCache *cache) {
  addProduct("matMulGroupedAcc", 3, graph, C, k, A, B, prog, debugContext, options, cache);
}

} // namespace poplin
