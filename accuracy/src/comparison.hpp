#pragma once

#include "figures.hpp"

#include <vector>

namespace copse::accuracy {

/// A published figure and the modelled one, in the same unit.
struct Comparison {
  Figure figure;
  double modelled = 0;
  /// Returns the relative error, which is positive if the modelled figure is larger.
  double error() const { return modelled / figure.value - 1; }
};

/// Models the program of each figure.
/// \throws std::runtime_error  which names the figure, if its program or a parameter is unknown
std::vector<Comparison> compare(const std::vector<Figure> &figures);

/// A summary of the errors of comparisons.
struct Errors {
  std::size_t count = 0;
  double mean = 0;    ///< mean absolute error
  double largest = 0; ///< largest absolute error
};
Errors errorsOf(const std::vector<Comparison> &comparisons, Standing standing);

} // namespace copse::accuracy
