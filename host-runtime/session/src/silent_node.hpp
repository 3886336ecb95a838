#pragma once

#include <string>

namespace copse::session {

/// Finds out why nothing has come from the daemon of a cluster at \p endpoint, by one connection of its own: whether the
/// name is known, whether anything listens, and whether that wants keys. Takes two seconds at most.
/// \param hasKeys  whether this program has keys
/// \returns the reason and what to do, or that the daemon is there and does not answer
std::string whySilent(const std::string &endpoint, bool hasKeys);

} // namespace copse::session
