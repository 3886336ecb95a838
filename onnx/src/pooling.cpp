// Pooling over windows and over the whole field.
#include "expressions.hpp"
#include "operators.hpp"
#include "windows.hpp"

#include <algorithm>
#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Returns the positions in the field, one for each window, of element \p k of the kernel in a
/// dimension. A position in the padding is replaced by the kernel's nearest position in the field.
/// That position belongs to the same window, and a maximum does not change if an element counts
/// twice.
std::vector<std::size_t> positionsOf(OperatorContext &c, const Windows &w, std::size_t d,
                                     std::size_t size, std::size_t k) {
  const auto n = static_cast<std::int64_t>(size), lower = static_cast<std::int64_t>(w.lower[d]),
             dilation = static_cast<std::int64_t>(w.dilations[d]),
             extent = dilation * static_cast<std::int64_t>(w.kernel[d] - 1) + 1,
             free = n + lower + w.upper[d] - extent;
  std::vector<std::size_t> positions;
  for (std::int64_t start = -lower; start <= free - lower; start += w.strides[d]) {
    const std::int64_t first = start >= 0 ? 0 : (-start + dilation - 1) / dilation,
                       last = std::min<std::int64_t>(w.kernel[d] - 1, (n - 1 - start) / dilation);
    if (first > last)
      c.fail("a window has only padding");
    const std::int64_t inField = std::clamp(static_cast<std::int64_t>(k), first, last);
    positions.push_back(static_cast<std::size_t>(start + inField * dilation));
  }
  if (positions.empty())
    c.fail("no window fits into a field of " + std::to_string(size));
  return positions;
}

/// Returns a view of \p in at positions of a dimension. Positions that are a step apart share one
/// piece, so that there are few.
poplar::Tensor taken(const poplar::Tensor &in, const std::vector<std::size_t> &positions,
                     unsigned step, unsigned dim) {
  std::vector<poplar::Tensor> pieces;
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t end = i + 1;
    while (end < positions.size() && positions[end] == positions[end - 1] + step)
      ++end;
    pieces.push_back(in.slice(positions[i], positions[end - 1] + 1, dim).subSample(step, dim));
    i = end;
  }
  return poplar::concat(pieces, dim);
}

/// Returns the largest elements of windows with dilations, with NaN for a window that contains NaN.
/// Element k of all windows is a view of the field.
poplar::Tensor largestOfDilated(OperatorContext &c, const poplar::Tensor &in, const Windows &w) {
  std::vector<poplar::Tensor> views{in};
  for (std::size_t d = 0; d < w.kernel.size(); ++d) {
    std::vector<poplar::Tensor> next;
    for (const poplar::Tensor &view : views)
      for (std::size_t k = 0; k < w.kernel[d]; ++k)
        next.push_back(taken(view, positionsOf(c, w, d, in.dim(d + 2), k), w.strides[d],
                             static_cast<unsigned>(d + 2)));
    views = std::move(next);
  }
  poplar::Tensor result = views.front();
  for (std::size_t i = 1; i < views.size(); ++i)
    result = popops::map(c.graph, larger(pe::_1, pe::_2, in.elementType()), {result, views[i]},
                         c.prog, c.node.name);
  return result;
}

bool isDilated(const Windows &w) {
  for (std::size_t d = 0; d < w.kernel.size(); ++d)
    if (w.dilations[d] != 1 && w.kernel[d] != 1)
      return true;
  return false;
}

/// Returns the number of positions from the first to the last one of a window, in each dimension.
/// Without dilations, it equals the size of the kernel.
Shape extents(const Windows &w) {
  Shape sizes;
  for (std::size_t d = 0; d < w.kernel.size(); ++d)
    sizes.push_back(w.dilations[d] * (w.kernel[d] - 1) + 1);
  return sizes;
}

poplar::Tensor pooled(OperatorContext &c, const poplar::Tensor &in, popnn::PoolingType type,
                      const Windows &w) {
  if (isDilated(w) && type != popnn::PoolingType::MAX)
    c.fail("means and sums over windows with dilations are not supported");
  const Shape shape = in.shape();
  if (elementsOf(Shape(shape.begin() + 2, shape.end())) == 0)
    c.fail("a field of shape " + textOf(shape) + " has no elements");
  if (isDilated(w) && in.numElements() != 0)
    return largestOfDilated(c, in, w);
  const popnn::pooling::PoolParams params(type, Shape(shape.begin() + 2, shape.end()), extents(w),
                                          w.strides, w.lower, w.upper, shape[1], shape[0],
                                          in.elementType());
  if (in.numElements() == 0) {
    Shape none = params.getOutputFieldShape();
    none.insert(none.begin(), shape.begin(), shape.begin() + 2);
    return c.graph.addVariable(in.elementType(), none);
  }
  return popnn::pooling::pool(c.graph, params, in, c.prog, c.node.name);
}

