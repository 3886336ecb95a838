#pragma once

#include "dataset.hpp"
#include "options.hpp"
#include "results.hpp"

namespace digits {

/// Builds the network, trains it on the device that \p options name, and tests it.
/// \throws poplar::poplar_error, std::runtime_error
Results train(const Dataset &dataset, const Options &options, const Progress &progress);

} // namespace digits
