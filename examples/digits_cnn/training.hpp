#pragma once

#include "../digits/dataset.hpp"
#include "../digits/results.hpp"
#include "options.hpp"

namespace digits_cnn {

/// Trains the network on the device that \p options name, and tests it.
/// \throws poplar::poplar_error, std::runtime_error
digits::Results train(const digits::Dataset &dataset, const Options &options,
                      const digits::Progress &progress);

} // namespace digits_cnn
