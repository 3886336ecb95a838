#include "chart.hpp"

#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace host_io {
namespace {

constexpr double kPanelWidth = 380, kPanelHeight = 210;
constexpr double kLeft = 78, kTop = 64, kGapX = 86, kGapY = 76, kLegendLine = 20;

/// A logarithmic axis.
class Axis {
public:
  Axis(double low, double high, double from, double to)
      : low_(std::log10(low)), high_(std::log10(high)), from_(from), to_(to) {}
  double at(double value) const {
    const double part = high_ > low_ ? (std::log10(value) - low_) / (high_ - low_) : 0.5;
    return from_ + part * (to_ - from_);
  }

private:
  double low_, high_, from_, to_;
};

/// One line of a panel.
struct Series {
  std::string direction;
  bool prefetch = false;
  unsigned depth = 1;
  bool operator<(const Series &other) const {
    return std::tie(direction, prefetch, depth) <
           std::tie(other.direction, other.prefetch, other.depth);
  }
  std::string name() const {
    const std::string how = prefetch             ? ", prefetch, depth " + std::to_string(depth)
                            : direction == "out" ? ""
                                                 : ", on demand";
    return (direction == "both" ? "in and out" : direction) + how;
  }
  const char *colour() const {
    return direction == "in" ? "#1b6ca8" : direction == "out" ? "#c8553d" : "#3d7f4f";
  }
  std::string dash() const {
    if (!prefetch)
      return direction == "out" ? "" : "2 4";
    return depth == 1 ? "8 4" : "";
  }
};

Series seriesOf(const Point &point) { return {point.direction, point.prefetch, point.depth}; }

enum class Figure { Wall, Modelled };

double rateOf(const Point &point, Figure figure) {
  return figure == Figure::Wall ? point.wallMegabytesPerSecond()
                                : point.modelledMegabytesPerSecond();
}

struct Limits {
  double fewestBytes = 1e300, mostBytes = 0;
  double slowest = 1e300, fastest = 0; ///< [MB/s], rounded to powers of ten
};

Limits limitsOf(const std::vector<Point> &points) {
  Limits limits;
  for (const Point &point : points) {
    const auto bytes = static_cast<double>(point.bytes);
    limits.fewestBytes = std::min(limits.fewestBytes, bytes);
    limits.mostBytes = std::max(limits.mostBytes, bytes);
    for (const Figure figure : {Figure::Wall, Figure::Modelled}) {
      limits.slowest = std::min(limits.slowest, rateOf(point, figure));
      limits.fastest = std::max(limits.fastest, rateOf(point, figure));
    }
  }
  limits.slowest = std::pow(10, std::floor(std::log10(limits.slowest)));
  limits.fastest = std::pow(10, std::ceil(std::log10(limits.fastest)));
  return limits;
}

void text(std::ostream &out, double x, double y, const char *anchor, const std::string &words,
          const char *more = "") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\"" << more << ">"
      << words << "</text>\n";
}

void line(std::ostream &out, double x1, double y1, double x2, double y2, const char *style) {
  out << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2 << "\" "
      << style << "/>\n";
}

std::string rateText(double megabytes) {
  if (megabytes >= 1000)
    return std::to_string(std::llround(megabytes / 1000)) + " GB/s";
  if (megabytes >= 1)
    return std::to_string(std::llround(megabytes)) + " MB/s";
  return std::to_string(std::llround(megabytes * 1000)) + " kB/s";
}

class Panel {
public:
  Panel(std::ostream &out, const Limits &limits, double left, double top)
      : out_(out), limits_(limits), left_(left), top_(top),
        x_(limits.fewestBytes, limits.mostBytes, left, left + kPanelWidth),
        y_(limits.slowest, limits.fastest, top + kPanelHeight, top) {}

