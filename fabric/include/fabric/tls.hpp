#pragma once

#include <chrono>
#include <cstdint>

namespace copse::fabric {

/// How the TLS connections of links behave. All times are wall-clock.
struct TlsOptions {
  /// Longest time of a handshake, once the peer has answered, and of an unauthenticated connection.
  /// Less than a link's deadline: a handshake that a faulty connection stalls must not cost the
  /// link.
  std::chrono::milliseconds handshake{1'000};
  /// The pauses before the next attempt to connect: the first, and the longest.
  std::chrono::milliseconds firstPause{50}, longestPause{1'000};
  /// A sender's key is renewed after so many bytes: a tenth of what RFC 8446, 5.5, allows for
  /// AES-GCM.
  std::uint64_t bytesPerKey = std::uint64_t{32} << 30;
};

} // namespace copse::fabric
