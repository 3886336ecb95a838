#include "graph/run_list.hpp"

namespace copse::graph {
namespace {

std::int64_t distance(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to - from);
}

/// Gives a single element stride 1, whatever it was cut from.
Run normalised(Run run) {
  if (run.count == 1) {
    run.stride = 1;
  }
  return run;
}

} // namespace

void RunList::add(Run piece) {
  if (piece.count == 0) {
    return;
  }
  piece = normalised(piece);
  if (runs_.empty() || runs_.back().variable != piece.variable) {
    runs_.push_back(piece);
    return;
  }
  if (extendLast(piece) || moveTailToPiece(piece) || moveHeadToLast(piece)) {
    return;
  }
  runs_.push_back(piece);
}

bool RunList::extendLast(const Run &piece) {
  Run &last = runs_.back();
  const std::int64_t gap = distance(lastElement(last), piece.begin);
  const bool lastFits = last.count == 1 || last.stride == gap;
  const bool pieceFits = piece.count == 1 || piece.stride == gap;
  if (!lastFits || !pieceFits) {
    return false;
  }
  last.stride = gap;
  last.count += piece.count;
  return true;
}

bool RunList::moveTailToPiece(const Run &piece) {
  Run &last = runs_.back();
  const bool contiguous = piece.count == 1 || piece.stride == 1;
  if (!contiguous || last.count == 1 || distance(lastElement(last), piece.begin) != 1) {
    return false;
  }
  const Run block{piece.variable, piece.begin - 1, piece.count + 1, 1};
  Run rest = last;
  --rest.count;
  runs_.pop_back();
  add(rest); // being shorter, it may now continue its own predecessor
  runs_.push_back(block);
  return true;
}

bool RunList::moveHeadToLast(const Run &piece) {
  Run &last = runs_.back();
  const bool contiguous = last.count == 1 || last.stride == 1;
  if (!contiguous || piece.count == 1 || distance(lastElement(last), piece.begin) != 1) {
    return false;
  }
  last.stride = 1;
  ++last.count;
  runs_.push_back(normalised({piece.variable, elementOf(piece, 1), piece.count - 1, piece.stride}));
  return true;
}

} // namespace copse::graph
