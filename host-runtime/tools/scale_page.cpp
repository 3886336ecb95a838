#include "scale_page.hpp"

#include "report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace copse::tools {
namespace {

constexpr std::array kColours{"#4269d0", "#6cc5b0", "#efb118", "#a463f2",
                              "#ff725c", "#3ca951", "#9c6b4e"};
constexpr double kWidth = 460, kHeight = 260, kLeft = 70, kBottom = 40, kTop = 20, kRight = 15;

constexpr const char *kStyle =
    R"(body{font:15px/1.45 system-ui,sans-serif;max-width:1010px;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
td,th{padding:.25em .7em;text-align:right;border-bottom:1px solid #ddd}td.t,th.t{text-align:left}
svg{font:12px system-ui,sans-serif;max-width:100%}.charts{display:flex;flex-wrap:wrap;gap:1em}
code{background:#f2f2f2;padding:.1em .3em}.key span{margin-right:1.2em;white-space:nowrap}
.key b{display:inline-block;width:.8em;height:.8em;margin-right:.35em})";

std::string escaped(const std::string &text) {
  std::string safe;
  for (const char c : text)
    switch (c) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += c;
    }
  return safe;
}

std::string shortly(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}
std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", share * 100);
  return text.data();
}

using Points = std::vector<const ScalePoint *>;
/// The points of each line of the charts, by what they have in common, in the order of the sweep.
using Series = std::vector<std::pair<std::string, Points>>;

/// Returns the points that did not fail.
Series seriesIn(const std::vector<ScalePoint> &points, const std::string &axis) {
  Series series;
  for (const ScalePoint &point : points) {
    if (!point.failure.empty())
      continue;
    const std::string name = seriesOf(point, axis);
    auto found = std::ranges::find(series, name, &Series::value_type::first);
    if (found == series.end())
      found = series.insert(found, {name, {}});
    found->second.push_back(&point);
  }
  return series;
}

/// Returns the values on an axis that some point has that did not fail, in the order of the sweep.
std::vector<std::string> valuesOn(const std::string &axis, const std::vector<ScalePoint> &points) {
  std::vector<std::string> values;
  for (const ScalePoint &point : points) {
    const std::string value = point.on(axis);
    const bool isDrawn = std::ranges::any_of(points, [&](const ScalePoint &other) {
      return other.failure.empty() && other.on(axis) == value;
    });
    if (isDrawn && std::ranges::find(values, value) == values.end())
      values.push_back(value);
  }
  return values;
}

double shareOf(const ScalePoint &point, std::size_t cost) {
  return point.seconds > 0 ? point.costs[cost] / point.seconds : 0;
}
/// Returns the share of the time that a point would save if a cost were zero.
double savingOf(const ScalePoint &point, std::size_t cost) {
  return point.seconds > 0 ? 1 - point.without[cost] / point.seconds : 0;
}
std::size_t largestOf(const ScalePoint &point,
                      double (*of)(const ScalePoint &point, std::size_t cost)) {
  std::size_t largest = 0;
  for (std::size_t cost = 1; cost < kScaleCosts.size(); ++cost)
    if (of(point, cost) > of(point, largest))
      largest = cost;
  return largest;
}

/// A chart of one figure along the axis of the sweep, with a line for each series.
class LineChart {
public:
  LineChart(std::string title, const std::string &axis, std::vector<std::string> values,
            const Series &series, double (*figure)(const ScalePoint &point), bool isLogarithmic)
      : title_(std::move(title)), axis_(axis), values_(std::move(values)), series_(series),
        figure_(figure), isLogarithmic_(isLogarithmic) {
    for (const auto &[name, points] : series)
      for (const ScalePoint *const point : points) {
        least_ = std::min(least_, figure(*point));
        most_ = std::max(most_, figure(*point));
      }
    if (!isLogarithmic_)
      least_ = 0;
    if (most_ <= least_)
      most_ = least_ > 0 ? least_ * 1.1 : 1;
  }

