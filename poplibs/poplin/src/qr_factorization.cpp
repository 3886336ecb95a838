#include "poplin/experimental/QRFactorization.hpp"
#include "shape_text.hpp"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>

namespace poplin {
namespace experimental {
namespace {

using poplar::FLOAT;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

void require(bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error("QRFactorization: " + what);
}

void checkMatrices(const poplar::Type &type, const std::vector<std::size_t> &a) {
  require(type == FLOAT || type == poplar::HALF,
          "the matrix must be FLOAT or HALF, not " + type.toString());
  require(a.size() == 2 && a[0] >= a[1] && a[1] > 0,
          "a matrix of shape " + textOf(a) + " must have at least as many rows as columns");
}

void checkOptions(const poplar::OptionFlags &options) {
  int rowsPerIteration = 0;
  const poplibs::OptionSpec known(
      "QRFactorization",
      {{"rowsPerIteration", poplibs::OptionHandler::createWithInteger(rowsPerIteration)}});
  known.parse(options);
}

/// One reflection for each column k: with x the column from row k on, and e the unit vector of row
/// k, v = x + sign(x_k) |x| e. Multiplying by H = 1 - 2 v v' / v'v makes the column upper
/// triangular. R is multiplied by H from the left, and Q from the right.
class Reflections {
public:
  Reflections(Graph &graph, const Tensor &r, const Tensor &q, const poplar::DebugContext &di)
      : graph_(graph), r_(r), q_(q), di_(di), rows_(column(poplar::INT, r.dim(0), "rows")) {}

  void addTo(Sequence &prog) {
    popops::iota(graph_, rows_.flatten(), 0, prog, {di_, "rows"});
    prog.add(popops::countedLoop(graph_, r_.dim(1),
                                 [&](const Tensor &k) {
                                   Sequence body;
                                   reflect(k, body);
                                   return body;
                                 },
                                 {di_, "columns"}));
  }

private:
  Tensor column(const poplar::Type &type, std::size_t rows, const char *name) {
    const Tensor t = graph_.addVariable(type, {rows, 1}, {di_, name});
    poputil::mapTensorLinearly(graph_, t);
    return t;
  }
  Tensor map(const pe::Expr &expression, const std::vector<Tensor> &inputs, Sequence &prog) {
    return popops::map(graph_, expression, inputs, prog, {di_, "reflection"});
  }
  /// Returns the sum of \p t over \p dimension, which keeps size 1.
  Tensor sum(const Tensor &t, std::size_t dimension, Sequence &prog) {
    return popops::reduce(graph_, t, {dimension}, popops::Operation::ADD, prog, {di_, "sum"})
        .expand({dimension});
  }

  void reflect(const Tensor &counter, Sequence &prog) {
    const Tensor k = popops::cast(graph_, counter.flatten(), poplar::INT, prog, {di_, "k"});
    const Tensor offset =
        popops::cast(graph_, counter.flatten(), poplar::UNSIGNED_INT, prog, {di_, "offset"});
    const Tensor old = popops::dynamicSlice(graph_, r_, offset, {1}, {1}, prog, {di_, "column"});
    const auto below = pe::_2 >= pe::_3;
    const auto at = pe::_2 == pe::_3;
    const std::vector<Tensor> inputs{old, rows_, k};
    const Tensor x = map(pe::Select(pe::_1, pe::Const(0.0F), below), inputs, prog);
    const Tensor pivot = sum(map(pe::Select(pe::_1, pe::Const(0.0F), at), inputs, prog), 0, prog);
    const Tensor square = sum(map(pe::Square(pe::_1), {x}, prog), 0, prog);
    const Tensor diagonal =
        map(pe::Select(-pe::Sqrt(pe::_1), pe::Sqrt(pe::_1), pe::_2 >= pe::Const(0.0F)),
            {square, pivot}, prog);
    const Tensor v = map(pe::Select(pe::_1 - pe::_4, pe::_1, at), {x, rows_, k, diagonal}, prog);
    // v'v / 2 = |x|^2 - diagonal x_k; 0 if there is nothing to reflect.
    const Tensor scale = map(pe::Select(pe::Const(1.0F) / (pe::_1 - pe::_2 * pe::_3),
                                        pe::Const(0.0F), pe::_1 > pe::Const(0.0F)),
                             {square, diagonal, pivot}, prog);
    const Tensor row = v.transpose();
    const Tensor vr = sum(map(pe::_1 * pe::_2, {r_, v}, prog), 0, prog);
    const Tensor qv = sum(map(pe::_1 * pe::_2, {q_, row}, prog), 1, prog);
    const auto update = pe::_1 - pe::_2 * pe::_3 * pe::_4;
    popops::mapInPlace(graph_, update, {r_, v, vr, scale}, prog, {di_, "R"});
    popops::mapInPlace(graph_, update, {q_, qv, row, scale}, prog, {di_, "Q"});
    // The column without the rounding errors of the update.
    const Tensor upper = map(pe::Select(pe::_4, pe::Select(pe::Const(0.0F), pe::_1, below), at),
                             {old, rows_, k, diagonal}, prog);
    popops::dynamicUpdate(graph_, r_, upper, offset, {1}, {1}, prog, {di_, "column"});
  }

  Graph &graph_;
  Tensor r_, q_;
  const poplar::DebugContext &di_;
  Tensor rows_;
};

} // namespace

std::array<Tensor, 2> createQRFactorizationMatrices(Graph &graph, const poplar::Type &type,
                                                    std::size_t m, std::size_t n,
                                                    const poplar::DebugContext &debugContext) {
  checkMatrices(type, {m, n});
  const std::array<Tensor, 2> matrices{graph.addVariable(type, {m, n}, {debugContext, "A"}),
                                       graph.addVariable(type, {m, m}, {debugContext, "Q"})};
  for (const Tensor &matrix : matrices)
    poputil::mapTensorLinearly(graph, matrix);
  return matrices;
}

void QRFactorization(Graph &graph, Tensor &A, Tensor &Q, Sequence &prog,
                     const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  checkOptions(options);
  checkMatrices(A.elementType(), A.shape());
  require(Q.elementType() == A.elementType() &&
              Q.shape() == std::vector<std::size_t>{A.dim(0), A.dim(0)},
          "a matrix of shape " + textOf(A.shape()) + " and a Q of shape " + textOf(Q.shape()) +
              " do not go together");
  const bool isFloat = A.elementType() == FLOAT;
  const auto widened = [&](const Tensor &t) {
    return isFloat ? t : popops::cast(graph, t, FLOAT, prog, {debugContext, "float"});
  };
  const Tensor r = widened(A), q = widened(Q);
  Reflections(graph, r, q, debugContext).addTo(prog);
  if (isFloat)
    return;
  prog.add(popops::cast(graph, r, A, {debugContext, "R"}));
  prog.add(popops::cast(graph, q, Q, {debugContext, "Q"}));
}

} // namespace experimental
} // namespace poplin
