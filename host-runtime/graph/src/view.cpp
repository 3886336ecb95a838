#include "graph/view.hpp"

#include "view_walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace copse::graph {

std::size_t product(std::span<const std::size_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

namespace {

/// Returns the total number of indices of some steps.
template <typename Dim> std::size_t indicesOf(std::span<const Dim> steps) {
  std::size_t n = 1;
  for (const Dim &step : steps) {
    n *= step.size;
  }
  return n;
}

} // namespace

View View::ofVariable(VariableId variable, std::vector<std::size_t> shape) {
  const std::size_t elements = product(shape);
  std::vector<Run> runs;
  if (elements > 0) {
    runs.push_back({variable, 0, elements, 1});
  }
  return ofRuns(std::move(runs), std::move(shape));
}

View View::ofRuns(std::vector<Run> runs, std::vector<std::size_t> shape) {
  View view;
  view.dims_.assign(shape.size(), {});
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    view.dims_[d] = {shape[d], stride, true};
    stride *= static_cast<std::int64_t>(shape[d]);
  }
  view.shape_ = std::move(shape);
  if (!runs.empty()) {
    view.buffer_ = std::make_shared<const ViewBuffer>(std::move(runs));
  }
  return view;
}

std::size_t View::numElements() const { return product(shape_); }

std::span<const View::Dim> View::stepsOf(unsigned dimension) const {
  const auto isBegin = [](const Dim &dim) { return dim.begins; };
  auto first = dims_.begin();
  for (unsigned d = 0; d < dimension; ++d) {
    first = std::find_if(first + 1, dims_.end(), isBegin);
  }
  return {first, std::find_if(first + 1, dims_.end(), isBegin)};
}

View::Dims View::simplified(std::span<const Dim> dims) {
  Dims out;
  for (const Dim &dim : dims) {
    if (dim.size == 1) {
      continue;
    }
    if (!out.empty() && out.back().stride == static_cast<std::int64_t>(dim.size) * dim.stride) {
      out.back() = {out.back().size * dim.size, dim.stride, true};
    } else {
      out.push_back({dim.size, dim.stride, true});
    }
  }
  return out;
}

View View::withSteps(unsigned dimension, Dims steps, std::int64_t moved) const {
  steps = simplified(steps);
  if (steps.empty()) {
    steps.push_back({});
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].begins = i == 0;
  }
  View view = *this;
  const auto old = stepsOf(dimension);
  const auto at = view.dims_.begin() + (old.data() - dims_.data());
  const auto after = view.dims_.erase(at, at + static_cast<std::ptrdiff_t>(old.size()));
  view.dims_.insert(after, steps.begin(), steps.end());
  view.shape_[dimension] = indicesOf(std::span<const Dim>(steps));
  view.offset_ += moved;
  return view;
}

View View::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  if (begin == 0 && end == shape_[dimension]) {
    return *this;
  }
  if (begin == end || numElements() == 0) {
    std::vector<std::size_t> shape = shape_;
    shape[dimension] = end - begin;
    return ofRuns({}, std::move(shape));
  }
  const auto all = stepsOf(dimension);
  if (all.size() == 1) {
    View view = *this;
    Dim &step = view.dims_[static_cast<std::size_t>(all.data() - dims_.data())];
    view.offset_ += static_cast<std::int64_t>(begin) * step.stride;
    step = end - begin == 1 ? Dim{} : Dim{end - begin, step.stride, true};
    view.shape_[dimension] = end - begin;
    return view;
  }
  Dims steps(all.begin(), all.end());
  std::size_t first = begin, last = end, inner = 1;
  std::int64_t moved = 0;
  for (;;) { // skip outer steps of which the slice has one index
    inner = indicesOf(std::span<const Dim>(steps).subspan(1));
    if (steps.size() == 1 || first / inner != (last - 1) / inner) {
      break;
    }
    const std::size_t index = first / inner;
    moved += static_cast<std::int64_t>(index) * steps.front().stride;
    first -= index * inner;
    last -= index * inner;
    steps.erase(steps.begin());
  }
  if (first % inner == 0 && last % inner == 0) {
    moved += static_cast<std::int64_t>(first / inner) * steps.front().stride;
    steps.front().size = (last - first) / inner;
    return withSteps(dimension, std::move(steps), moved);
  }
  // The slice begins or ends within an index of the outer step.
  if (shape_.size() == 1) {
    RunList list;
    addRuns(begin, end, list);
    return ofRuns(list.take(), {end - begin});
  }
  const std::size_t cuts[] = {begin, begin + (inner - first % inner) % inner, end - last % inner,
                              end};
  std::vector<View> pieces;
  for (std::size_t i = 0; i < 3; ++i) {
    if (cuts[i] < cuts[i + 1]) {
      pieces.push_back(slice(cuts[i], cuts[i + 1], dimension));
    }
  }
  return concat(pieces, dimension);
}

