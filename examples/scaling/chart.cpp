#include "chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>

namespace scaling {
namespace {

constexpr double kPanelWidth = 400, kPanelHeight = 320, kTop = 70, kLegendTop = 445;
constexpr int kTicks = 5;

/// Blue and orange, light without prefetch and dark with it; they can be told apart without colours
/// by the dashes of the mesh.
std::string strokeOf(const Setup &setup) {
  const char *const colour = setup.softwareSync ? (setup.prefetch ? "#b3470a" : "#f5a25d")
                                                : (setup.prefetch ? "#0b4a8f" : "#6fb1e8");
  return std::string("stroke=\"") + colour + "\" stroke-width=\"2\"" +
         (setup.topology == "mesh" ? " stroke-dasharray=\"6 4\"" : "");
}

std::string label(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 1000 ? "%.3gk" : "%.3g",
                value >= 1000 ? value / 1000 : value);
  return text;
}

/// The least of 1, 2, 5, 10, 20, ... that is not below \p value.
double roundUp(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0, 10.0})
    if (value <= step * power)
      return step * power;
  return value;
}

/// One diagram: replicas to the right, in equal steps for each doubling.
class Panel {
public:
  Panel(std::ostream &out, double left, double highest, unsigned most)
      : out_(out), left_(left), highest_(highest),
        doublings_(std::max(1.0, std::log2(static_cast<double>(most)))) {}

  void frame(const std::string &title, unsigned most) const {
    out_ << "<text x=\"" << left_ << "\" y=\"" << kTop - 12 << "\" font-weight=\"bold\">" << title
         << "</text>\n";
    for (int tick = 0; tick <= kTicks; ++tick) {
      const double value = highest_ * tick / kTicks;
      out_ << "<line x1=\"" << left_ << "\" x2=\"" << left_ + kPanelWidth << "\" y1=\"" << y(value)
           << "\" y2=\"" << y(value) << "\" stroke=\"#ddd\"/>\n<text x=\"" << left_ - 8 << "\" y=\""
           << y(value) + 4 << "\" text-anchor=\"end\">" << label(value) << "</text>\n";
    }
    for (unsigned replicas = 1; replicas <= most; replicas *= 2)
      out_ << "<text x=\"" << x(replicas) << "\" y=\"" << kTop + kPanelHeight + 20
           << "\" text-anchor=\"middle\">" << replicas << "</text>\n";
    out_ << "<text x=\"" << left_ + kPanelWidth / 2 << "\" y=\"" << kTop + kPanelHeight + 40
         << "\" text-anchor=\"middle\">replicas</text>\n";
  }

  void line(const Series &series, const std::function<double(const Point &)> &value) const {
    out_ << "<polyline fill=\"none\" " << strokeOf(series.setup) << " points=\"";
    for (const Point &point : series.points)
      out_ << x(point.replicas) << ',' << y(value(point)) << ' ';
    out_ << "\"/>\n";
  }

private:
  double x(unsigned replicas) const {
    return left_ + kPanelWidth * std::log2(static_cast<double>(replicas)) / doublings_;
  }
  double y(double value) const { return kTop + kPanelHeight * (1 - value / highest_); }

  std::ostream &out_;
  double left_, highest_, doublings_;
};

void writeLegend(std::ostream &out, const std::vector<Series> &all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double x = 80 + 260.0 * static_cast<double>(i % 4 / 2),
                 y = kLegendTop + 18.0 * static_cast<double>(i / 4 * 2 + i % 2);
    out << "<line x1=\"" << x << "\" x2=\"" << x + 36 << "\" y1=\"" << y << "\" y2=\"" << y << "\" "
        << strokeOf(all[i].setup) << "/>\n<text x=\"" << x + 44 << "\" y=\"" << y + 4 << "\">"
        << all[i].setup.name() << "</text>\n";
  }
}

double highest(const std::vector<Series> &all, const std::function<double(const Point &)> &value) {
  double most = 0;
  for (const Series &series : all)
    for (const Point &point : series.points)
      most = std::max(most, value(point));
  return most;
}

} // namespace

void writeChart(std::ostream &out, const std::string &title, const std::vector<Series> &all) {
  const auto throughput = [](const Point &point) { return point.throughput; };
  const auto efficiency = [](const Point &point) { return point.efficiency; };
  const unsigned most = all.front().points.back().replicas;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1040\" height=\"530\" "
         "font-family=\"sans-serif\" font-size=\"12\">\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
         "<text x=\"80\" y=\"30\" font-size=\"16\">"
      << title << "</text>\n";
  const Panel left(out, 80, roundUp(highest(all, throughput)), most);
  left.frame("replica steps per modelled second", most);
  const Panel right(out, 590, std::max(1.0, highest(all, efficiency)), most);
  right.frame("efficiency", most);
  for (const Series &series : all) {
    left.line(series, throughput);
    right.line(series, efficiency);
  }
  writeLegend(out, all);
  out << "</svg>\n";
}

} // namespace scaling
