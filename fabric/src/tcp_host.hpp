#pragma once

#include <string>
#include <string_view>

namespace copse::fabric {

/// Of "tcp://HOST:PORT", where HOST may be "[v6 address]"; empty for another kind of endpoint.
inline std::string hostOf(const std::string &endpoint) {
  constexpr std::string_view kScheme = "tcp://";
  const std::size_t colon = endpoint.rfind(':');
  if (endpoint.rfind(kScheme, 0) != 0 || colon < kScheme.size())
    return {};
  std::string host = endpoint.substr(kScheme.size(), colon - kScheme.size());
  return host.size() > 2 && host.front() == '[' ? host.substr(1, host.size() - 2) : host;
}

} // namespace copse::fabric
