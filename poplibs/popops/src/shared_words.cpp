#include "shared_words.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <poplar/VariableRef.hpp>

namespace copse::reductions {
namespace {

/// Elements of a variable, next to each other, of one part.
struct Piece {
  poplar::VariableInterval where;
  std::size_t part;
};

std::vector<Piece> piecesInOrder(const std::vector<poplar::Tensor> &parts) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i != parts.size(); ++i)
    for (const poplar::VariableInterval &where : parts[i].flatten().getVarRegions())
      pieces.push_back({where, i});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece &a, const Piece &b) { return a.where < b.where; });
  return pieces;
}

/// Parts that were joined so far: each names another one of its group, or itself.
class Groups {
public:
  explicit Groups(std::size_t parts) : next_(parts) { std::iota(next_.begin(), next_.end(), 0); }
  void join(std::size_t a, std::size_t b) { next_[of(b)] = of(a); }
  std::size_t of(std::size_t part) {
    while (next_[part] != part)
      part = next_[part] = next_[next_[part]];
    return part;
  }

private:
  std::vector<std::size_t> next_;
};

} // namespace

std::vector<std::vector<std::size_t>>
groupsWithSharedWords(const poplar::Target &target, const std::vector<poplar::Tensor> &parts) {
  const std::size_t perWord = std::max<std::size_t>(
      1, target.getAtomicStoreGranularity() / target.getTypeSize(parts.front().elementType()));
  const std::vector<Piece> pieces = piecesInOrder(parts);
  Groups groups(parts.size());
  std::size_t end = 0; // end of the previous piece, in elements of the variable on this tile
  for (std::size_t i = 0; i != pieces.size(); ++i) {
    const bool continues = i != 0 && pieces[i - 1].where.var == pieces[i].where.var;
    if (!continues)
      end = 0;
    else if (end % perWord != 0)
      groups.join(pieces[i - 1].part, pieces[i].part);
    end += pieces[i].where.interval.size();
  }
  std::map<std::size_t, std::size_t> numbers; // numbers of groups, in the order of memory
  std::vector<std::vector<std::size_t>> found;
  std::vector<bool> isPlaced(parts.size());
  for (const Piece &piece : pieces) {
    const auto [at, isNew] = numbers.emplace(groups.of(piece.part), found.size());
    if (isNew)
      found.emplace_back();
    if (!isPlaced[piece.part])
      found[at->second].push_back(piece.part);
    isPlaced[piece.part] = true;
  }
  return found;
}

} // namespace copse::reductions
