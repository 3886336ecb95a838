#pragma once

#include <map>
#include <vector>

namespace gcl {

/// The replicas of each group in the order in which they pass data on.
class Ring {
public:
  /// \param groups  shape [group][rank], all of one size
  /// \param order   rank of the member at each position
  Ring(const std::vector<std::vector<unsigned>> &groups, std::vector<unsigned> order);

  unsigned size() const { return static_cast<unsigned>(order_.size()); }
  unsigned replicas() const { return static_cast<unsigned>(positions_.size()); }
  unsigned rankAt(unsigned position) const { return order_[position]; }
  unsigned positionOfRank(unsigned rank) const;
  /// Position of each replica in its group.
  const std::vector<unsigned> &positions() const { return positions_; }
  /// Calls \p visit(from, to) for each replica, which sends to the one \p by positions further on.
  template <typename Visit> void visitShift(unsigned by, const Visit &visit) const {
    for (const std::vector<unsigned> &group : members_)
      for (unsigned position = 0; position < size(); ++position)
        visit(group[position], group[(position + by) % size()]);
  }
  /// For CrossReplicaCopy: each replica sends to the one \p by positions further on.
  std::map<unsigned, unsigned> shift(unsigned by) const;

private:
  std::vector<std::vector<unsigned>> members_; ///< [group][position]
  std::vector<unsigned> order_, positions_;
};

/// By rank. On a ladder that is closed, or for groups that are far apart.
std::vector<unsigned> orderByRank(unsigned size);
/// Up on even ranks and down on odd ones, so that neighbours of the ring are at most two ranks
/// apart.
std::vector<unsigned> orderUpAndDown(unsigned size);

} // namespace gcl
