#include "comparison.hpp"

#include "loops.hpp"
#include "programs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

namespace copse::accuracy {
namespace {

const std::map<std::string, std::function<double(const Parameters &)>> &programs() {
  static const std::map<std::string, std::function<double(const Parameters &)>> all = {
      {"sync", syncCycles},         {"smallExchange", smallExchangeCycles},
      {"ipuTraffic", ipuTraffic},   {"ring", ringSeconds},
      {"hostTraffic", hostTraffic}, {"hostSyncs", hostSyncSeconds},
      {"triad", triadBandwidth},    {"training", trainingMilliseconds},
      {"heat", heatMicroseconds}};
  return all;
}

std::runtime_error failure(const Figure &figure, const std::string &why) {
  return std::runtime_error("figure '" + figure.group + ": " + figure.name + "': " + why);
}

double modelled(const Figure &figure) {
  const auto program = programs().find(figure.program);
  if (program == programs().end())
    throw failure(figure, "there is no program '" + figure.program + "'");
  try {
    Parameters parameters(figure.parameters);
    const double value = program->second(parameters);
    parameters.refuseTheRest();
    return value;
  } catch (const std::exception &error) {
    throw failure(figure, error.what());
  }
}

} // namespace

std::vector<Comparison> compare(const std::vector<Figure> &figures) {
  std::vector<Comparison> comparisons;
  std::vector<Figure> loops; // loops are compiled and run together
  for (const Figure &figure : figures)
    if (figure.program == "loop")
      loops.push_back(figure);
  std::vector<double> cycles = loopCycles(loops);
  auto next = cycles.begin();
  for (const Figure &figure : figures)
    comparisons.push_back({figure, figure.program == "loop" ? *next++ : modelled(figure)});
  return comparisons;
}

Errors errorsOf(const std::vector<Comparison> &comparisons, Standing standing) {
  Errors errors;
  for (const Comparison &comparison : comparisons) {
    if (comparison.figure.standing != standing)
      continue;
    const double error = std::abs(comparison.error());
    ++errors.count;
    errors.mean += error;
    errors.largest = std::max(errors.largest, error);
  }
  if (errors.count > 0)
    errors.mean /= static_cast<double>(errors.count);
  return errors;
}

} // namespace copse::accuracy
