#include "graph/view.hpp"

#include "graph/run_list.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

namespace copse::graph {
namespace {

std::size_t product(std::span<const std::size_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::int64_t> rowMajorStrides(std::span<const std::size_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= static_cast<std::int64_t>(shape[d]);
  }
  return strides;
}

/// A concatenation inside rows costs runs for every row; storing columns instead costs strided
/// runs, which are slower to copy. Rows are given up when columns need this many times fewer runs.
constexpr std::size_t kColumnsPayOff = 16;

} // namespace

struct View::Dim {
  std::size_t size;
  std::int64_t stride;
};

/// A row of runs; `starts[i]` is the position of the first element of `runs[i]`.
struct View::Buffer {
  explicit Buffer(std::vector<Run> list) : runs(std::move(list)) {
    starts.reserve(runs.size());
    std::uint64_t position = 0;
    for (const Run &run : runs) {
      starts.push_back(position);
      position += run.count;
    }
  }
  std::size_t indexOf(std::uint64_t position) const {
    if (runs.size() == 1) {
      return 0;
    }
    return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), position) -
                                    starts.begin()) -
           1;
  }
  /// The same, where the run before was \p hint.
  std::size_t indexOf(std::uint64_t position, std::size_t hint) const {
    for (const std::size_t i : {hint, hint + 1}) {
      if (i < runs.size() && position >= starts[i] && position - starts[i] < runs[i].count) {
        return i;
      }
    }
    return indexOf(position);
  }
  bool sameAs(const Buffer &other) const {
    return this == &other ||
           (runs.size() == 1 && other.runs.size() == 1 && runs.front() == other.runs.front());
  }

  std::vector<Run> runs;
  std::vector<std::uint64_t> starts;
};

