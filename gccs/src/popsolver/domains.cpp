#include "popsolver/domains.hpp"

namespace gccs::popsolver {

void Domains::goBackTo(Moment moment) {
  for (; past_.size() > moment; past_.pop_back())
    bounds_[past_.back().variable.id] = past_.back().bounds;
  changed_.clear();
}

} // namespace gccs::popsolver
