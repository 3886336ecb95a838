#include "move_runs.hpp"

#include <cstddef>

namespace copse::compiler {
namespace {

using wire::Move;

/// Shorter runs are not worthwhile: any two blocks have a constant distance.
constexpr std::size_t kLeast = 3;

std::int32_t distance(const wire::TileAddress &from, const wire::TileAddress &to) {
  return static_cast<std::int32_t>(to.address) - static_cast<std::int32_t>(from.address);
}

bool canFollow(const Move &move, const Move &next) {
  return move.count == 1 && next.count == 1 && next.bytes == move.bytes &&
         next.from.tile == move.from.tile && next.to.tile == move.to.tile;
}

/// \returns the length of the run that begins with move \p first
std::size_t lengthOfRun(const std::vector<Move> &moves, std::size_t first) {
  if (first + 1 == moves.size() || !canFollow(moves[first], moves[first + 1]))
    return 1;
  const std::int32_t from = distance(moves[first].from, moves[first + 1].from),
                     to = distance(moves[first].to, moves[first + 1].to);
  std::size_t end = first + 2;
  while (end < moves.size() && canFollow(moves[end - 1], moves[end]) &&
         distance(moves[end - 1].from, moves[end].from) == from &&
         distance(moves[end - 1].to, moves[end].to) == to)
    ++end;
  return end - first;
}

} // namespace

std::vector<Move> joinRuns(std::vector<Move> moves) {
  std::size_t kept = 0;
  for (std::size_t first = 0; first < moves.size();) {
    Move move = moves[first];
    std::size_t count = lengthOfRun(moves, first);
    if (count < kLeast) {
      count = 1;
    } else {
      move.count = static_cast<std::uint32_t>(count);
      move.fromStride = distance(moves[first].from, moves[first + 1].from);
      move.toStride = distance(moves[first].to, moves[first + 1].to);
    }
    moves[kept++] = move;
    first += count;
  }
  moves.resize(kept);
  moves.shrink_to_fit();
  return moves;
}

} // namespace copse::compiler
