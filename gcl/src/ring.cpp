#include "ring.hpp"

#include <algorithm>
#include <numeric>

namespace gcl {

Ring::Ring(const std::vector<std::vector<unsigned>> &groups, std::vector<unsigned> order)
    : order_(std::move(order)), positions_(groups.size() * order_.size()) {
  for (const std::vector<unsigned> &group : groups) {
    std::vector<unsigned> members;
    for (unsigned position = 0; position < size(); ++position) {
      members.push_back(group[order_[position]]);
      positions_[members.back()] = position;
    }
    members_.push_back(std::move(members));
  }
}

unsigned Ring::positionOfRank(unsigned rank) const {
  return static_cast<unsigned>(std::find(order_.begin(), order_.end(), rank) - order_.begin());
}

std::map<unsigned, unsigned> Ring::shift(unsigned by) const {
  std::map<unsigned, unsigned> map;
  visitShift(by, [&](unsigned from, unsigned to) { map[from] = to; });
  return map;
}

std::vector<unsigned> orderByRank(unsigned size) {
  std::vector<unsigned> order(size);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::vector<unsigned> orderUpAndDown(unsigned size) {
  std::vector<unsigned> order;
  for (unsigned rank = 0; rank < size; rank += 2)
    order.push_back(rank);
  for (unsigned odd = size / 2; odd-- > 0;)
    order.push_back(2 * odd + 1);
  return order;
}

} // namespace gcl
