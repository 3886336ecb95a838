#pragma once

#include "dataset.hpp"
#include "options.hpp"
#include "results.hpp"

namespace digits {

void printHeader(const Dataset &dataset, const Options &options);

/// Returns a function that shows a bar on a terminal; otherwise, or if others print there, too, a
/// line for each epoch.
Progress progressPrinter(unsigned epochs, bool isAlone = true);
/// Returns a Progress that prints nothing.
Progress silence();

void printResults(const Results &results);

/// \throws std::runtime_error if \p file, which may be empty for none, cannot be written
void checkWritable(const std::string &file);

/// \throws std::runtime_error if the file cannot be written
void writeJson(const Results &results, const Options &options);

} // namespace digits
