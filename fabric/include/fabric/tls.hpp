#pragma once

#include <chrono>
#include <cstdint>

namespace copse::fabric {

/// How the TLS connections of links behave. All times are wall-clock.
struct TlsOptions {
  /// For a connection to be made, once somebody has answered, and for a stranger to prove who it
  /// is. Less than a link's deadline: a handshake that a damaged wire stalls must not cost the link.
  std::chrono::milliseconds handshake{1'000};
  /// Before the next try to connect: at first, and at the most.
  std::chrono::milliseconds firstPause{50}, longestPause{1'000};
  /// A sender's key is renewed after so many bytes: a tenth of what RFC 8446, 5.5, allows for
  /// AES-GCM.
  std::uint64_t bytesPerKey = std::uint64_t{32} << 30;
};

} // namespace copse::fabric
