#include "endpoint.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <charconv>
#include <sys/un.h>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

constexpr std::size_t kMaxNameBytes = 253; // of a host name, RFC 1035
constexpr std::string_view kTcp = "tcp://", kIpc = "ipc://";

} // namespace

bool isName(const std::string &host) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
  };
  return !host.empty() && host.size() <= kMaxNameBytes && std::isalnum(host.front()) != 0 &&
         std::all_of(host.begin(), host.end(), allowed);
}

bool isAddress(const std::string &host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    return ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), ignored.data()) == 1;
  return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1;
}

std::string interfaceOf(const std::string &host) {
  if (isAddress(host))
    return host;
  return host == "localhost" ? "127.0.0.1" : "0.0.0.0";
}

std::optional<std::pair<std::string, std::uint16_t>> splitHostPort(const std::string &text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos)
    return {};
  const std::string host = text.substr(0, colon);
  std::uint16_t port = 0;
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
  if (error != std::errc() || rest != end || port == 0 || !(isAddress(host) || isName(host)))
    return {};
  return std::pair(host, port);
}

wire::Result<ParsedEndpoint> parseEndpoint(const std::string &endpoint) {
  if (endpoint.rfind(kIpc, 0) == 0) {
    std::string path = endpoint.substr(kIpc.size());
    if (path.size() < 2 || path.front() != '/' || path.size() >= sizeof(sockaddr_un::sun_path))
      return Status{Code::InvalidOption, "write ipc:// and an absolute path of at most " +
                                             std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                                             " characters"};
    return ParsedEndpoint{{}, 0, std::move(path)};
  }
  if (endpoint.rfind(kTcp, 0) != 0)
    return Status{Code::InvalidOption, "write tcp://HOST:PORT or ipc:///path"};
  auto parts = splitHostPort(endpoint.substr(kTcp.size()));
  if (!parts)
    return Status{Code::InvalidOption,
                  "write tcp://HOST:PORT with a host name or address and a port from 1 to 65535"};
  return ParsedEndpoint{std::move(parts->first), parts->second, {}};
}

} // namespace copse::fabric
