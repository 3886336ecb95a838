#include "options.hpp"
#include "poplin/TriangularSolve.hpp"
#include "shape_text.hpp"

#include <algorithm>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tile_work/codelet_groups.hpp>
#include <tile_work/worker_cycles.hpp>

namespace poplin {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;

void requireOfSolve(const char *function, bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error(std::string(function) + ": " + what);
}

void checkMatrix(const char *function, const Type &type, const Shape &a) {
  requireOfSolve(function, type == poplar::FLOAT || type == poplar::HALF,
                 "the matrix must be FLOAT or HALF, not " + type.toString());
  requireOfSolve(function, a.size() >= 2 && a[a.size() - 1] == a[a.size() - 2],
                 "a matrix of shape " + textOf(a) + " is not square");
}

void checkShapes(const char *function, const Type &type, const Shape &a, const Shape &b,
                 bool leftSide) {
  checkMatrix(function, type, a);
  requireOfSolve(function,
                 a.size() == b.size() && std::equal(a.begin(), a.end() - 2, b.begin()) &&
                     b[b.size() - (leftSide ? 2 : 1)] == a.back(),
                 "a matrix of shape " + textOf(a) + " and a " + (leftSide ? "right" : "left") +
                     " hand side of shape " + textOf(b) + " do not go together");
}

/// The options of the solver, and those that it passes on to matrix products.
struct SolveOptions {
  explicit SolveOptions(const OptionFlags &flags) {
    const poplibs::OptionSpec own(
        "triangularSolve", {{"blockSize", poplibs::OptionHandler::createWithInteger(blockSize)}});
    for (const auto &flag : flags) {
      if (flag.first == "blockSize")
        own.parse(flag.first, flag.second);
      else
        ofProducts.set(flag.first, flag.second);
    }
    requireOfSolve("triangularSolve", blockSize > 0,
                   "a block of " + std::to_string(blockSize) + " rows; there must be one at least");
  }
  int blockSize = 64;
  OptionFlags ofProducts;
};

Tensor grouped(const Tensor &t) {
  return t.rank() == 2 ? t.expand({0}) : t.flatten(0, t.rank() - 2);
}
Tensor transposed(const Tensor &t) { return t.dimRoll(t.rank() - 2, t.rank() - 1); }

/// Solves for one block of rows.
/// \param a  [G][n][n] \param b  [G][n][K]
Tensor solvedBlock(Graph &graph, const Tensor &a, const Tensor &b, bool unitDiagonal,
                   Sequence &prog, const DebugContext &debugContext) {
  const std::size_t rows = a.dim(1), groups = b.dim(0), columns = b.dim(2);
  const auto n = static_cast<unsigned>(rows);
  const Tensor x = graph.addVariable(b.elementType(), {groups, columns, rows}, {debugContext, "x"});
  poputil::mapTensorLinearly(graph, x, n, n);
  prog.add(poplar::program::Copy(transposed(b), x, false, debugContext));
  const std::string vertex = poputil::templateVertex("poplin::SolveLowerTriangle", b.elementType());
  copse::tile_work::addCodeletGroup(graph, "poplin", "triangular_solve", vertex);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "solve"});
  const poplar::Target &target = graph.getTarget();
  for (std::size_t g = 0; g != groups; ++g) {
    const Tensor flat = x[g].flatten();
    const auto mapping = graph.getTileMapping(flat);
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (const poplar::Interval &region : mapping[tile]) {
        const poplar::VertexRef v =
            graph.addVertex(cs, vertex, {{"a", a[g].flatten()}, {"x", flat.slice(region)}});
        graph.setInitialValue(v["rows"], n);
        graph.setInitialValue(v["unitDiagonal"], unitDiagonal);
        graph.setTileMapping(v, tile);
        // For each row: a load, a multiplication and a subtraction of each earlier one; a division.
        const std::uint64_t perColumn = rows * (12 + rows);
        graph.setPerfEstimate(
            v, copse::tile_work::workerCycles(target, copse::tile_work::kVertexInstructions +
                                                          copse::tile_work::largestWorkerShare(
                                                              target, region.size() / rows, 1) *
                                                              perColumn));
      }
  }
  prog.add(poplar::program::Execute(cs, debugContext));
  return transposed(x);
}

/// Solves A X = B by blocks of rows, from the first to the last: what the rows before contribute is
/// a product.
/// \param a  [G][N][N], lower triangular \param b  [G][N][K]
Tensor solvedLower(Graph &graph, const Tensor &a, const Tensor &b, bool unitDiagonal,
                   Sequence &prog, const DebugContext &debugContext, const SolveOptions &options,
                   matmul::PlanningCache *cache) {
  const std::size_t rows = a.dim(1), size = static_cast<std::size_t>(options.blockSize);
  std::vector<Tensor> blocks;
  for (std::size_t begin = 0; begin < rows; begin += size) {
    const std::size_t end = std::min(begin + size, rows);
    Tensor rest = b.slice(begin, end, 1);
    if (begin != 0) {
      const Tensor known = matMulGrouped(graph, a.slice({0, begin, 0}, {a.dim(0), end, begin}),
                                         poplar::concat(blocks, 1), prog, b.elementType(),
                                         {debugContext, "known"}, options.ofProducts, cache);
      rest = popops::sub(graph, rest, known, prog, {debugContext, "rest"});
    }
    blocks.push_back(solvedBlock(graph, a.slice({0, begin, begin}, {a.dim(0), end, end}), rest,
                                 unitDiagonal, prog, debugContext));
  }
  return poplar::concat(blocks, 1);
}

} // namespace

