#include "panel.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>

namespace scaling {
namespace {

constexpr int kTicks = 5;

/// Returns "512", "1Ki", "2Ki": thirteen labels have room beside one another.
std::string labelOf(unsigned place) {
  return place >= 1024 && place % 1024 == 0 ? std::to_string(place / 1024) + "Ki"
                                            : std::to_string(place);
}

} // namespace

std::string shortNumber(double value) {
  static constexpr const char *kUnits[] = {"", "k", "M", "G", "T"};
  unsigned unit = 0;
  for (; value >= 999.5 && unit < 4; ++unit)
    value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.3g%s", value, kUnits[unit]);
  return text;
}

Panel::Panel(std::ostream &out, PanelFrame frame) : out_(out), frame_(std::move(frame)) {
  out_ << "<text x=\"" << frame_.left << "\" y=\"" << kTop - 26 << "\" font-weight=\"bold\">"
       << frame_.title << "</text>\n";
  if (frame_.logarithmic)
    for (double value = frame_.lowest; value <= frame_.highest * 1.001; value *= 10)
      tick(value);
  else
    for (int i = 0; i <= kTicks; ++i)
      tick(frame_.lowest + (frame_.highest - frame_.lowest) * i / kTicks);
  for (std::size_t place = 0; place < frame_.places.size(); ++place)
    out_ << "<text x=\"" << x(place) << "\" y=\"" << kTop + kHeight + 20
         << "\" text-anchor=\"middle\">" << labelOf(frame_.places[place]) << "</text>\n";
  out_ << "<text x=\"" << frame_.left + kWidth / 2 << "\" y=\"" << kTop + kHeight + 40
       << "\" text-anchor=\"middle\">" << frame_.axis << "</text>\n";
}

void Panel::tick(double value) const {
  out_ << "<line x1=\"" << frame_.left << "\" x2=\"" << frame_.left + kWidth << "\" y1=\""
       << y(value) << "\" y2=\"" << y(value) << "\" stroke=\"#ddd\"/>\n<text x=\""
       << frame_.left - 8 << "\" y=\"" << y(value) + 4 << "\" text-anchor=\"end\">"
       << shortNumber(value) << "</text>\n";
}

void Panel::line(const Stroke &stroke, const std::vector<double> &values) const {
  out_ << "<polyline fill=\"none\" " << stroke << " points=\"";
  for (std::size_t place = 0; place < values.size(); ++place)
    out_ << x(place) << ',' << y(values[place]) << ' ';
  out_ << "\"/>\n";
}

void Panel::bar(std::size_t place, double from, double to, const std::string &colour) const {
  const double width = 0.7 * kWidth / static_cast<double>(frame_.places.size());
  out_ << "<rect x=\"" << x(place) - width / 2 << "\" y=\"" << y(to) << "\" width=\"" << width
       << "\" height=\"" << y(from) - y(to) << "\" fill=\"" << colour << "\"/>\n";
}

void Panel::note(std::size_t place, const std::string &text) const {
  out_ << "<text x=\"" << x(place) << "\" y=\"" << kTop - 6
       << "\" font-size=\"10\" text-anchor=\"middle\">" << text << "</text>\n";
}

/// Returns the position of a place, with space for half a bar at both ends.
double Panel::x(std::size_t place) const {
  const auto places = static_cast<double>(frame_.places.size());
  return frame_.left + kWidth * (static_cast<double>(place) + 0.5) / places;
}

double Panel::y(double value) const {
  const auto height = [this](double v) { return frame_.logarithmic ? std::log10(v) : v; };
  const double lowest = height(frame_.lowest), highest = height(frame_.highest);
  return kTop + kHeight * (1 - (height(value) - lowest) / (highest - lowest));
}

} // namespace scaling
