#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace host_io {

/// The parameters that are swept, and where the results are written.
struct Options {
  std::string device = "ipu"; ///< ipu, ipumodel or cpu
  std::vector<std::size_t> bytes = {1 << 10, 16 << 10, 256 << 10,
                                    4 << 20}; ///< bytes per transfer and replica
  std::vector<unsigned> replicas = {1, 2, 4};
  std::vector<std::string> directions = {"in", "out", "both"};
  std::vector<unsigned> depths = {1, 3}; ///< buffering depths, with prefetch
  std::string prefetch = "both";         ///< off, on or both
  double fillMicroseconds = 0;           ///< that the host takes to make a row, besides copying it
  std::size_t bytesPerPoint = 64 << 20;  ///< that each replica moves for one line of the table
  std::string csv, svg;                  ///< files; empty: none
};

/// Ends the program when the arguments are wrong, or when help was asked for.
Options readOptions(int argc, char **argv);

} // namespace host_io
