#include "graph/model.hpp"

#include "types/element_type.hpp"

#include <algorithm>
#include <iterator>

namespace copse::graph {

TileMap::TileMap(std::uint64_t elements) : elements_(elements) {
  if (elements_ > 0) {
    starts_.emplace(0, kNoTile);
  }
}

void TileMap::set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
  end = std::min(end, elements_);
  if (begin >= end) {
    return;
  }
  // The elements after `end` keep their tile; the pieces that started within are removed.
  const auto after = starts_.upper_bound(end);
  const std::uint32_t tileAfter = std::prev(after)->second;
  auto first = starts_.lower_bound(begin);
  const bool continues = first != starts_.begin() && std::prev(first)->second == tile;
  first = starts_.erase(first, after);
  if (end < elements_ && tileAfter != tile) {
    first = starts_.emplace_hint(first, end, tileAfter);
  }
  if (!continues) {
    starts_.emplace_hint(first, begin, tile);
  }
}

TileMap::Piece TileMap::pieceAt(std::uint64_t element) const {
  const auto after = starts_.upper_bound(element);
  const auto piece = std::prev(after);
  return {piece->first, after == starts_.end() ? elements_ : after->first, piece->second};
}

std::vector<TileMap::Piece> TileMap::pieces(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Piece> out;
  end = std::min(end, elements_);
  if (begin >= end) {
    return out;
  }
  for (auto it = std::prev(starts_.upper_bound(begin)); it != starts_.end() && it->first < end;) {
    const auto next = std::next(it);
    const std::uint64_t stop = next == starts_.end() ? elements_ : next->first;
    out.push_back({std::max(it->first, begin), std::min(stop, end), it->second});
    it = next;
  }
  return out;
}

bool TileMap::complete() const {
  return std::none_of(starts_.begin(), starts_.end(),
                      [](const auto &piece) { return piece.second == kNoTile; });
}

std::uint32_t elementBytes(const Model &model, ElementType type) {
  // Only a field knows the size of a struct.
  return type == ElementType::Other ? 0 : types::elementBytes(type, model.arch, model.halfBytes);
}

} // namespace copse::graph
