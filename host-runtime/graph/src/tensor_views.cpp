#include "quarters.hpp"
#include "tensor_checks.hpp"

#include "graph/state.hpp"
#include "graph/types.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace copse::graph {

std::string shapeText(std::span<const std::size_t> shape) {
  std::string text = "{";
  for (const std::size_t size : shape) {
    text += (text.size() > 1 ? "," : "") + std::to_string(size);
  }
  return text + "}";
}

std::string ofVariables(const poplar::Tensor &t) {
  constexpr std::size_t kMost = 4;
  const TensorState &state = Access::anyState(t, "a message");
  std::vector<VariableId> seen;
  std::string text;
  for (const auto &run : state.value.view.elementRuns()) {
    if (run.variable == kBeyondTheEnd || std::ranges::find(seen, run.variable) != seen.end())
      continue;
    const std::string &name = state.graph->model.variables[run.variable].name;
    if (seen.size() == kMost)
      return text + ", ...";
    seen.push_back(run.variable);
    if (!name.empty())
      text += (text.empty() ? " of '" : ", '") + name + "'";
  }
  return text;
}

void failOn(const poplar::Tensor &t, const char *function, const std::string &what) {
  throw poplar::poplar_error(std::string(function) + " of a tensor of shape " + t.shapeToString() +
                             ofVariables(t) + ": " + what);
}

void checkDimension(const poplar::Tensor &t, unsigned dimension, const char *function) {
  const std::size_t rank = Access::anyState(t, function).value.view.shape().size();
  if (dimension >= rank) {
    failOn(t, function, "there is no dimension " + std::to_string(dimension));
  }
}

void checkRange(const poplar::Tensor &t, std::size_t begin, std::size_t end, unsigned dimension,
                const char *function) {
  checkDimension(t, dimension, function);
  const std::size_t size = Access::anyState(t, function).value.view.shape()[dimension];
  if (begin > end || end > size) {
    failOn(t, function,
           "[" + std::to_string(begin) + "," + std::to_string(end) +
               ") is not a range of dimension " + std::to_string(dimension) + ", whose size is " +
               std::to_string(size));
  }
}

void checkProduct(const poplar::Tensor &t, std::span<const std::size_t> shape,
                  const char *function) {
  const std::size_t elements =
      std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
  if (elements != t.numElements()) {
    failOn(t, function, "shape " + shapeText(shape) + " has another number of elements");
  }
}

} // namespace copse::graph

namespace poplar {

using copse::graph::Access;
using copse::graph::checkDimension;
using copse::graph::checkProduct;
using copse::graph::checkRange;
using copse::graph::failOn;
using copse::graph::TensorState;
using copse::graph::View;

Tensor Tensor::operator[](std::size_t i) const & {
  checkDimension(*this, 0, "Tensor::operator[]");
  if (i >= state_->value.view.shape()[0]) {
    failOn(*this, "Tensor::operator[]", "there is no index " + std::to_string(i));
  }
  return Access::viewed(*state_, state_->value.view.slice(i, i + 1, 0).dropDimension(0));
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  Tensor t = *this;
  for (const std::size_t i : indices) {
    t = t[i];
  }
  return t;
}

Tensor Tensor::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  checkRange(*this, begin, end, dimension, "Tensor::slice");
  return Access::viewed(*state_, state_->value.view.slice(begin, end, dimension));
}

Tensor Tensor::slice(std::size_t begin, std::size_t end) const { return slice(begin, end, 0); }

Tensor Tensor::slice(const Interval &region, unsigned dimension) const {
  return slice(region.begin(), region.end(), dimension);
}

Tensor Tensor::slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const {
  Access::anyState(*this, "Tensor::slice");
  if (begin.size() != end.size()) {
    failOn(*this, "Tensor::slice",
           std::to_string(begin.size()) + " begins, but " + std::to_string(end.size()) + " ends");
  }
  View view = state_->value.view;
  for (unsigned d = 0; d < begin.size(); ++d) {
    checkRange(*this, begin[d], end[d], d, "Tensor::slice");
    view = view.slice(begin[d], end[d], d);
  }
  return Access::viewed(*state_, std::move(view));
}

Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  checkDimension(*this, dimension, "Tensor::subSample");
  if (stride == 0) {
    failOn(*this, "Tensor::subSample", "the stride is 0");
  }
  return Access::viewed(*state_, state_->value.view.subSample(stride, dimension));
}

