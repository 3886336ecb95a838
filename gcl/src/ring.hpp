#pragma once

#include <map>
#include <vector>

namespace gcl {

/// Collectives pass data from neighbour to neighbour, and ranks that follow each other need not be
/// neighbours in the machine. This class gives the replicas of each group the order in which they
/// pass data on. Immutable.
class Ring {
public:
  /// \param groups  shape [group][rank], of equal sizes
  /// \param order   rank of the member at each position
  Ring(const std::vector<std::vector<unsigned>> &groups, std::vector<unsigned> order);

  unsigned size() const { return static_cast<unsigned>(order_.size()); }
  unsigned replicas() const { return static_cast<unsigned>(positions_.size()); }
  unsigned rankAt(unsigned position) const { return order_[position]; }
  unsigned positionOfRank(unsigned rank) const;
  /// Returns the position of each replica in its group.
  const std::vector<unsigned> &positions() const { return positions_; }
  /// Calls \p visit(from, to) for each replica `from`, where `to` is \p by positions further on.
  template <typename Visit> void visitShift(unsigned by, const Visit &visit) const {
    for (const std::vector<unsigned> &group : members_)
      for (unsigned position = 0; position < size(); ++position)
        visit(group[position], group[(position + by) % size()]);
  }
  /// Returns the map for a CrossReplicaCopy in which each replica sends to the one \p by positions
  /// further on.
  std::map<unsigned, unsigned> shift(unsigned by) const;

private:
  std::vector<std::vector<unsigned>> members_; ///< [group][position]
  std::vector<unsigned> order_, positions_;
};

/// Returns ranks in order, for closed ladders and for groups that are far apart.
std::vector<unsigned> orderByRank(unsigned size);
/// Returns first the even ranks upwards, then the odd ones downwards, so that neighbours in the
/// ring are at most two ranks apart.
std::vector<unsigned> orderUpAndDown(unsigned size);

} // namespace gcl