/// Refuses inputs that are not [batch][channels][field...].
void requireField(const OperatorContext &c) {
  if (c.shape().size() < 3)
    c.fail("an input of shape " + textOf(c.shape()) + " has no field");
}

/// Lowers MaxPool. Integers of 8 bits are pooled as floats, which hold them exactly.
void maxPool(OperatorContext &c) {
  requireField(c);
  const bool isByte = c.type() == ElementType::UInt8 || c.type() == ElementType::Int8;
  if (!isByte && !isReal(c.type()))
    c.fail("pooling of " + nameOf(c.type()) + " is not supported");
  if (c.wantsOutput(1))
    c.fail("the output of indices is not supported");
  c.withoutEffect({"storage_order"}); // order of indices
  const poplar::Tensor in = c.tensor();
  const poplar::Tensor result =
      pooled(c, isByte ? popops::cast(c.graph, in, poplar::FLOAT, c.prog, c.node.name) : in,
             popnn::PoolingType::MAX, windowsOf(c, {}));
  c.outputInRange(isByte ? popops::cast(c.graph, result, poplar::INT, c.prog, c.node.name)
                         : result);
}

void requireReal(const OperatorContext &c) {
  requireField(c);
  if (!isReal(c.type()))
    c.fail("pooling of " + nameOf(c.type()) + " is not supported");
}

void averagePool(OperatorContext &c) {
  requireReal(c);
  Windows w = windowsOf(c, {});
  poplar::Tensor in = c.tensor();
  if (c.integer("count_include_pad", 0) != 0) { // explicit zeros, which count
    if (c.integer("ceil_mode", 0) != 0)
      c.fail("count_include_pad together with ceil_mode is not supported");
    std::vector<std::ptrdiff_t> lower(2, 0), upper(2, 0);
    lower.insert(lower.end(), w.lower.begin(), w.lower.end());
    upper.insert(upper.end(), w.upper.begin(), w.upper.end());
    in = popops::pad(c.graph, in, lower, upper);
    w.lower.assign(w.lower.size(), 0);
    w.upper = w.lower;
  }
  c.output(pooled(c, in, popnn::PoolingType::AVG, w));
}

/// Returns one window with the size of the field.
Windows wholeField(const OperatorContext &c) {
  const Shape &shape = c.shape();
  const std::size_t n = shape.size() - 2;
  return {Shape(shape.begin() + 2, shape.end()), std::vector<unsigned>(n, 1),
          std::vector<unsigned>(n, 1), std::vector<int>(n, 0), std::vector<int>(n, 0)};
}

Lowering global(popnn::PoolingType type) {
  return [type](OperatorContext &c) {
    requireReal(c);
    c.output(pooled(c, c.tensor(), type, wholeField(c)));
  };
}

/// Computes the root of the sum of the elements' powers in each window.
poplar::Tensor powersPooled(OperatorContext &c, const Windows &w) {
  const std::int64_t p = c.integer("p", 2);
  if (p < 1)
    c.fail("attribute 'p' = " + std::to_string(p) + " is not supported");
  const poplar::Tensor in = c.tensor();
  const pe::Any x = asFloat(in, 1), exponent = pe::Const(static_cast<float>(p)),
                inverse = pe::Const(1 / static_cast<float>(p));
  const poplar::Tensor powers =
      popops::map(c.graph, p == 2 ? pe::Any(pe::Square(x)) : pe::Any(pe::Pow(pe::Abs(x), exponent)),
                  {in}, c.prog, c.node.name);
  const poplar::Tensor sums = pooled(c, powers, popnn::PoolingType::SUM, w);
  const pe::Any root = p == 2 ? pe::Any(pe::Sqrt(pe::_1)) : pe::Any(pe::Pow(pe::_1, inverse));
  return popops::map(c.graph, ofType(root, in.elementType()), {sums}, c.prog, c.node.name);
}

void lpPool(OperatorContext &c) {
  requireReal(c);
  c.output(powersPooled(c, windowsOf(c, {})));
}

void globalLpPool(OperatorContext &c) {
  requireReal(c);
  c.output(powersPooled(c, wholeField(c)));
}

} // namespace

void addPooling(OperatorTable &table) {
  table["MaxPool"] = maxPool;
  table["AveragePool"] = averagePool;
  table["LpPool"] = lpPool;
  table["GlobalLpPool"] = globalLpPool;
  table["GlobalAveragePool"] = global(popnn::PoolingType::AVG);
  table["GlobalMaxPool"] = global(popnn::PoolingType::MAX);
}

} // namespace copse::onnx
