#pragma once

#include "dataset.hpp"
#include "instances.hpp"
#include "options.hpp"
#include "results.hpp"

namespace digits {

/// Builds the network, trains it on the device that \p options name, and tests it. With several
/// instances, each trains its replicas, and all return the results of the whole.
/// \throws poplar::poplar_error, std::runtime_error
Results train(const Dataset &dataset, const Options &options, const Instances &instances,
              const Progress &progress);

} // namespace digits
