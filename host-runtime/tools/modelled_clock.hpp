#pragma once

#include <string>
#include <vector>

namespace copse::tools {

/// The clocks that a program sees.
struct ClockRequest {
  std::string clock;    ///< "modelled", "real"; empty: as the environment says
  std::string hostTime; ///< "real", "none" or a factor; empty: as the environment says
  bool summary = false; ///< one line at the end
};

/// Returns why a --host-time is invalid; empty if it is valid.
std::string wrongHostTime(const std::string &text);

/// Sets the environment for the program by which this process will be replaced.
/// \param command  the program and its arguments
/// \throws std::runtime_error if its clocks cannot be replaced
void setClocks(const ClockRequest &request, const std::vector<std::string> &command);

/// Adds assumptions of an execution without data (engine::Assumptions) to the environment's.
/// \throws std::runtime_error if an assumption is wrong, or the program is to be executed
void setAssumptions(const std::vector<std::string> &assumptions);

} // namespace copse::tools
