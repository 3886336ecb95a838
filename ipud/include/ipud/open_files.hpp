#pragma once

#include <cstddef>

namespace copse::ipud {

// The number of files that an ipud may open in addition to those it was started with. Measured over
// shared memory, ipc and tcp, with and without keys, plus a reserve, because old sockets and their
// replacements are briefly open together.

/// For the daemon itself and its host program.
inline constexpr std::size_t kFilesOfDaemon = 36;
/// For each other IPU of the partition.
inline constexpr std::size_t kFilesOfPeer = 12;

} // namespace copse::ipud