Tensor Tensor::upsample(unsigned scale, unsigned dimension, UpsampleMethod) const {
  checkDimension(*this, dimension, "Tensor::upsample");
  return Access::viewed(*state_, state_->value.view.upsample(scale, dimension));
}

Tensor Tensor::broadcast(unsigned n, unsigned dimension) const {
  checkDimension(*this, dimension, "Tensor::broadcast");
  return Access::viewed(*state_, state_->value.view.broadcast(n, dimension));
}

Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  Access::anyState(*this, "Tensor::reshape");
  checkProduct(*this, {shape.begin(), shape.size()}, "Tensor::reshape");
  return Access::viewed(*state_, state_->value.view.reshape(shape.cloneAsVector()));
}

Tensor Tensor::reshapePartial(unsigned beginDim, unsigned endDim,
                              ArrayRef<std::size_t> newDims) const {
  std::vector<std::size_t> dims = shape();
  if (beginDim > endDim || endDim > dims.size()) {
    failOn(*this, "Tensor::reshapePartial",
           "[" + std::to_string(beginDim) + "," + std::to_string(endDim) +
               ") is not a range of its dimensions");
  }
  dims.erase(dims.begin() + beginDim, dims.begin() + endDim);
  dims.insert(dims.begin() + beginDim, newDims.begin(), newDims.end());
  checkProduct(*this, dims, "Tensor::reshapePartial");
  return Access::viewed(*state_, state_->value.view.reshape(std::move(dims)));
}

Tensor Tensor::flatten() const { return reshape({numElements()}); }

Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  const std::vector<std::size_t> dims = shape();
  if (dimBegin > dimEnd || dimEnd > dims.size()) {
    failOn(*this, "Tensor::flatten",
           "[" + std::to_string(dimBegin) + "," + std::to_string(dimEnd) +
               ") is not a range of its dimensions");
  }
  const std::size_t joined = std::accumulate(dims.begin() + dimBegin, dims.begin() + dimEnd,
                                             std::size_t{1}, std::multiplies<>());
  return reshapePartial(dimBegin, dimEnd, {joined});
}

Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  const unsigned n = rank();
  std::vector<bool> seen(n, false);
  bool good = permutation.size() == n;
  for (const unsigned d : permutation) {
    good = good && d < n && !seen[d];
    if (good) {
      seen[d] = true;
    }
  }
  if (!good) {
    failOn(*this, "Tensor::dimShuffle", "the list is not a permutation of the dimensions");
  }
  return Access::viewed(*state_,
                        state_->value.view.dimShuffle({permutation.begin(), permutation.size()}));
}

Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const {
  constexpr unsigned kFree = ~0u;
  const unsigned n = rank();
  std::vector<unsigned> permutation(n, kFree);
  std::vector<bool> moved(n, false);
  if (source.size() != destination.size()) {
    failOn(*this, "Tensor::dimShufflePartial", "the lists differ in length");
  }
  for (std::size_t k = 0; k < source.size(); ++k) {
    if (source[k] >= n || destination[k] >= n || moved[source[k]] ||
        permutation[destination[k]] != kFree) {
      failOn(*this, "Tensor::dimShufflePartial", "a dimension is listed twice or does not exist");
    }
    moved[source[k]] = true;
    permutation[destination[k]] = source[k];
  }
  unsigned next = 0;
  for (unsigned &d : permutation) {
    if (d == kFree) {
      while (moved[next]) {
        ++next;
      }
      d = next++;
    }
  }
  return dimShuffle(permutation);
}

Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx) const {
  checkDimension(*this, dimIdx, "Tensor::dimRoll");
  checkDimension(*this, newIdx, "Tensor::dimRoll");
  return dimShufflePartial({dimIdx}, {newIdx});
}

