#pragma once

#include "model.hpp"

#include <string>
#include <vector>

namespace transformer {

struct Options {
  ModelOptions model;
  unsigned replicas = 4;
  unsigned steps = 300;
  double rate = 0.01;            ///< highest one of learning
  std::string device = "ipu";    ///< ipu, ipumodel or cpu
  std::vector<std::string> text; ///< files
  unsigned sample = 300;         ///< characters to write at the end
  double temperature = 0.7;      ///< lower values keep closer to the likeliest characters
  bool checkpoint = false;       ///< keep the training in rbufd, and go on from what is there
  std::string json;              ///< file to write the results to; empty: none
};

/// Reads the command line.
/// \returns false when there is nothing more to do: \p exitCode is then the program's
bool parseOptions(int argc, char **argv, Options &options, int &exitCode);

} // namespace transformer
