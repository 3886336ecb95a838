#pragma once

#include <cstddef>

namespace copse::ipud {

// How many files an ipud may have open, beside those that it is started with. Measured over shared memory, ipc and tcp, with
// and without keys; some more, as sockets that end and those that replace them are open together for a moment.

/// The daemon itself, with a host program.
inline constexpr std::size_t kFilesOfDaemon = 36;
/// For each other IPU of its partition.
inline constexpr std::size_t kFilesOfPeer = 12;

} // namespace copse::ipud