View View::dropDimension(unsigned dimension) const {
  View view = *this;
  const auto steps = stepsOf(dimension);
  const auto at = view.dims_.begin() + (steps.data() - dims_.data());
  view.dims_.erase(at, at + static_cast<std::ptrdiff_t>(steps.size()));
  view.shape_.erase(view.shape_.begin() + dimension);
  return view;
}

View View::insertDimension(unsigned before) const {
  View view = *this;
  const auto at = before == shape_.size()
                      ? view.dims_.end()
                      : view.dims_.begin() + (stepsOf(before).data() - dims_.data());
  view.dims_.insert(at, Dim{});
  view.shape_.insert(view.shape_.begin() + before, 1);
  return view;
}

View View::dimShuffle(std::span<const unsigned> permutation) const {
  View view = *this;
  view.dims_.clear();
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    view.shape_[d] = shape_[permutation[d]];
    const auto steps = stepsOf(permutation[d]);
    view.dims_.insert(view.dims_.end(), steps.begin(), steps.end());
  }
  return view;
}

View View::reshape(std::vector<std::size_t> shape) const {
  if (numElements() == 0) {
    return ofRuns({}, std::move(shape));
  }
  Dims from = box(), to;
  std::size_t next = 0;
  for (const std::size_t size : shape) {
    if (size == 1) {
      to.push_back({});
    }
    bool begins = true;
    for (std::size_t left = size; left > 1; begins = false) {
      Dim &step = from[next];
      if (left % step.size == 0) {
        to.push_back({step.size, step.stride, begins});
        left /= step.size;
        ++next;
      } else if (step.size % left == 0) {
        const std::size_t inner = step.size / left;
        to.push_back({left, step.stride * static_cast<std::int64_t>(inner), begins});
        step.size = inner;
        left = 1;
      } else {
        return ofRuns(runs(), std::move(shape));
      }
    }
  }
  View view = *this;
  view.dims_ = std::move(to);
  view.shape_ = std::move(shape);
  return view;
}

View View::broadcast(std::size_t n, unsigned dimension) const {
  if (n == 1) {
    return *this;
  }
  std::vector<std::size_t> shape = shape_;
  shape[dimension] *= n;
  if (product(shape) == 0) {
    return ofRuns({}, std::move(shape));
  }
  const auto old = stepsOf(dimension);
  Dims steps{{n, 0, true}};
  steps.insert(steps.end(), old.begin(), old.end());
  return withSteps(dimension, std::move(steps), 0);
}

View View::subSample(std::size_t stride, unsigned dimension) const {
  std::vector<std::size_t> shape = shape_;
  shape[dimension] = (shape_[dimension] + stride - 1) / stride;
  if (product(shape) == 0) {
    return ofRuns({}, std::move(shape));
  }
  const auto old = stepsOf(dimension);
  Dims steps(old.begin(), old.end());
  while (steps.size() > 1 && stride % steps.back().size == 0) {
    stride /= steps.back().size;
    steps.pop_back();
  }
  Dim &inner = steps.back();
  if (steps.size() > 1 && inner.size % stride != 0) {
    return ofRuns(runs(), shape_).subSample(stride, dimension);
  }
  inner.size = (inner.size + stride - 1) / stride;
  inner.stride *= static_cast<std::int64_t>(stride);
  return withSteps(dimension, std::move(steps), 0);
}

View View::upsample(std::size_t scale, unsigned dimension) const {
  std::vector<std::size_t> shape = shape_;
  shape[dimension] *= scale;
  return insertDimension(dimension + 1).broadcast(scale, dimension + 1).reshape(std::move(shape));
}

View View::reverse(unsigned dimension) const {
  if (numElements() == 0) {
    return *this;
  }
  const auto old = stepsOf(dimension);
  Dims steps(old.begin(), old.end());
  std::int64_t moved = 0;
  for (Dim &step : steps) {
    moved += static_cast<std::int64_t>(step.size - 1) * step.stride;
    step.stride = -step.stride;
  }
  return withSteps(dimension, std::move(steps), moved);
}

View View::gather(std::span<const PositionInterval> intervals) const {
  RunList list;
  std::uint64_t elements = 0;
  const Dims dims = box();
  BoxWalk walk(*buffer_, list); // shared, as consecutive intervals often have nearby runs
  for (const auto &[begin, end] : intervals) {
    walk.walkRange(std::span<const Dim>(dims), offset_, begin, end);
    elements += end - begin;
  }
  return ofRuns(list.take(), {elements});
}