  void write(std::ostream &out) const {
    out << "<svg viewBox=\"0 0 " << kWidth << ' ' << kHeight << "\" width=\"" << kWidth
        << "\" role=\"img\"><title>" << escaped(title_) << "</title><text x=\"" << kLeft
        << "\" y=\"13\" font-weight=\"bold\">" << escaped(title_) << "</text>\n";
    writeAxes(out);
    std::size_t number = 0;
    for (const auto &[name, points] : series_)
      writeLine(out, points, kColours[number++ % kColours.size()]);
    out << "</svg>\n";
  }

private:
  double xOf(const std::string &value) const {
    const auto at = static_cast<double>(std::ranges::find(values_, value) - values_.begin());
    const double steps = std::max<double>(1, static_cast<double>(values_.size()) - 1);
    return kLeft + (kWidth - kLeft - kRight) * at / steps;
  }
  double yOf(double figure) const {
    const auto scaled = [&](double of) { return isLogarithmic_ ? std::log(of) : of; };
    const double part = (scaled(figure) - scaled(least_)) / (scaled(most_) - scaled(least_));
    return kHeight - kBottom - (kHeight - kBottom - kTop) * part;
  }
  void writeAxes(std::ostream &out) const {
    const double bottom = kHeight - kBottom;
    out << "<path d=\"M" << kLeft << ' ' << kTop << 'V' << bottom << 'H' << kWidth - kRight
        << "\" fill=\"none\" stroke=\"#888\"/>\n";
    for (const double part : {0.0, 0.5, 1.0}) {
      const double figure = isLogarithmic_ ? least_ * std::pow(most_ / least_, part)
                                           : least_ + (most_ - least_) * part;
      out << "<text x=\"" << kLeft - 6 << "\" y=\"" << yOf(figure) + 4 << "\" text-anchor=\"end\">"
          << shortly(figure) << "</text>\n";
    }
    for (const std::string &value : values_)
      out << "<text x=\"" << xOf(value) << "\" y=\"" << bottom + 16 << "\" text-anchor=\"middle\">"
          << escaped(value) << "</text>\n";
    out << "<text x=\"" << (kLeft + kWidth) / 2 << "\" y=\"" << kHeight - 6
        << "\" text-anchor=\"middle\">" << axis_ << "</text>\n";
  }
  void writeLine(std::ostream &out, const Points &points, const char *colour) const {
    out << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << colour << "\" points=\"";
    for (const ScalePoint *const point : points)
      out << xOf(point->on(axis_)) << ',' << yOf(figure_(*point)) << ' ';
    out << "\"/>\n";
    for (const ScalePoint *const point : points)
      out << "<circle r=\"3\" fill=\"" << colour << "\" cx=\"" << xOf(point->on(axis_))
          << "\" cy=\"" << yOf(figure_(*point)) << "\"><title>" << escaped(point->name()) << ": "
          << shortly(figure_(*point)) << "</title></circle>\n";
  }

  std::string title_, axis_;
  std::vector<std::string> values_; ///< values on the axis
  const Series &series_;
  double (*figure_)(const ScalePoint &point);
  bool isLogarithmic_;
  double least_ = INFINITY, most_ = 0;
};

/// Bars of the parts of the time, one for each point of a series.
void writeBars(std::ostream &out, const std::string &name, const std::string &axis,
               const Points &points) {
  constexpr double kBar = 20, kGap = 6, kLetter = 7;
  double label = 60; // as wide as the longest value
  for (const ScalePoint *const point : points)
    label = std::max(label, kLetter * static_cast<double>(point->on(axis).size() + 2));
  const double height = static_cast<double>(points.size()) * (kBar + kGap) + 26;
  out << "<svg viewBox=\"0 0 " << kWidth << ' ' << height << "\" width=\"" << kWidth
      << "\" role=\"img\"><text x=\"0\" y=\"13\" font-weight=\"bold\">"
      << escaped((name.empty() ? "" : name + ", ") + "by " + axis) << "</text>\n";
  double y = 24;
  for (const ScalePoint *const point : points) {
    out << "<text x=\"" << label - 6 << "\" y=\"" << y + 14 << "\" text-anchor=\"end\">"
        << escaped(point->on(axis)) << "</text>\n";
    double x = label;
    for (std::size_t cost = 0; cost < kScaleCosts.size(); ++cost) {
      const double width = (kWidth - label - kRight) * shareOf(*point, cost);
      out << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << kBar
          << "\" fill=\"" << kColours[cost] << "\"><title>" << kScaleCosts[cost].title << ' '
          << percent(shareOf(*point, cost)) << "</title></rect>\n";
      x += width;
    }
    y += kBar + kGap;
  }
  out << "</svg>\n";
}

void writeKey(std::ostream &out, const std::vector<std::string> &names) {
  out << "<p class=\"key\">";
  for (std::size_t i = 0; i < names.size(); ++i)
    out << "<span><b style=\"background:" << kColours[i % kColours.size()] << "\"></b>"
        << escaped(names[i]) << "</span>";
  out << "</p>\n";
}

void writeTable(std::ostream &out, const Points &points) {
  out << "<table><tr><th class=\"t\">point</th><th>IPUs</th><th>ms per run</th><th>throughput</th>"
         "<th>efficiency</th><th class=\"t\">largest part</th>"
         "<th class=\"t\">would help most</th></tr>\n";
  for (const ScalePoint *const point : points) {
    const std::size_t part = largestOf(*point, shareOf), help = largestOf(*point, savingOf);
    out << "<tr><td class=\"t\">" << escaped(point->name()) << "</td><td>" << point->ipus
        << "</td><td>" << shortly(point->seconds * 1e3 / static_cast<double>(point->runs))
        << "</td><td>" << shortly(point->throughput) << "</td><td>" << shortly(point->efficiency)
        << "</td><td class=\"t\">" << kScaleCosts[part].title << ", "
        << percent(shareOf(*point, part)) << "</td><td class=\"t\">" << kScaleCosts[help].title
        << " for nothing: " << percent(savingOf(*point, help)) << " less time</td></tr>\n";
  }
  out << "</table>\n";
}

