#pragma once

#include <string>
#include <vector>

namespace copse::tools {

/// How a program sees the time.
struct ClockRequest {
  std::string clock;    ///< "modelled", "real"; empty: as the environment says
  std::string hostTime; ///< "real", "none" or a factor; empty: as the environment says
  bool summary = false; ///< one line at the end
};

/// Returns what is wrong with a --host-time; empty: nothing.
std::string wrongHostTime(const std::string &text);

/// Sets the environment of the program that this one becomes.
/// \param command  the program and its arguments
/// \throws std::runtime_error if its clocks cannot be reached
void setClocks(const ClockRequest &request, const std::vector<std::string> &command);

} // namespace copse::tools
