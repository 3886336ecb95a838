#pragma once

#include <string>

namespace stencil {

struct Options {
  std::string device = "ipu"; ///< ipu, ipumodel or cpu
  unsigned replicas = 4;
  unsigned rows = 1024; ///< rows of the whole plate; a multiple of the replicas
  unsigned columns = 256;
  unsigned steps = 100; ///< an even number
};

/// Reads the command line; for --help and for errors it prints and ends the program.
Options readOptions(int argc, char **argv);

} // namespace stencil
