#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace scaling {

/// How a line looks: attributes of SVG.
using Stroke = std::string;

/// Where a panel stands, and what its axes are.
struct PanelFrame {
  double left = 0;                ///< left edge of the diagram, without the labels of its axis [px]
  std::string title, axis;        ///< titles of the diagram and of its horizontal axis
  std::vector<unsigned> places;   ///< to the right, in equal steps
  double lowest = 0, highest = 1; ///< ends of the vertical axis
  bool logarithmic = false;       ///< the upward axis; then lowest and highest are powers of 10
};

/// One diagram of the chart.
class Panel {
public:
  static constexpr double kWidth = 400, kHeight = 320, kTop = 70;

  /// Draws axes and title.
  Panel(std::ostream &out, PanelFrame frame);

  /// Draws a line through the values at the places.
  void line(const Stroke &stroke, const std::vector<double> &values) const;
  /// Draws a part of a bar, from one value to another.
  void bar(std::size_t place, double from, double to, const std::string &colour) const;
  /// Writes text above the diagram's top, at a place.
  void note(std::size_t place, const std::string &text) const;

private:
  double x(std::size_t place) const;
  double y(double value) const;
  void tick(double value) const;

  std::ostream &out_;
  PanelFrame frame_;
};

/// Returns "12", "1.5k", "2M".
std::string shortNumber(double value);

} // namespace scaling
