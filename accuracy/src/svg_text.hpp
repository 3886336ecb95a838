#pragma once

#include <ostream>
#include <string>

namespace copse::accuracy {

/// Writes a text of an SVG picture.
/// \param anchor  the part of the text that is at \p x: "start", "middle" or "end"
inline void drawText(std::ostream &out, double x, double y, const std::string &text,
                     const char *anchor = "start") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">" << text
      << "</text>\n";
}

} // namespace copse::accuracy
