#pragma once

#include "comparison.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace copse::accuracy {

/// Prints the comparisons as a table for a terminal.
void printTable(std::ostream &out, const std::vector<Comparison> &comparisons);

/// Writes the comparisons as JSON.
void printJson(std::ostream &out, const std::vector<Comparison> &comparisons);

/// Writes the page docs/accuracy.md.
/// \param plot  path of the scatter plot, relative to the page
void writePage(std::ostream &out, const std::vector<Comparison> &comparisons,
               const std::string &plot);

} // namespace copse::accuracy
