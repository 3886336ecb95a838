#pragma once

#include "experiment.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace host_io {

/// Returns "64 KiB", "3 MiB", "100 B".
std::string sizeText(std::size_t bytes);

void printHeading();
void printRow(const Point &point);

/// Writes one line for each point under a line of names. Figures have full precision.
void writeCsv(std::ostream &out, const std::vector<Point> &points);

} // namespace host_io
