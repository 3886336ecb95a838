#pragma once

#include "graph/view.hpp"

#include <vector>

namespace copse::graph {

/// Builds a list of runs from pieces that arrive in order, and merges adjacent pieces.
///
/// A piece of stride 1 is preferred, because it can be copied as a block: if an element could
/// belong to either of two runs, the contiguous one gets it.
class RunList {
public:
  void add(Run piece);
  void reserve(std::size_t runs) { runs_.reserve(runs); }
  std::vector<Run> take() { return std::move(runs_); }
  const std::vector<Run> &runs() const { return runs_; }

private:
  bool extendLast(const Run &piece);
  bool moveTailToPiece(const Run &piece);
  bool moveHeadToLast(const Run &piece);
  std::vector<Run> runs_;
};

/// Returns the element number of the last element of \p run.
inline std::uint64_t lastElement(const Run &run) {
  return run.begin +
         static_cast<std::uint64_t>(static_cast<std::int64_t>(run.count - 1) * run.stride);
}

/// Returns the element number of element \p i of \p run.
inline std::uint64_t elementOf(const Run &run, std::uint64_t i) {
  return run.begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * run.stride);
}

} // namespace copse::graph
