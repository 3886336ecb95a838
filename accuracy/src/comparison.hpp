#pragma once

#include "figures.hpp"

#include <vector>

namespace copse::accuracy {

/// A published figure beside the modelled one, in the same unit.
struct Comparison {
  Figure figure;
  double modelled = 0;
  /// Signed: above 0 where the model has more.
  double error() const { return modelled / figure.value - 1; }
};

/// Models the program of each figure.
/// \throws std::runtime_error naming the figure, if its program or a parameter is unknown
std::vector<Comparison> compare(const std::vector<Figure> &figures);

/// The errors of some comparisons.
struct Errors {
  std::size_t count = 0;
  double mean = 0;    ///< of the absolute errors
  double largest = 0; ///< absolute
};
Errors errorsOf(const std::vector<Comparison> &comparisons, Standing standing);

} // namespace copse::accuracy
