#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace copse::fabric {

/// The parts of an endpoint that is one socket for good: no wildcard, no port for the OS to pick.
struct ParsedEndpoint {
  std::string host; ///< of tcp: a name, or an address; empty for ipc
  std::uint16_t port = 0;
  std::string path; ///< of ipc
};

/// \returns InvalidOption, saying what to write instead
wire::Result<ParsedEndpoint> parseEndpoint(const std::string &endpoint);

/// "HOST:PORT", of which HOST may be "[v6 address]"; nothing if it is not of that form.
std::optional<std::pair<std::string, std::uint16_t>> splitHostPort(const std::string &text);

/// Whether \p host may be a host's name. Service names of compose files may have underscores, which
/// DNS forbids for hosts.
bool isName(const std::string &host);

/// Whether \p host is a numeric address, an IPv6 one in brackets.
bool isAddress(const std::string &host);

/// The address to listen at by whom others reach as \p host: \p host itself if it is an address,
/// loopback for "localhost", else all interfaces, as a name can stand for any.
std::string interfaceOf(const std::string &host);

} // namespace copse::fabric
