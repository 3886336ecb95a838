#pragma once

#include "training.hpp"

namespace transformer {

void printHeader(const Text &text, const Options &options);

/// A bar on a terminal, a line for each ten steps otherwise.
Progress progressPrinter(unsigned steps);

void printResults(const Results &results);

/// \throws std::runtime_error if \p file, which may be empty for none, cannot be written
void checkWritable(const std::string &file);

/// \throws std::runtime_error if the file cannot be written
void writeJson(const Results &results, const Options &options);

} // namespace transformer