namespace {

/// Walks a box over a buffer in row-major order and hands on the runs that it crosses.
template <typename Buffer, typename Sink> class BoxWalk {
public:
  BoxWalk(const Buffer &buffer, Sink &sink) : buffer_(buffer), sink_(sink) {}

  template <typename Dim> void walk(std::span<const Dim> box, std::int64_t offset) {
    if (box.empty()) {
      strip(offset, 1, 1);
      return;
    }
    if (box.size() == 1) {
      strip(offset, box[0].size, box[0].stride);
      return;
    }
    for (std::size_t i = 0; i < box[0].size; ++i) {
      walk(box.subspan(1), offset + static_cast<std::int64_t>(i) * box[0].stride);
    }
  }

private:
  void strip(std::int64_t position, std::size_t count, std::int64_t stride) {
    while (count > 0) {
      const auto at = static_cast<std::uint64_t>(position);
      hint_ = buffer_.indexOf(at, hint_);
      const Run &run = buffer_.runs[hint_];
      const std::uint64_t local = at - buffer_.starts[hint_];
      const std::uint64_t steps = std::min<std::uint64_t>(count, stepsInside(run, local, stride));
      sink_.add({run.variable, elementOf(run, local), steps, run.stride * stride});
      position += static_cast<std::int64_t>(steps) * stride;
      count -= steps;
    }
  }

  static std::uint64_t stepsInside(const Run &run, std::uint64_t local, std::int64_t stride) {
    if (stride == 0) {
      return ~std::uint64_t{0};
    }
    const std::uint64_t room = stride > 0 ? run.count - 1 - local : local;
    return 1 + room / static_cast<std::uint64_t>(std::abs(stride));
  }

  const Buffer &buffer_;
  Sink &sink_;
  std::size_t hint_ = 0;
};

template <typename Buffer, typename Dim, typename Sink>
void walkBox(const Buffer &buffer, const std::vector<Dim> &box, std::int64_t offset, Sink &sink) {
  BoxWalk<Buffer, Sink>(buffer, sink).walk(std::span<const Dim>(box), offset);
}

/// Drops dimensions of size 1 and joins those that step like one.
template <typename Dim> std::vector<Dim> simplified(std::span<const Dim> dims) {
  std::vector<Dim> out;
  for (const Dim &dim : dims) {
    if (dim.size == 1) {
      continue;
    }
    if (!out.empty() && out.back().stride == static_cast<std::int64_t>(dim.size) * dim.stride) {
      out.back() = {out.back().size * dim.size, dim.stride};
    } else {
      out.push_back(dim);
    }
  }
  return out;
}

/// Number of strips that a walk over \p box makes.
template <typename Dim> std::size_t strips(const std::vector<Dim> &box) {
  std::size_t n = 1;
  for (std::size_t d = 0; d + 1 < box.size(); ++d) {
    n *= box[d].size;
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
  view.strides_ = rowMajorStrides(shape);
  view.shape_ = std::move(shape);
  if (!runs.empty()) {
    view.buffer_ = std::make_shared<const Buffer>(std::move(runs));
  }
  return view;
}

std::size_t View::numElements() const { return product(shape_); }

std::vector<View::Dim> View::box(unsigned firstDimension) const {
  std::vector<Dim> dims;
  dims.reserve(shape_.size());
  for (std::size_t d = firstDimension; d < shape_.size(); ++d) {
    dims.push_back({shape_[d], strides_[d]});
  }
  return simplified(std::span<const Dim>(dims));
}

View View::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  View view = *this;
  view.offset_ += static_cast<std::int64_t>(begin) * strides_[dimension];
  view.shape_[dimension] = end - begin;
  return view;
}

View View::dropDimension(unsigned dimension) const {
  View view = *this;
  view.shape_.erase(view.shape_.begin() + dimension);
  view.strides_.erase(view.strides_.begin() + dimension);
  return view;
}

View View::insertDimension(unsigned before) const {
  View view = *this;
  view.shape_.insert(view.shape_.begin() + before, 1);
  view.strides_.insert(view.strides_.begin() + before, 0);
  return view;
}

View View::dimShuffle(std::span<const unsigned> permutation) const {
  View view = *this;
  for (std::size_t d = 0; d < permutation.size(); ++d) {
    view.shape_[d] = shape_[permutation[d]];
    view.strides_[d] = strides_[permutation[d]];
  }
  return view;
}

View View::reshape(std::vector<std::size_t> shape) const {
  View view = *this;
  view.strides_ = rowMajorStrides(shape);
  view.shape_ = std::move(shape);
  if (view.numElements() == 0) {
    return view;
  }
  // Each dimension of the simplified box must be the product of whole new dimensions.
  std::size_t d = 0;
  for (const Dim &dim : box()) {
    const std::size_t first = d;
    std::size_t size = 1;
    while (d < view.shape_.size() && size < dim.size) {
      size *= view.shape_[d++];
    }
    if (size != dim.size) {
      return ofRuns(runs(), std::move(view.shape_));
    }
    std::int64_t stride = dim.stride;
    for (std::size_t k = d; k-- > first;) {
      view.strides_[k] = stride;
      stride *= static_cast<std::int64_t>(view.shape_[k]);
    }
  }
  return view;
}

View View::broadcast(std::size_t n, unsigned dimension) const {
  View view = *this;
  view.shape_[dimension] *= n;
  if (n == 1 || view.numElements() == 0) {
    return view;
  }
  if (shape_[dimension] == 1 || strides_[dimension] == 0) {
    view.strides_[dimension] = 0;
    return view;
  }
  return concat(std::vector<View>(n, *this), dimension);
}

View View::subSample(std::size_t stride, unsigned dimension) const {
  View view = *this;
  view.shape_[dimension] = (shape_[dimension] + stride - 1) / stride;
  view.strides_[dimension] *= static_cast<std::int64_t>(stride);
  return view;
}

View View::upsample(std::size_t scale, unsigned dimension) const {
  std::vector<std::size_t> shape = shape_;
  shape[dimension] *= scale;
  return insertDimension(dimension + 1).broadcast(scale, dimension + 1).reshape(std::move(shape));
}

View View::reverse(unsigned dimension) const {
  View view = *this;
  if (shape_[dimension] > 0) {
    view.offset_ += static_cast<std::int64_t>(shape_[dimension] - 1) * strides_[dimension];
    view.strides_[dimension] = -strides_[dimension];
  }
  return view;
}

bool View::extendBy(const View &next, unsigned dimension) {
  if (!buffer_->sameAs(*next.buffer_)) {
    return false;
  }
  const std::size_t size = shape_[dimension];
  const std::size_t nextSize = next.shape_[dimension];
  // A dimension of size 1 has no stride of its own yet.
  std::int64_t stride = strides_[dimension];
  if (size == 1) {
    stride = nextSize == 1 ? next.offset_ - offset_ : next.strides_[dimension];
  }
  const bool steps = nextSize == 1 || next.strides_[dimension] == stride;
  if (!steps || next.offset_ != offset_ + static_cast<std::int64_t>(size) * stride) {
    return false;
  }
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (d != dimension && shape_[d] > 1 && strides_[d] != next.strides_[d]) {
      return false;
    }
  }
  strides_[dimension] = stride;
  shape_[dimension] += nextSize;
  return true;
}

