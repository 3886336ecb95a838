#pragma once

#include "graph/run_list.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

/// The representation of views, for their own sources.
namespace copse::graph {

/// A row of runs; `starts[i]` is the position of the first element of `runs[i]`.
struct ViewBuffer {
  explicit ViewBuffer(std::vector<Run> list) : runs(std::move(list)) {
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
  /// Returns indexOf(position), faster if \p hint is the index of a nearby position.
  std::size_t indexOf(std::uint64_t position, std::size_t hint) const {
    for (const std::size_t i : {hint, hint + 1}) {
      if (i < runs.size() && position >= starts[i] && position - starts[i] < runs[i].count) {
        return i;
      }
    }
    return indexOf(position);
  }
  bool sameAs(const ViewBuffer &other) const {
    return this == &other ||
           (runs.size() == 1 && other.runs.size() == 1 && runs.front() == other.runs.front());
  }

  std::vector<Run> runs;
  std::vector<std::uint64_t> starts;
};

/// A view may have millions of elements, which are few runs in memory. This class walks the boxes
/// of a view in row-major order, and appends the runs that they cross to a list, joined where they
/// follow each other. The walk remembers its last positions in the buffer, because neighbouring
/// rows mostly hit the same runs.
class BoxWalk {
public:
  BoxWalk(const ViewBuffer &buffer, RunList &list) : buffer_(buffer), list_(list) {}

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

  /// Walks indices [begin, end) of the box in row-major order.
  template <typename Dim>
  void walkRange(std::span<const Dim> box, std::int64_t offset, std::uint64_t begin,
                 std::uint64_t end) {
    if (begin >= end) {
      return;
    }
    if (box.empty()) {
      strip(offset, 1, 1);
      return;
    }
    const std::int64_t stride = box[0].stride;
    if (box.size() == 1) {
      strip(offset + static_cast<std::int64_t>(begin) * stride, end - begin, stride);
      return;
    }
    const auto inside = box.subspan(1);
    std::uint64_t inner = 1;
    for (const Dim &dim : inside) {
      inner *= dim.size;
    }
    const auto at = [&](std::uint64_t i) { return offset + static_cast<std::int64_t>(i) * stride; };
    const std::uint64_t first = begin / inner, last = end / inner;
    if (first == last) {
      walkRange(inside, at(first), begin % inner, end % inner);
      return;
    }
    const bool cut = begin % inner != 0;
    if (cut) {
      walkRange(inside, at(first), begin % inner, inner);
    }
    for (std::uint64_t i = first + (cut ? 1 : 0); i < last; ++i) {
      walk(inside, at(i));
    }
    walkRange(inside, at(last), 0, end % inner);
  }

private:
  void strip(std::int64_t position, std::size_t count, std::int64_t stride) {
    for (std::size_t piece = 0; count > 0; ++piece) {
      if (piece == hints_.size()) {
        hints_.push_back(piece == 0 ? 0 : hints_.back());
      }
      const auto at = static_cast<std::uint64_t>(position);
      const std::size_t index = hints_[piece] = buffer_.indexOf(at, hints_[piece]);
      const Run &run = buffer_.runs[index];
      const std::uint64_t local = at - buffer_.starts[index];
      const std::uint64_t steps = std::min<std::uint64_t>(count, stepsInside(run, local, stride));
      list_.add({run.variable, elementOf(run, local), steps, run.stride * stride});
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

  const ViewBuffer &buffer_;
  RunList &list_;
  /// For each piece of a strip, the run of that piece in the previous strip: strips are alike, and
  /// a strip across columns has another run for each element.
  std::vector<std::size_t> hints_;
};

} // namespace copse::graph
