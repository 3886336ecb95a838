#pragma once

#include "scale.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace copse::tools {

/// One part of the time of a run, as the lines of $COPSE_COSTS name it, and as the page does.
struct ScaleCost {
  const char *key, *title;
};
inline constexpr std::array<ScaleCost, 7> kScaleCosts{{{"compute", "compute"},
                                                       {"exchange", "exchange"},
                                                       {"ipuLinks", "IPU-Links"},
                                                       {"gatewayLinks", "GW-Links"},
                                                       {"sync", "sync"},
                                                       {"host", "host"},
                                                       {"remoteBuffers", "remote buffers"}}};

/// The axes of a sweep, in the order of nested loops.
inline constexpr std::array kScaleAxes{"pod",  "hosts", "topology", "syncConfiguration",
                                       "ipus", "batch", "replicas"};

/// One run of the program.
struct ScalePoint {
  std::map<std::string, std::string> at;   ///< its value on each axis that was given
  std::map<std::string, std::string> with; ///< its values of --with, by their names
  double samples = 1;                      ///< of a run: see ScaleRequest
  std::vector<std::string> command;

  std::string failure; ///< empty: it ran
  std::uint64_t runs = 0, ipus = 0, replicas = 0;
  std::map<std::uint64_t, double> programs;                  ///< [modelled s], by their numbers
  double seconds = 0;                                        ///< time of all runs [modelled]
  std::array<double, kScaleCosts.size()> costs{}, without{}; ///< [modelled s]
  double throughput = 0; ///< [samples/s], or the program's own figure
  double efficiency = 0; ///< throughput of an IPU, relative to the first point of the series

  /// Returns "replicas 4, torus" for messages.
  std::string name() const;
  /// Returns the value on the axis, or "".
  std::string on(const std::string &axis) const;
};

/// Returns the numbers of a list like "1,2,4,...,1024". Dots continue the last step: a factor if
/// the number before them is a multiple of the one before it, else a difference.
/// \throws WrongArguments
std::vector<std::string> numbersOf(const std::string &list, const std::string &option);

/// Returns the points of a sweep, with their commands.
/// \throws WrongArguments
std::vector<ScalePoint> pointsOf(const ScaleRequest &request);

/// Returns the axis along which the charts go: the innermost with several values.
std::string chartAxisOf(const std::vector<ScalePoint> &points);
/// Returns what the points of one line of a chart have in common.
std::string seriesOf(const ScalePoint &point, const std::string &chartAxis);

/// Returns the programs of the engine among which --program would choose, with their times at the
/// first point that ran several; "" if none did.
std::string severalProgramsIn(const std::vector<ScalePoint> &points);

} // namespace copse::tools
