#pragma once

#include <cstdint>
#include <popdist/backend_interface.hpp>
#include <string>
#include <vector>

namespace popdist {

/// The backend that is initialized.
/// \throws popdist_error if none is
const PopdistBackend &initializedBackend(const char *who);

/// Returns the instances of a communicator, ascending.
/// \throws popdist_error if no communicator has that name
std::vector<std::uint32_t> participantsOf(const std::string &communicatorId);

/// Makes \p communicatorId stand for the default communicator in this thread, until
/// popCommunicator().
void pushCommunicator(const std::string &communicatorId);
void popCommunicator();

} // namespace popdist