std::optional<BoxOrder> View::ascendingOrder() const {
  if (numElements() == 0 || !isPlainlyAliasFree()) {
    return std::nullopt;
  }
  const Dims dims = box();
  const bool backwards = buffer_->runs.front().stride < 0;
  BoxOrder order;
  for (unsigned d = 0; d < dims.size(); ++d) {
    order.shape.push_back(dims[d].size);
    order.permutation.push_back(d);
    if ((dims[d].stride < 0) != backwards) {
      order.reversed.push_back(d);
    }
  }
  std::sort(order.permutation.begin(), order.permutation.end(), [&](unsigned a, unsigned b) {
    return std::abs(dims[a].stride) > std::abs(dims[b].stride);
  });
  return order;
}

View View::inOrder(const BoxOrder &order) const {
  View view = reshape(order.shape);
  for (const unsigned d : order.reversed) {
    view = view.reverse(d);
  }
  return view.dimShuffle(order.permutation).reshape({numElements()});
}

void View::addRuns(std::uint64_t begin, std::uint64_t end, RunList &list) const {
  if (begin < end) {
    BoxWalk(*buffer_, list).walkRange(std::span<const Dim>(box()), offset_, begin, end);
  }
}

std::vector<Run> View::runs() const {
  RunList list;
  addRuns(0, numElements(), list);
  return list.take();
}

std::vector<Run> View::elementRuns() const {
  RunList list;
  if (numElements() > 0) {
    Dims dims;
    std::int64_t offset = offset_;
    for (Dim dim : box()) {
      if (dim.stride < 0) {
        offset += static_cast<std::int64_t>(dim.size - 1) * dim.stride;
        dim.stride = -dim.stride;
      }
      if (dim.stride != 0) {
        dims.push_back(dim);
      }
    }
    std::sort(dims.begin(), dims.end(),
              [](const Dim &a, const Dim &b) { return a.stride > b.stride; });
    BoxWalk(*buffer_, list).walk(std::span<const Dim>(simplified(dims)), offset);
  }
  return list.take();
}

std::int64_t View::positionOf(std::size_t index) const {
  std::int64_t position = offset_;
  for (std::size_t d = dims_.size(); d-- > 0;) {
    position += static_cast<std::int64_t>(index % dims_[d].size) * dims_[d].stride;
    index /= dims_[d].size;
  }
  return position;
}

Run View::at(std::size_t position) const {
  const auto p = static_cast<std::uint64_t>(positionOf(position));
  const std::size_t i = buffer_->indexOf(p);
  return {buffer_->runs[i].variable, elementOf(buffer_->runs[i], p - buffer_->starts[i]), 1, 1};
}

bool View::isContiguous() const {
  const std::size_t elements = numElements();
  if (elements <= 1) {
    return true;
  }
  // Comparing the ends rejects most views without a walk.
  const Run first = at(0), last = at(elements - 1);
  if (first.variable != last.variable || last.begin - first.begin != elements - 1) {
    return false;
  }
  const std::vector<Run> all = runs();
  return all.size() == 1 && all.front().stride == 1;
}

bool View::isPlainlyAliasFree() const {
  if (numElements() == 0) {
    return true;
  }
  if (buffer_->runs.size() != 1 || buffer_->runs.front().stride == 0) {
    return false;
  }
  Dims dims = box();
  std::sort(dims.begin(), dims.end(),
            [](const Dim &a, const Dim &b) { return std::abs(a.stride) < std::abs(b.stride); });
  std::int64_t reach = 0; // distance from the first to the last position of the dimensions so far
  for (const Dim &dim : dims) {
    if (std::abs(dim.stride) <= reach) {
      return false;
    }
    reach += static_cast<std::int64_t>(dim.size - 1) * std::abs(dim.stride);
  }
  return true;
}

bool operator==(const View &a, const View &b) {
  if (a.shape_ != b.shape_) {
    return false;
  }
  if (a.numElements() == 0 ||
      (a.buffer_->sameAs(*b.buffer_) && a.offset_ == b.offset_ && a.box() == b.box())) {
    return true;
  }
  if (!(a.at(0) == b.at(0))) {
    return false; // most different views differ here
  }
  // A sequence can be cut into runs in several ways, so compare the runs element by element.
  const std::vector<Run> as = a.runs(), bs = b.runs();
  std::size_t i = 0, j = 0;
  std::uint64_t atA = 0, atB = 0;
  while (i < as.size() && j < bs.size()) {
    const std::uint64_t both = std::min(as[i].count - atA, bs[j].count - atB);
    if (as[i].variable != bs[j].variable || elementOf(as[i], atA) != elementOf(bs[j], atB) ||
        (both > 1 && as[i].stride != bs[j].stride)) {
      return false;
    }
    atA += both;
    atB += both;
    if (atA == as[i].count) {
      ++i, atA = 0;
    }
    if (atB == bs[j].count) {
      ++j, atB = 0;
    }
  }
  return true;
}

} // namespace copse::graph
