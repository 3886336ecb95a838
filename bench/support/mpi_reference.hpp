#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace copse::bench {

/// Seconds that \p run prints when mpirun starts it in \p processes with \p options of its own.
inline double secondsOfMpi(int processes, const std::string &options, const std::string &run) {
  const std::string command = MPIRUN " -n " + std::to_string(processes) +
                              " --oversubscribe --allow-run-as-root " + options + " " + run;
  FILE *const output = ::popen(command.c_str(), "r");
  double seconds = 0;
  const bool hasRead = output != nullptr && std::fscanf(output, "%lf", &seconds) == 1;
  if (output == nullptr || ::pclose(output) != 0 || !hasRead)
    throw std::runtime_error("'" + command + "' failed");
  return seconds;
}

} // namespace copse::bench
