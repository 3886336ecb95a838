// Implements the functions of poputil/Util.hpp for tensors and values.
#include "poputil/Util.hpp"
#include "poputil/exceptions.hpp"

#include <cmath>
#include <numeric>
#include <string>

using poplar::Tensor;

namespace poputil {

Tensor duplicate(poplar::Graph &graph, const Tensor &in, poplar::program::Sequence &p,
                 const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  const Tensor out = graph.clone(in, debugContext, method);
  p.add(poplar::program::Copy(in, out, false, debugContext));
  return out;
}

Tensor cloneN(poplar::Graph &graph, const Tensor &t, unsigned N,
              const poplar::DebugContext &debugContext, poplar::TensorCloneMethod method) {
  return graph.cloneN(t, N, debugContext, method);
}

std::vector<int> balancedPartition(int rangeUpperBound, int splitCount) {
  if (splitCount <= 0 || rangeUpperBound < 0)
    throw poplibs_error("balancedPartition: cannot split " + std::to_string(rangeUpperBound) +
                        " into " + std::to_string(splitCount) + " parts");
  std::vector<int> sizes(static_cast<std::size_t>(splitCount), rangeUpperBound / splitCount);
  for (int i = 0; i != rangeUpperBound % splitCount; ++i)
    ++sizes[static_cast<std::size_t>(i)];
  return sizes;
}

double castToDeviceHalfValue(const poplar::Target &target, double input) {
  std::vector<char> half(target.getTypeSize(poplar::HALF));
  poplar::copyDoubleToDeviceHalf(target, &input, half.data(), 1);
  double rounded = 0;
  poplar::copyDeviceHalfToDouble(target, half.data(), &rounded, 1);
  return rounded;
}

bool checkAccuracyWhenCast(const poplar::Target &target, double input, poplar::Type inputType,
                           poplar::Type outputType, double tolerance) {
  if (inputType == poplar::HALF && outputType == poplar::FLOAT)
    return true;
  if (inputType != poplar::FLOAT || outputType != poplar::HALF)
    throw poplibs_error("checkAccuracyWhenCast: only float to half and half to float, not " +
                        inputType.toString().cloneAsString() + " to " +
                        outputType.toString().cloneAsString());
  return std::fabs(castToDeviceHalfValue(target, input) - input) <= tolerance * std::fabs(input);
}

Tensor factorDims(const Tensor &t, const std::vector<std::size_t> &factors, unsigned startDim) {
  const unsigned n = static_cast<unsigned>(factors.size());
  if (startDim + n > t.rank())
    throw poplibs_error("factorDims: " + std::to_string(n) + " factors from dimension " +
                        std::to_string(startDim) + " on are too many for shape " +
                        t.shapeToString());
  std::vector<std::size_t> split;
  for (unsigned i = 0; i != n; ++i) {
    const std::size_t dim = t.dim(startDim + i);
    if (factors[i] == 0 || dim % factors[i] != 0)
      throw poplibs_error("factorDims: " + std::to_string(factors[i]) +
                          " does not divide dimension " + std::to_string(startDim + i) +
                          " of shape " + t.shapeToString());
    split.insert(split.end(), {dim / factors[i], factors[i]});
  }
  const Tensor pairs = t.reshapePartial(startDim, startDim + n, split);
  std::vector<unsigned> from, to;
  for (unsigned i = 0; i != n; ++i) {
    from.insert(from.end(), {startDim + 2 * i, startDim + 2 * i + 1});
    to.insert(to.end(), {startDim + i, startDim + n + i});
  }
  return pairs.dimShufflePartial(from, to);
}

Tensor unfactorDims(const Tensor &t, unsigned numDims, unsigned startDim) {
  if (startDim + 2 * numDims > t.rank())
    throw poplibs_error("unfactorDims: shape " + t.shapeToString() + " has not " +
                        std::to_string(2 * numDims) + " dimensions from " +
                        std::to_string(startDim) + " on");
  std::vector<unsigned> from, to;
  std::vector<std::size_t> joined;
  for (unsigned i = 0; i != numDims; ++i) {
    from.insert(from.end(), {startDim + i, startDim + numDims + i});
    to.insert(to.end(), {startDim + 2 * i, startDim + 2 * i + 1});
    joined.push_back(t.dim(startDim + i) * t.dim(startDim + numDims + i));
  }
  return t.dimShufflePartial(from, to).reshapePartial(startDim, startDim + 2 * numDims, joined);
}

} // namespace poputil
