#include "view_walk.hpp"

#include "graph/view.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace copse::graph {
namespace {

/// A concatenation within rows needs runs for every row; storing columns instead needs strided
/// runs, which are slower to copy. Columns are used if they need this many times fewer runs.
constexpr std::size_t kColumnsPayOff = 16;
/// Elements are stored in memory order if runs then have at least this average length. In another
/// order, most readers would get a run for each element.
constexpr std::size_t kLongRun = 16;

/// Returns the number of strips in a walk over \p box.
template <typename Dims> std::size_t stripsOf(const Dims &box) {
  std::size_t n = 1;
  for (std::size_t d = 0; d + 1 < box.size(); ++d) {
    n *= box[d].size;
  }
  return n;
}

} // namespace

/// Joins views along a dimension.
class ViewJoiner {
public:
  using Dim = View::Dim;
  using Dims = View::Dims;

  ViewJoiner(std::vector<std::size_t> shape, unsigned dimension)
      : shape_(std::move(shape)), dimension_(dimension) {}

  void add(const View &view) {
    if (view.numElements() > 0 && (pieces_.empty() || !extend(pieces_.back(), view))) {
      pieces_.push_back(view);
    }
  }

  View take() {
    if (pieces_.empty()) {
      return View::ofRuns({}, std::move(shape_));
    }
    if (pieces_.size() == 1) {
      return std::move(pieces_.front());
    }
    if (const auto order = memoryOrder()) {
      const ViewJoiner inMemory = shuffled(*order);
      if (inMemory.strips() * kLongRun <= product(shape_)) {
        return inMemory.byRows().dimShuffle(inverse(*order));
      }
    }
    const std::vector<unsigned> columnsFirst = joinedFirst();
    const ViewJoiner columns = shuffled(columnsFirst);
    return strips() / kColumnsPayOff <= columns.strips()
               ? byRows()
               : columns.byRows().dimShuffle(inverse(columnsFirst));
  }

private:
  using Steps = std::span<const Dim>;

