#pragma once

namespace copse::fabric {

/// How many messages of one socket are handled before the loop serves its timers and other sockets
/// again.
inline constexpr int kMessagesPerTurn = 64;

/// How many reads of one connection are done before the loop serves its timers and other sockets
/// again.
inline constexpr int kReadsPerTurn = 16;

} // namespace copse::fabric
