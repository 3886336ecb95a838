#pragma once

#include "../digits/options.hpp"

namespace digits_cnn {

struct Options : digits::Options {
  unsigned accumulate = 1; ///< micro-batches of `batch` images on each replica in a step
};

/// Ends the process when there is nothing to run: help, or a wrong argument.
Options readOptions(int argc, char **argv);

} // namespace digits_cnn
