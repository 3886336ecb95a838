#pragma once

#include "training.hpp"

namespace transformer {

void printHeader(const Text &text, const Options &options);

/// Returns a function that shows a bar on a terminal, and otherwise a line for each ten steps.
Progress progressPrinter(unsigned steps);

void printResults(const Results &results);

/// \throws std::runtime_error if \p file, which may be empty for none, cannot be written
void checkWritable(const std::string &file);

/// \throws std::runtime_error if the file cannot be written
void writeJson(const Results &results, const Options &options);

} // namespace transformer
