#pragma once

#include "instances.hpp"
#include "network.hpp"

#include <string>

namespace digits {

struct Options {
  unsigned replicas = 4;
  unsigned epochs = 30;
  unsigned batch = 16;
  unsigned seed = 1;
  std::string device = "ipu";     ///< ipu, ipumodel or cpu
  std::string topology = "torus"; ///< mesh or torus
  bool checkpoint = false;        ///< keep each epoch in rbufd, and go on from what is there
  std::string json;               ///< file to write the results to; empty: none
  std::string data;               ///< folder of digits.csv and codelets.cpp
};

/// Reads the command line.
/// \returns false when there is nothing more to do: \p exitCode is then the program's
bool parseOptions(int argc, char **argv, Options &options, int &exitCode);

/// \throws std::runtime_error if \p options ask for what several instances cannot do together
void checkShared(const Options &options, const Instances &instances);

} // namespace digits
