// Programs include this header alone, and expect what others bring.
#include <poplar/Interval.hpp>

std::size_t endOf(const std::map<poplar::Interval, poplar::Interval> &ends,
                  const std::array<poplar::Interval, 2> &range) {
  assert(!ends.empty());
  return ends.begin()->second.end() + range[1].end();
}
