#include "renaming.hpp"

#include "graph/run_list.hpp"

#include <algorithm>
#include <cstdlib>

namespace copse::graph {

Renaming::Renaming(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece &a, const Piece &b) {
    return std::make_pair(a.old.variable, a.old.begin) <
           std::make_pair(b.old.variable, b.old.begin);
  });
}

const Renaming::Piece &Renaming::pieceOf(VariableId variable, std::uint64_t element) const {
  const auto it =
      std::upper_bound(pieces_.begin(), pieces_.end(), std::make_pair(variable, element),
                       [](const auto &key, const Piece &piece) {
                         return key < std::make_pair(piece.old.variable, piece.old.begin);
                       });
  return *std::prev(it);
}

View Renaming::apply(const View &view, VariableId variable, std::uint64_t copy) const {
  RunList list;
  for (const Run &run : view.runs()) {
    for (std::uint64_t i = 0; i < run.count;) {
      const std::uint64_t element = elementOf(run, i);
      const Piece &piece = pieceOf(run.variable, element);
      const std::uint64_t local = element - piece.old.begin;
      std::uint64_t steps = run.count - i;
      if (run.stride != 0) {
        const std::uint64_t room = run.stride > 0 ? piece.old.count - 1 - local : local;
        steps = std::min(steps, 1 + room / static_cast<std::uint64_t>(std::abs(run.stride)));
      }
      list.add({variable, piece.begin + copy * piece.copyStride + local, steps, run.stride});
      i += steps;
    }
  }
  return View::ofRuns(list.take(), view.shape());
}

} // namespace copse::graph
