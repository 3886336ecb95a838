#pragma once

#include "options.hpp"

#include <cstddef>
#include <functional>
#include <poplar/Device.hpp>
#include <string>
#include <vector>

namespace host_io {

/// One line of the table: what was varied, and what came out.
struct Point {
  std::string direction; ///< in, out or both
  unsigned replicas = 1;
  bool prefetch = false;
  unsigned depth = 1;
  std::size_t bytes = 0;     ///< bytes per transfer and replica
  std::size_t transfers = 0; ///< transfers per replica and direction
  double wallSeconds = 0;
  double modelledSeconds = 0;

  /// Bytes over all replicas and directions.
  double totalBytes() const;
  double wallMegabytesPerSecond() const { return totalBytes() / wallSeconds / 1e6; }
  double modelledMegabytesPerSecond() const { return totalBytes() / modelledSeconds / 1e6; }
};

/// Returns all combinations that \p options ask for, in the order in which they are measured.
/// Without prefetch, or without data to the IPU, the depth makes no difference and is 1.
std::vector<Point> pointsOf(const Options &options);

/// Measures \p point on \p device, which has as many IPUs as the point has replicas, and fills its
/// figures in.
/// \throws std::runtime_error if data are not what was sent
void measure(Point &point, const Options &options, const poplar::Device &device);

} // namespace host_io