View View::concat(std::span<const View> views, unsigned dimension) {
  std::vector<std::size_t> shape = views.front().shape_;
  shape[dimension] = 0;
  std::vector<View> pieces;
  for (const View &view : views) {
    shape[dimension] += view.shape_[dimension];
    if (view.numElements() == 0 || (!pieces.empty() && pieces.back().extendBy(view, dimension))) {
      continue;
    }
    pieces.push_back(view);
  }
  if (pieces.empty()) {
    return ofRuns({}, std::move(shape));
  }
  if (pieces.size() == 1) {
    return std::move(pieces.front());
  }
  const std::size_t rows = product(std::span(shape).first(dimension));
  std::size_t asRows = 0, asColumns = 0;
  for (const View &piece : pieces) {
    asRows += rows * strips(piece.box(dimension));
    std::vector<Dim> dims{{piece.shape_[dimension], piece.strides_[dimension]}};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d != dimension) {
        dims.push_back({piece.shape_[d], piece.strides_[d]});
      }
    }
    asColumns += strips(simplified(std::span<const Dim>(dims)));
  }
  if (rows > 1 && asRows / kColumnsPayOff <= asColumns) {
    return concatInner(pieces, dimension, std::move(shape));
  }
  return concatOuter(pieces, dimension, std::move(shape));
}

View View::concatOuter(std::span<const View> views, unsigned dimension,
                       std::vector<std::size_t> shape) {
  std::vector<unsigned> toFront{dimension}, back(shape.size());
  for (unsigned d = 0; d < shape.size(); ++d) {
    if (d != dimension) {
      toFront.push_back(d);
    }
  }
  std::vector<std::size_t> stored(shape.size());
  for (unsigned d = 0; d < shape.size(); ++d) {
    back[toFront[d]] = d;
    stored[d] = shape[toFront[d]];
  }
  RunList list;
  for (const View &view : views) {
    const View columns = view.dimShuffle(toFront);
    walkBox(*columns.buffer_, columns.box(), columns.offset_, list);
  }
  return ofRuns(list.take(), std::move(stored)).dimShuffle(back);
}

View View::concatInner(std::span<const View> views, unsigned dimension,
                       std::vector<std::size_t> shape) {
  const std::span<const std::size_t> outer = std::span(shape).first(dimension);
  const std::vector<std::int64_t> outerStrides = rowMajorStrides(outer);
  std::vector<std::vector<Dim>> boxes;
  for (const View &view : views) {
    boxes.push_back(view.box(dimension));
  }
  RunList list;
  for (std::size_t row = 0, rows = product(outer); row < rows; ++row) {
    for (std::size_t v = 0; v < views.size(); ++v) {
      std::int64_t offset = views[v].offset_;
      for (std::size_t d = 0; d < outer.size(); ++d) {
        const std::size_t index = row / static_cast<std::size_t>(outerStrides[d]) % outer[d];
        offset += static_cast<std::int64_t>(index) * views[v].strides_[d];
      }
      walkBox(*views[v].buffer_, boxes[v], offset, list);
    }
  }
  return ofRuns(list.take(), std::move(shape));
}

std::vector<Run> View::runs() const {
  RunList list;
  if (numElements() > 0) {
    walkBox(*buffer_, box(), offset_, list);
  }
  return list.take();
}

std::vector<Run> View::elementRuns() const {
  RunList list;
  if (numElements() > 0) {
    std::vector<Dim> dims;
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
    walkBox(*buffer_, simplified(std::span<const Dim>(dims)), offset, list);
  }
  return list.take();
}

std::int64_t View::positionOf(std::size_t index) const {
  std::int64_t position = offset_;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    position += static_cast<std::int64_t>(index % shape_[d]) * strides_[d];
    index /= shape_[d];
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
  // The ends tell most views apart without a walk.
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
  std::vector<Dim> dims = box();
  std::sort(dims.begin(), dims.end(),
            [](const Dim &a, const Dim &b) { return std::abs(a.stride) < std::abs(b.stride); });
  std::int64_t reach = 0; // of the dimensions so far, from their first to their last position
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
      (a.buffer_ == b.buffer_ && a.offset_ == b.offset_ && a.strides_ == b.strides_)) {
    return true;
  }
  // One sequence may be cut into runs in several ways, so the runs are compared element for
  // element.
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