/// Writes what each point would save if a cost were zero.
void writeSavings(std::ostream &out, const Points &points) {
  out << "<table><tr><th class=\"t\">time saved without</th>";
  for (const ScaleCost &cost : kScaleCosts)
    out << "<th>" << cost.title << "</th>";
  out << "</tr>\n";
  for (const ScalePoint *const point : points) {
    out << "<tr><td class=\"t\">" << escaped(point->name()) << "</td>";
    for (std::size_t cost = 0; cost < kScaleCosts.size(); ++cost)
      out << "<td>" << percent(savingOf(*point, cost)) << "</td>";
    out << "</tr>\n";
  }
  out << "</table>\n";
}

void writeFailures(std::ostream &out, const std::vector<ScalePoint> &points) {
  for (const ScalePoint &point : points)
    if (!point.failure.empty())
      out << "<p>Left out: " << escaped(point.name()) << ": " << escaped(point.failure) << "</p>\n";
}

std::string cell(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string commandText(const ScaleRequest &request) {
  std::string text;
  for (const std::string &word : request.command)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> titlesOfCosts() {
  std::vector<std::string> titles;
  for (const ScaleCost &cost : kScaleCosts)
    titles.emplace_back(cost.title);
  return titles;
}

} // namespace

void writeScaleFigures(std::ostream &out, const std::vector<ScalePoint> &points) {
  for (const char *const axis : kScaleAxes)
    out << axis << ',';
  out << "with,ipus_of_program,runs,seconds,throughput,efficiency";
  for (const ScaleCost &cost : kScaleCosts)
    out << ',' << cost.key;
  for (const ScaleCost &cost : kScaleCosts)
    out << ",without_" << cost.key;
  out << ",failure\n";
  out.precision(9);
  for (const ScalePoint &point : points) {
    for (const char *const axis : kScaleAxes)
      out << cell(point.on(axis)) << ',';
    std::string with;
    for (const auto &[name, value] : point.with)
      with += (with.empty() ? "" : " ") + name + '=' + value;
    out << cell(with) << ',' << point.ipus << ',' << point.runs << ',' << point.seconds << ','
        << point.throughput << ',' << point.efficiency;
    for (const double cost : point.costs)
      out << ',' << cost;
    for (const double without : point.without)
      out << ',' << without;
    out << ',' << cell(point.failure) << '\n';
  }
}

void writeScalePage(std::ostream &out, const ScaleRequest &request,
                    const std::vector<ScalePoint> &points) {
  const std::string axis = chartAxisOf(points);
  const Series series = seriesIn(points, axis);
  Points all;
  for (const ScalePoint &point : points)
    if (point.failure.empty())
      all.push_back(&point);
  out << "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>copse scale</title>"
         "<style>"
      << kStyle << "</style></head><body>\n<h1>How the program scales</h1>\n<p><code>"
      << escaped(commandText(request)) << "</code></p>\n<p>Modelled time of the chips; nothing was "
      << "computed. The parts of the time are those of the IPU that finished last; sync includes "
         "the wait for other IPUs. Efficiency is the throughput of an IPU relative to the first "
         "point; above 1 it may be that a run has a fixed number of samples (--strong).</p>\n";
  writeFailures(out, points);
  if (const std::string programs = severalProgramsIn(points); !programs.empty())
    out << "<p>The runs are of several programs of the engine, of which --program counts one: "
        << escaped(programs) << ".</p>\n";
  if (all.empty()) {
    out << "</body></html>\n";
    return;
  }
  std::vector<std::string> names;
  for (const auto &[name, of] : series)
    names.push_back(name);
  if (names.size() > 1)
    writeKey(out, names);
  const std::vector<std::string> values = valuesOn(axis, points);
  out << "<div class=\"charts\">\n";
  LineChart(
      request.figure.empty() ? "samples per second" : "throughput that the program prints", axis,
      values, series, [](const ScalePoint &point) { return point.throughput; }, true)
      .write(out);
  LineChart(
      "efficiency", axis, values, series, [](const ScalePoint &point) { return point.efficiency; },
      false)
      .write(out);
  out << "</div>\n<h2>Where the time goes</h2>\n";
  writeKey(out, titlesOfCosts());
  out << "<div class=\"charts\">\n";
  for (const auto &[name, of] : series)
    writeBars(out, name, axis, of);
  out << "</div>\n<h2>What limits each point</h2>\n";
  writeTable(out, all);
  out << "<h2>What would help</h2>\n";
  writeSavings(out, all);
  out << "</body></html>\n";
}

} // namespace copse::tools