  void frame(const std::string &title, const std::set<std::size_t> &sizes) {
    constexpr char kGrid[] = "stroke=\"#e2e2e2\"", kAxis[] = "stroke=\"#555\"";
    for (double rate = limits_.slowest; rate < limits_.fastest * 1.5; rate *= 10) {
      line(out_, left_, y_.at(rate), left_ + kPanelWidth, y_.at(rate), kGrid);
      text(out_, left_ - 8, y_.at(rate) + 4, "end", rateText(rate));
    }
    for (const std::size_t bytes : sizes) {
      const double x = x_.at(static_cast<double>(bytes));
      line(out_, x, top_, x, top_ + kPanelHeight, kGrid);
      text(out_, x, top_ + kPanelHeight + 18, "middle", sizeText(bytes));
    }
    line(out_, left_, top_ + kPanelHeight, left_ + kPanelWidth, top_ + kPanelHeight, kAxis);
    line(out_, left_, top_, left_, top_ + kPanelHeight, kAxis);
    text(out_, left_, top_ - 10, "start", title, " font-weight=\"bold\"");
  }

  void plot(const Series &series, const std::map<std::size_t, double> &rates) {
    out_ << "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"" << series.colour()
         << "\" stroke-dasharray=\"" << series.dash() << "\" points=\"";
    for (const auto &[bytes, rate] : rates)
      out_ << x_.at(static_cast<double>(bytes)) << ',' << y_.at(rate) << ' ';
    out_ << "\"/>\n";
    for (const auto &[bytes, rate] : rates)
      out_ << "<circle r=\"3\" fill=\"" << series.colour() << "\" cx=\""
           << x_.at(static_cast<double>(bytes)) << "\" cy=\"" << y_.at(rate) << "\"/>\n";
  }

private:
  std::ostream &out_;
  const Limits &limits_;
  double left_, top_;
  Axis x_, y_;
};

void drawLegend(std::ostream &out, const std::set<Series> &all, double top) {
  std::size_t index = 0;
  for (const Series &series : all) {
    const double x = kLeft + static_cast<double>(index % 3) * 290;
    const double y = top + static_cast<double>(index / 3) * kLegendLine;
    out << "<line x1=\"" << x << "\" y1=\"" << y - 4 << "\" x2=\"" << x + 36 << "\" y2=\"" << y - 4
        << "\" stroke-width=\"2\" stroke=\"" << series.colour() << "\" stroke-dasharray=\""
        << series.dash() << "\"/>\n";
    text(out, x + 44, y, "start", series.name());
    ++index;
  }
}

} // namespace

void drawChart(std::ostream &out, const std::vector<Point> &points) {
  std::set<unsigned> replicas;
  std::set<std::size_t> sizes;
  std::set<Series> series;
  for (const Point &point : points) {
    replicas.insert(point.replicas);
    sizes.insert(point.bytes);
    series.insert(seriesOf(point));
  }
  const Limits limits = limitsOf(points);
  const double legendTop = kTop + static_cast<double>(replicas.size()) * (kPanelHeight + kGapY) + 4;
  const double width = kLeft + 2 * kPanelWidth + kGapX + 34;
  const double height =
      legendTop + kLegendLine * (static_cast<double>((series.size() + 2) / 3)) + 8;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << height
      << "\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
      << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  text(out, kLeft, 26, "start", "Streams between host and IPUs: throughput by size of a transfer",
       " font-size=\"16\" font-weight=\"bold\"");
  double top = kTop;
  for (const unsigned count : replicas) {
    double left = kLeft;
    for (const Figure figure : {Figure::Wall, Figure::Modelled}) {
      Panel panel(out, limits, left, top);
      panel.frame(std::to_string(count) + (count == 1 ? " replica, " : " replicas, ") +
                      (figure == Figure::Wall ? "wall-clock" : "modelled"),
                  sizes);
      for (const Series &one : series) {
        std::map<std::size_t, double> rates;
        for (const Point &point : points)
          if (point.replicas == count && !(seriesOf(point) < one) && !(one < seriesOf(point)))
            rates[point.bytes] = rateOf(point, figure);
        panel.plot(one, rates);
      }
      left += kPanelWidth + kGapX;
    }
    top += kPanelHeight + kGapY;
  }
  drawLegend(out, series, legendTop);
  out << "</svg>\n";
}

} // namespace host_io
