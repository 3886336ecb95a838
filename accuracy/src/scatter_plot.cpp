#include "scatter_plot.hpp"

#include "svg_text.hpp"

#include <algorithm>
#include <string>

namespace copse::accuracy {
namespace {

constexpr double kLeft = 60, kTop = 30, kHeight = 300, kColumn = 130, kMostError = 0.3;

double heightOf(double error) {
  const double shown = std::clamp(error, -kMostError, kMostError);
  return kTop + kHeight * (kMostError - shown) / (2 * kMostError);
}

const char *colourOf(Standing standing) {
  switch (standing) {
  case Standing::Predicted:
    return "#1f5fa8";
  case Standing::Fitted:
    return "#d98a1b";
  case Standing::Given:
    break;
  }
  return "#999999";
}

void drawGrid(std::ostream &out, double width) {
  for (const int percent : {-30, -20, -10, -5, 0, 5, 10, 20, 30}) {
    const double y = heightOf(percent / 100.0);
    out << "<line x1=\"" << kLeft << "\" x2=\"" << width - 10 << "\" y1=\"" << y << "\" y2=\"" << y
        << "\" stroke=\"" << (percent == 0 ? "#333333" : "#dddddd") << "\"/>\n";
    drawText(out, kLeft - 8, y + 4, (percent > 0 ? "+" : "") + std::to_string(percent) + " %",
             "end");
  }
}

void drawLegend(std::ostream &out) {
  double x = kLeft;
  const double y = kTop + kHeight + 62;
  for (const auto &[standing, name] :
       {std::pair{Standing::Predicted, "predicted"}, std::pair{Standing::Fitted, "fitted"},
        std::pair{Standing::Given, "given"}}) {
    out << "<circle cx=\"" << x + 5 << "\" cy=\"" << y - 4 << "\" r=\"4\" fill=\""
        << colourOf(standing) << "\"/>\n";
    drawText(out, x + 14, y, name);
    x += 90;
  }
}

} // namespace

void drawScatter(std::ostream &out, const std::vector<Comparison> &comparisons) {
  std::vector<std::string> groups;
  for (const Comparison &each : comparisons)
    if (groups.empty() || groups.back() != each.figure.group)
      groups.push_back(each.figure.group);
  const double width = kLeft + kColumn * static_cast<double>(groups.size()) + 20;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\""
      << kTop + kHeight + 80
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"white\"/>\n";
  drawText(out, kLeft, 18, "error of the model: (modelled - published) / published");
  drawGrid(out, width);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    std::vector<const Comparison *> own;
    for (const Comparison &each : comparisons)
      if (each.figure.group == groups[group])
        own.push_back(&each);
    const double left = kLeft + kColumn * static_cast<double>(group);
    for (std::size_t i = 0; i < own.size(); ++i)
      out << "<circle cx=\""
          << left + 10 +
                 (kColumn - 20) * (static_cast<double>(i) + 0.5) / static_cast<double>(own.size())
          << "\" cy=\"" << heightOf(own[i]->error()) << "\" r=\"4\" fill=\""
          << colourOf(own[i]->figure.standing) << "\" fill-opacity=\"0.7\"/>\n";
    drawText(out, left + kColumn / 2, kTop + kHeight + (group % 2 == 0 ? 18 : 34), groups[group],
             "middle");
  }
  drawLegend(out);
  out << "</svg>\n";
}

} // namespace copse::accuracy