Tensor triangularMask(Graph &graph, const Tensor &a, bool lower, bool unitDiagonal, Sequence &prog,
                      const DebugContext &debugContext) {
  checkMatrix("triangularMask", a.elementType(), a.shape());
  const std::size_t n = a.dim(a.rank() - 1);
  const Tensor numbers = graph.addVariable(poplar::UNSIGNED_INT, {n}, {debugContext, "numbers"});
  poputil::mapTensorLinearly(graph, numbers);
  popops::iota(graph, numbers, 0u, prog, debugContext);
  namespace pe = popops::expr;
  const auto row = pe::_2, column = pe::_3;
  const pe::Any kept = lower ? pe::Any(pe::Gte(row, column)) : pe::Any(pe::Lte(row, column));
  const pe::Any masked = pe::Select(pe::_1, pe::Const(0.0f), kept);
  const pe::Any result =
      unitDiagonal ? pe::Any(pe::Select(pe::Const(1.0f), masked, pe::Equal(row, column))) : masked;
  return popops::map(graph, result, {a, numbers.expand({1}), numbers}, prog,
                     {debugContext, "triangle"});
}

Tensor triangularSolve(Graph &graph, const Tensor &a, const Tensor &b, bool leftSide, bool lower,
                       bool unitDiagonal, Sequence &prog, const DebugContext &debugContext,
                       const OptionFlags &flags, matmul::PlanningCache *cache) {
  checkShapes("triangularSolve", a.elementType(), a.shape(), b.shape(), leftSide);
  requireOfSolve("triangularSolve", a.elementType() == b.elementType(),
                 "a matrix of type " + a.elementType().toString().cloneAsString() +
                     " and a right hand side of type " +
                     b.elementType().toString().cloneAsString());
  const SolveOptions options(flags);
  matMulDemands(options.ofProducts, a.elementType(), a.elementType()); // checks them
  if (b.numElements() == 0)
    return graph.clone(b, debugContext);
  Tensor matrix = grouped(a), side = grouped(b);
  if (!leftSide) { // X A = B is (A^T) (X^T) = B^T
    matrix = transposed(matrix);
    side = transposed(side);
    lower = !lower;
  }
  if (!lower) { // with rows and columns in the other order, it is
    matrix = matrix.reverse(1).reverse(2);
    side = side.reverse(1);
  }
  Tensor x = solvedLower(graph, matrix, side, unitDiagonal, prog, debugContext, options, cache);
  if (!lower)
    x = x.reverse(1);
  if (!leftSide)
    x = transposed(x);
  return x.reshape(b.shape());
}

Tensor createTriangularSolveInputLHS(Graph &graph, const Type &inputType, const Type &,
                                     const Shape &aShape, const Shape &bShape, bool leftSide,
                                     const DebugContext &debugContext, const OptionFlags &flags,
                                     matmul::PlanningCache *) {
  checkShapes("createTriangularSolveInputLHS", inputType, aShape, bShape, leftSide);
  (void)SolveOptions(flags);
  const Tensor a = graph.addVariable(inputType, aShape, debugContext);
  poputil::mapTensorLinearly(graph, a);
  return a;
}

Tensor createTriangularSolveInputRHS(Graph &graph, const Type &inputType, const Type &,
                                     const Shape &aShape, const Shape &bShape, bool leftSide,
                                     const DebugContext &debugContext, const OptionFlags &flags,
                                     matmul::PlanningCache *) {
  checkShapes("createTriangularSolveInputRHS", inputType, aShape, bShape, leftSide);
  (void)SolveOptions(flags);
  const Tensor b = graph.addVariable(inputType, bShape, debugContext);
  poputil::mapTensorLinearly(graph, b);
  return b;
}

std::vector<std::pair<MatMulParams, OptionFlags>>
getTriangularSolveMatMulPrePlanParameters(const Type &inputType, const Type &outputType,
                                          const Shape &aShape, const Shape &bShape, bool leftSide,
                                          bool, const OptionFlags &flags) {
  checkShapes("getTriangularSolveMatMulPrePlanParameters", inputType, aShape, bShape, leftSide);
  const SolveOptions options(flags);
  std::size_t groups = 1;
  for (std::size_t d = 0; d + 2 < aShape.size(); ++d)
    groups *= aShape[d];
  const std::size_t rows = aShape.back(), columns = bShape[bShape.size() - (leftSide ? 1 : 2)];
  const auto size = static_cast<std::size_t>(options.blockSize);
  std::vector<std::pair<MatMulParams, OptionFlags>> products;
  for (std::size_t begin = size; begin < rows; begin += size)
    products.emplace_back(MatMulParams{inputType,
                                       outputType,
                                       {groups, std::min(size, rows - begin), begin},
                                       {groups, begin, columns}},
                          options.ofProducts);
  return products;
}

} // namespace poplin