Tensor Tensor::transpose() const {
  std::vector<unsigned> permutation(rank());
  std::iota(permutation.rbegin(), permutation.rend(), 0u);
  return dimShuffle(permutation);
}

Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  const std::size_t n = rank();
  std::vector<std::size_t> sorted = indices;
  std::sort(sorted.begin(), sorted.end());
  View view = state_->value.view;
  // From the back, so that the remaining indices still refer to the original dimensions.
  for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) {
    if (*it > n) {
      failOn(*this, "Tensor::expand", "there is no dimension " + std::to_string(*it));
    }
    view = view.insertDimension(static_cast<unsigned>(*it));
  }
  return Access::viewed(*state_, std::move(view));
}

Tensor Tensor::squeeze(ArrayRef<std::size_t> dims) const {
  Access::anyState(*this, "Tensor::squeeze");
  std::vector<std::size_t> sorted = dims;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  View view = state_->value.view;
  for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) {
    checkDimension(*this, static_cast<unsigned>(*it), "Tensor::squeeze");
    if (state_->value.view.shape()[*it] != 1) {
      failOn(*this, "Tensor::squeeze", "dimension " + std::to_string(*it) + " is not of size 1");
    }
    view = view.dropDimension(static_cast<unsigned>(*it));
  }
  return Access::viewed(*state_, std::move(view));
}

Tensor Tensor::reverse(unsigned dimension) const {
  checkDimension(*this, dimension, "Tensor::reverse");
  return Access::viewed(*state_, state_->value.view.reverse(dimension));
}

Tensor Tensor::reinterpret(const Type &type) const {
  const TensorState &state = Access::state(*this, "Tensor::reinterpret");
  const auto newType = copse::graph::elementTypeOf(type);
  const auto &model = state.graph->model;
  if (elementBytes(model, newType) != elementBytes(model, state.value.type)) {
    failOn(*this, "Tensor::reinterpret",
           "elements of type " + std::string(type.toString()) + " and " +
               std::string(elementType().toString()) + " differ in size on this target");
  }
  return Access::tensor(state.graph, {newType, state.value.view}, state.metadata);
}

Tensor concat(ArrayRef<Tensor> ts, unsigned dimension) {
  if (ts.empty()) {
    throw poplar_error("concat: the list of tensors is empty");
  }
  const TensorState &first = Access::anyState(ts.front(), "concat");
  checkDimension(ts.front(), dimension, "concat");
  std::vector<View> views;
  views.reserve(ts.size());
  for (const Tensor &t : ts) {
    const TensorState &state = Access::anyState(t, "concat");
    const auto &shape = state.value.view.shape();
    const auto &firstShape = first.value.view.shape();
    bool fits = shape.size() == firstShape.size();
    for (unsigned d = 0; fits && d < shape.size(); ++d) {
      fits = d == dimension || shape[d] == firstShape[d];
    }
    if (!fits) {
      failOn(ts.front(), "concat",
             "a tensor of shape " + t.shapeToString() + " does not fit along dimension " +
                 std::to_string(dimension));
    }
    if (state.value.type != first.value.type) {
      failOn(ts.front(), "concat",
             "element types " + copse::graph::nameOf(first.value.type) + " and " +
                 copse::graph::nameOf(state.value.type) + " differ");
    }
    if (state.graph != first.graph) {
      failOn(ts.front(), "concat", "the tensors belong to different graphs");
    }
    if (!copse::graph::sameMetadata(state, first)) {
      throw tensor_metadata_error("concat: quarters with different metadata cannot be one tensor; "
                                  "copy them to tensors with the same metadata");
    }
    views.push_back(state.value.view);
  }
  TensorState whole = first;
  whole.reachesBeyond = std::any_of(ts.begin(), ts.end(), [](const Tensor &t) {
    return Access::anyState(t, "concat").reachesBeyond;
  });
  return Access::viewed(whole, View::concat(views, dimension));
}

Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension) {
  return concat({first, second}, dimension);
}

Tensor append(const Tensor &t, const Tensor &extra, unsigned dimension) {
  return concat(t, extra.expand({dimension}), dimension);
}

Tensor append(const Tensor &t, const Tensor &extra) { return append(t, extra, 0); }

} // namespace poplar
