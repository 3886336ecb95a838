#include "efficiency_plot.hpp"

#include "svg_text.hpp"

#include <array>
#include <cmath>
#include <map>
#include <string>

namespace copse::accuracy {
namespace {

constexpr double kCurvesLeft = 60, kCurvesTop = 40, kCurvesWidth = 480, kCurvesHeight = 280;
constexpr double kFewestIpus = 16, kMostIpus = 256;
constexpr std::array kColours{"#1f5fa8", "#d98a1b", "#4a8f3c"};

/// The samples that one IPU trains in a second [relative], by the number of IPUs.
struct Curve {
  std::map<double, double> modelled, published;
};

std::map<std::string, Curve> curvesOf(const std::vector<Comparison> &comparisons) {
  std::map<std::string, Curve> curves; // by machine
  for (const Comparison &each : comparisons) {
    const nlohmann::json &parameters = each.figure.parameters;
    if (each.figure.program != "training" || !parameters.contains("microBatch"))
      continue;
    const double samples =
        parameters["microBatch"].get<double>() * parameters["microBatches"].get<double>();
    Curve &curve = curves[each.figure.machine];
    const auto ipus = parameters["replicas"].get<double>();
    curve.modelled[ipus] = samples / each.modelled;
    curve.published[ipus] = samples / each.figure.value;
  }
  return curves;
}

double across(double ipus) {
  return kCurvesLeft +
         kCurvesWidth * std::log2(ipus / kFewestIpus) / std::log2(kMostIpus / kFewestIpus);
}
double up(double efficiency) { return kCurvesTop + kCurvesHeight * (1 - efficiency); }

void drawAxes(std::ostream &out) {
  drawText(out, kCurvesLeft, 20, "ResNet-50: throughput of an IPU; on 16 IPUs 1");
  for (int tenths = 0; tenths <= 10; tenths += 2) {
    const double y = up(tenths / 10.0);
    out << "<line x1=\"" << kCurvesLeft << "\" x2=\"" << kCurvesLeft + kCurvesWidth << "\" y1=\""
        << y << "\" y2=\"" << y << "\" stroke=\"#dddddd\"/>\n";
    drawText(out, kCurvesLeft - 8, y + 4, tenths == 10 ? "1" : "0." + std::to_string(tenths),
             "end");
  }
  for (double ipus = kFewestIpus; ipus <= kMostIpus; ipus *= 2)
    drawText(out, across(ipus), kCurvesTop + kCurvesHeight + 18,
             std::to_string(static_cast<int>(ipus)), "middle");
  drawText(out, kCurvesLeft + kCurvesWidth / 2, kCurvesTop + kCurvesHeight + 36, "IPUs", "middle");
}

void drawCurve(std::ostream &out, const std::string &machine, const Curve &curve,
               std::size_t number) {
  const char *const colour = kColours[number % kColours.size()];
  out << "<polyline fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"2\" points=\"";
  for (const auto &[ipus, rate] : curve.modelled)
    out << across(ipus) << ',' << up(rate / curve.modelled.begin()->second) << ' ';
  out << "\"/>\n";
  for (const auto &[ipus, rate] : curve.published)
    out << "<circle cx=\"" << across(ipus) << "\" cy=\""
        << up(rate / curve.published.begin()->second) << "\" r=\"5\" fill=\"" << colour << "\"/>\n";
  const double y = kCurvesTop + kCurvesHeight + 62 + 18 * static_cast<double>(number);
  out << "<line x1=\"" << kCurvesLeft << "\" x2=\"" << kCurvesLeft + 30 << "\" y1=\"" << y - 4
      << "\" y2=\"" << y - 4 << "\" stroke=\"" << colour << "\" stroke-width=\"2\"/>\n<circle cx=\""
      << kCurvesLeft + 230 << "\" cy=\"" << y - 4 << "\" r=\"5\" fill=\"" << colour << "\"/>\n";
  drawText(out, kCurvesLeft + 38, y, machine + ", modelled");
  drawText(out, kCurvesLeft + 242, y, "MLPerf's result logs");
}

} // namespace

void drawEfficiency(std::ostream &out, const std::vector<Comparison> &comparisons) {
  const std::map<std::string, Curve> curves = curvesOf(comparisons);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kCurvesLeft + kCurvesWidth + 30
      << "\" height=\"" << kCurvesTop + kCurvesHeight + 70 + 18 * static_cast<double>(curves.size())
      << "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"white\"/>\n";
  drawAxes(out);
  std::size_t number = 0;
  for (const auto &[machine, curve] : curves)
    drawCurve(out, machine, curve, number++);
  out << "</svg>\n";
}

} // namespace copse::accuracy