  static Steps stepsOf(const View &view, unsigned dimension) {
    return view.shape_[dimension] == 1 ? Steps() : view.stepsOf(dimension);
  }
  static bool same(Steps a, Steps b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim &x, const Dim &y) {
      return x.size == y.size && x.stride == y.stride;
    });
  }

  /// Extends \p last by \p view, if one box can represent both.
  bool extend(View &last, const View &view) const {
    if (!last.buffer_->sameAs(*view.buffer_)) {
      return false;
    }
    for (unsigned d = 0; d < shape_.size(); ++d) {
      if (d != dimension_ && !same(stepsOf(last, d), stepsOf(view, d))) {
        return false;
      }
    }
    const Steps own = stepsOf(last, dimension_), added = stepsOf(view, dimension_);
    const std::int64_t distance = view.offset_ - last.offset_;
    // The added part may be more of the outer step, or both parts may become indices of a new outer
    // step.
    if (!own.empty() && joined(last, own.front(), own.subspan(1), added, distance)) {
      return true;
    }
    const std::int64_t stride = added.size() > own.size() ? added.front().stride : distance;
    return joined(last, {1, stride, true}, own, added, distance);
  }

  /// \param outer, inner  the steps of \p last along the dimension
  bool joined(View &last, Dim outer, Steps inner, Steps added, std::int64_t distance) const {
    if (distance != static_cast<std::int64_t>(outer.size) * outer.stride) {
      return false;
    }
    std::size_t more = 1;
    if (!same(added, inner)) {
      const bool steps = added.size() == inner.size() + 1 && added.front().stride == outer.stride &&
                         same(added.subspan(1), inner);
      if (!steps) {
        return false;
      }
      more = added.front().size;
    }
    const Steps all = last.stepsOf(dimension_);
    if (outer.size > 1 && all.size() == inner.size() + 1) { // it has this outer step
      const std::size_t block = last.shape_[dimension_] / outer.size;
      last.dims_[static_cast<std::size_t>(all.data() - last.dims_.data())].size += more;
      last.shape_[dimension_] += more * block;
      return true;
    }
    Dims steps{{outer.size + more, outer.stride, true}};
    steps.insert(steps.end(), inner.begin(), inner.end());
    last = last.withSteps(dimension_, std::move(steps), 0);
    return true;
  }

  /// Returns the steps of the dimensions before the joined one, and of those after it.
  Dims outside(const View &view) const {
    const std::size_t end =
        static_cast<std::size_t>(view.stepsOf(dimension_).data() - view.dims_.data());
    return View::simplified(std::span(view.dims_).first(end));
  }
  Dims inside(const View &view) const {
    const std::size_t begin =
        static_cast<std::size_t>(view.stepsOf(dimension_).data() - view.dims_.data());
    return View::simplified(std::span(view.dims_).subspan(begin));
  }
  /// Returns the order of dimensions with the joined one first.
  std::vector<unsigned> joinedFirst() const {
    std::vector<unsigned> order(shape_.size());
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + dimension_, order.begin() + dimension_ + 1);
    return order;
  }

  /// Returns the dimensions by descending stride, if that order is equal for all pieces.
  std::optional<std::vector<unsigned>> memoryOrder() const {
    const std::vector<unsigned> order = orderOf(pieces_.front());
    const auto sameOrder = [&](const View &piece) {
      return std::none_of(piece.dims_.begin(), piece.dims_.end(), isBroadcast) &&
             orderOf(piece) == order;
    };
    return std::all_of(pieces_.begin(), pieces_.end(), sameOrder) ? std::optional(order)
                                                                  : std::nullopt;
  }
  static bool isBroadcast(const Dim &dim) { return dim.size > 1 && dim.stride == 0; }
  std::vector<unsigned> orderOf(const View &piece) const {
    std::vector<std::int64_t> strides;
    for (unsigned d = 0; d < shape_.size(); ++d) {
      const std::int64_t stride = std::abs(piece.stepsOf(d).back().stride);
      strides.push_back(shape_[d] == 1 ? std::numeric_limits<std::int64_t>::max() : stride);
    }
    std::vector<unsigned> order(shape_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
    return order;
  }

  static std::vector<unsigned> inverse(const std::vector<unsigned> &order) {
    std::vector<unsigned> back(order.size());
    for (unsigned d = 0; d < order.size(); ++d) {
      back[order[d]] = d;
    }
    return back;
  }
  /// Returns this joiner with the dimensions of all views in another order.
  ViewJoiner shuffled(const std::vector<unsigned> &order) const {
    std::vector<std::size_t> shape;
    for (const unsigned d : order) {
      shape.push_back(shape_[d]);
    }
    ViewJoiner joiner(std::move(shape), inverse(order)[dimension_]);
    for (const View &piece : pieces_) {
      joiner.pieces_.push_back(piece.dimShuffle(order));
    }
    return joiner;
  }

  std::size_t rows() const { return product(std::span(shape_).first(dimension_)); }
  /// Returns the number of strips that byRows() walks.
  std::size_t strips() const {
    std::size_t n = 0;
    for (const View &piece : pieces_) {
      n += rows() * stripsOf(inside(piece));
    }
    return n;
  }

  View byRows() const {
    struct Piece {
      BoxWalk walk;
      Dims outer, inner;
      std::int64_t offset;
    };
    RunList list;
    std::vector<Piece> pieces;
    for (const View &view : pieces_) {
      pieces.push_back({BoxWalk(*view.buffer_, list), outside(view), inside(view), view.offset_});
    }
    for (std::size_t row = 0, end = rows(); row < end; ++row) {
      for (Piece &piece : pieces) {
        std::int64_t offset = piece.offset;
        std::size_t rest = row;
        for (std::size_t d = piece.outer.size(); d-- > 0;) {
          offset += static_cast<std::int64_t>(rest % piece.outer[d].size) * piece.outer[d].stride;
          rest /= piece.outer[d].size;
        }
        piece.walk.walk(std::span<const Dim>(piece.inner), offset);
      }
    }
    return View::ofRuns(list.take(), shape_);
  }

  std::vector<std::size_t> shape_; ///< shape of the result
  unsigned dimension_;
  std::vector<View> pieces_;
};

View View::concat(std::span<const View> views, unsigned dimension) {
  std::vector<std::size_t> shape = views.front().shape_;
  shape[dimension] = 0;
  for (const View &view : views) {
    shape[dimension] += view.shape_[dimension];
  }
  ViewJoiner joiner(std::move(shape), dimension);
  for (const View &view : views) {
    joiner.add(view);
  }
  return joiner.take();
}

} // namespace copse::graph
