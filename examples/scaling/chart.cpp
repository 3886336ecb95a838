#include "chart.hpp"

#include "panel.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>

namespace scaling {
namespace {

constexpr double kLefts[] = {80, 570, 1060}, kLegendTop = 450;

using Figure = std::function<double(const Point &)>;

/// Returns blue or orange, light without prefetch and dark with it; they can be told apart without
/// colours by the dashes of the mesh.
Stroke strokeOf(const Setup &setup) {
  const char *const colour = setup.softwareSync ? (setup.prefetch ? "#b3470a" : "#f5a25d")
                                                : (setup.prefetch ? "#0b4a8f" : "#6fb1e8");
  return std::string("stroke=\"") + colour + "\" stroke-width=\"2\"" +
         (setup.topology == "mesh" ? " stroke-dasharray=\"6 4\"" : "");
}

struct Kind {
  const char *name, *colour;
  double Split::*cycles;
};
constexpr Kind kKinds[] = {{"compute", "#4a8f3c", &Split::compute},
                           {"exchange", "#e0a526", &Split::exchange},
                           {"sync", "#b03a48", &Split::sync},
                           {"host", "#6b6f8f", &Split::host}};

std::vector<double> valuesOf(const Series &series, const Figure &figure) {
  std::vector<double> values;
  values.reserve(series.points.size());
  for (const Point &point : series.points)
    values.push_back(figure(point));
  return values;
}

struct Extremes {
  double least, greatest;
};

Extremes extremesOf(const std::vector<Series> &all, const Figure &figure) {
  std::vector<double> values;
  for (const Series &series : all)
    for (const Point &point : series.points)
      values.push_back(figure(point));
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return {*least, *greatest};
}

/// Returns the least round number that is not below \p value.
double roundUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 1.25, 1.5, 2.0, 2.5, 5.0, 10.0})
    if (value <= step * power * 1.0001)
      return step * power;
  return value;
}

void drawThroughput(std::ostream &out, const Sweep &sweep, const std::vector<unsigned> &places,
                    const std::vector<Series> &all) {
  const Figure throughput = [](const Point &point) { return point.throughput; };
  const Extremes extremes = extremesOf(all, throughput);
  const Panel panel(out, {kLefts[0], "samples per modelled second", sweep.axis, places,
                          std::pow(10.0, std::floor(std::log10(extremes.least))),
                          std::pow(10.0, std::ceil(std::log10(extremes.greatest * 1.0001))), true});
  for (const Series &series : all)
    panel.line(strokeOf(series.setup), valuesOf(series, throughput));
}

void drawEfficiency(std::ostream &out, const Sweep &sweep, const std::vector<unsigned> &places,
                    const std::vector<Series> &all) {
  const Figure efficiency = [](const Point &point) { return point.efficiency; };
  const Panel panel(out, {kLefts[1], "efficiency: throughput of an IPU, first run = 1", sweep.axis,
                          places, 0, roundUp(std::max(1.0, extremesOf(all, efficiency).greatest)),
                          false});
  for (const Series &series : all)
    panel.line(strokeOf(series.setup), valuesOf(series, efficiency));
}

void drawSplit(std::ostream &out, const Sweep &sweep, const std::vector<unsigned> &places,
               const Series &series) {
  const Panel panel(
      out, {kLefts[2], "where the cycles of a step go [%]", sweep.axis, places, 0, 100, false});
  for (std::size_t place = 0; place < series.points.size(); ++place) {
    const Point &point = series.points[place];
    double below = 0;
    for (const Kind &kind : kKinds) {
      const double share = 100 * point.split.*kind.cycles / point.cycles;
      panel.bar(place, below, below + share, kind.colour);
      below += share;
    }
    panel.note(place, shortNumber(point.cycles));
  }
}

void writeLegend(std::ostream &out, const std::vector<Series> &all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t column = i / 2, line = i % 2; // there are at most 8
    const double x = kLefts[0] + 240.0 * static_cast<double>(column),
                 y = kLegendTop + 18.0 * static_cast<double>(line);
    out << "<line x1=\"" << x << "\" x2=\"" << x + 36 << "\" y1=\"" << y << "\" y2=\"" << y << "\" "
        << strokeOf(all[i].setup) << "/>\n<text x=\"" << x + 44 << "\" y=\"" << y + 4 << "\">"
        << all[i].setup.name() << "</text>\n";
  }
}

void writeKinds(std::ostream &out, const Setup &setup) {
  double x = kLefts[2];
  for (const Kind &kind : kKinds) {
    out << "<rect x=\"" << x << "\" y=\"" << kLegendTop - 8
        << "\" width=\"12\" height=\"12\" fill=\"" << kind.colour << "\"/>\n<text x=\"" << x + 18
        << "\" y=\"" << kLegendTop + 3 << "\">" << kind.name << "</text>\n";
    x += 100;
  }
  out << "<text x=\"" << kLefts[2] << "\" y=\"" << kLegendTop + 22 << "\">" << setup.name()
      << "; above the bars: cycles of a step</text>\n";
}

} // namespace

void writeChart(std::ostream &out, const std::string &title, const Sweep &sweep,
                const std::vector<Series> &all) {
  std::vector<unsigned> places;
  places.reserve(sweep.scales.size());
  for (const Scale &scale : sweep.scales)
    places.push_back(sweep.along(scale));
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1500\" height=\"490\" "
         "font-family=\"sans-serif\" font-size=\"12\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
         "<text x=\"80\" y=\"24\" font-size=\"16\">"
      << title << "</text>\n";
  drawThroughput(out, sweep, places, all);
  drawEfficiency(out, sweep, places, all);
  drawSplit(out, sweep, places, all.back());
  writeLegend(out, all);
  writeKinds(out, all.back().setup);
  out << "</svg>\n";
}

} // namespace scaling
