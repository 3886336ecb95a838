#pragma once

namespace copse::fabric {

/// Messages of one socket that are handled before the loop looks at its timers and other sockets
/// again.
inline constexpr int kMessagesPerTurn = 64;

/// Reads of one connection before the loop looks at its timers and other sockets again.
inline constexpr int kReadsPerTurn = 16;

} // namespace copse::fabric
