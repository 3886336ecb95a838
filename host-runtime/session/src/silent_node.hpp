#pragma once

#include <string>

namespace copse::session {

/// Finds out why the daemon of a cluster at \p endpoint is silent. Makes a connection of its own to
/// test if the name is known, if a program listens there, and if this requires keys. Takes at most
/// two seconds.
/// \param hasKeys  true if this program has keys
/// \returns the reason and a remedy, or that the daemon is there and does not answer
std::string whySilent(const std::string &endpoint, bool hasKeys);

} // namespace copse::session
