#include "fabric/endpoint.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <sys/un.h>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

constexpr std::size_t kMaxNameBytes = 253; // longest host name (RFC 1035)
constexpr std::size_t kMaxPathBytes = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::array kKinds{TransportKind::Inproc, TransportKind::Ipc, TransportKind::Shm,
                            TransportKind::Tcp};
constexpr std::array<std::string_view, 4> kSchemes{"inproc://", "ipc://", "shm://",
                                                   "tcp://"}; // prefix by kind

Status bad(const std::string &what) { return {Code::InvalidOption, what}; }

std::optional<std::uint16_t> portOf(std::string_view text) {
  std::uint16_t port = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && rest == text.data() + text.size() ? std::optional(port)
                                                                   : std::nullopt;
}

/// \returns why no socket can have this host; empty if the text shows no reason
std::string faultOfHost(const std::string &host) {
  if (host.find('%') != std::string::npos)
    return "'" + host +
           "' has a zone id, which is a name of one machine only; give an address without one";
  const bool hasBrackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (host.find(':') != std::string::npos && !hasBrackets)
    return "write an IPv6 address in brackets, as in tcp://[::1]:7100";
  if (hasBrackets && !isAddress(host))
    return "'" + host + "' is no IPv6 address";
  return {};
}

wire::Result<Endpoint> parseTcp(const std::string &place) {
  const std::size_t colon = place.rfind(':');
  if (colon == 0 || colon == std::string::npos || colon + 1 == place.size())
    return bad("write tcp://HOST:PORT, with * for a port that the system picks");
  const std::string host = place.substr(0, colon), port = place.substr(colon + 1);
  if (const std::string why = faultOfHost(host); !why.empty())
    return bad(why);
  const auto number = port == "*" ? std::optional<std::uint16_t>(0) : portOf(port);
  if (!number)
    return bad("'" + port +
               "' is no port; write a number from 1 to 65535, or * for a port that the system "
               "picks");
  return Endpoint::tcp(host, *number);
}

bool startsLocal(const std::string &text) {
  return text.starts_with(kSchemes[static_cast<std::size_t>(TransportKind::Ipc)]) ||
         text.starts_with(kSchemes[static_cast<std::size_t>(TransportKind::Shm)]);
}

} // namespace

std::optional<TransportKind> transportNamed(std::string_view word) {
  for (const TransportKind kind : kKinds)
    if (std::string(word) + "://" == kSchemes[static_cast<std::size_t>(kind)])
      return kind;
  return std::nullopt;
}

wire::Result<Endpoint> Endpoint::parse(const std::string &text) {
  for (const TransportKind kind : kKinds) {
    const std::string_view scheme = kSchemes[static_cast<std::size_t>(kind)];
    if (!text.starts_with(scheme))
      continue;
    std::string place = text.substr(scheme.size());
    if (kind == TransportKind::Tcp)
      return parseTcp(place);
    if (place.empty() || (kind != TransportKind::Inproc && place.size() > kMaxPathBytes))
      return bad("write ipc:// or shm:// and a path of at most " + std::to_string(kMaxPathBytes) +
                 " characters, or inproc:// and a name");
    return Endpoint(kind, std::move(place), 0);
  }
  return bad("write tcp://HOST:PORT, ipc:///path or shm:///path");
}

wire::Result<Endpoint> Endpoint::parseReachable(const std::string &text) {
  auto endpoint = parse(text);
  if (startsLocal(text)) {
    if (!endpoint || endpoint->place().size() < 2 || endpoint->place().front() != '/')
      return bad("write ipc:// or shm:// and an absolute path of at most " +
                 std::to_string(kMaxPathBytes) + " characters");
    return endpoint;
  }
  if (!text.starts_with(kSchemes[static_cast<std::size_t>(TransportKind::Tcp)]))
    return bad("write tcp://HOST:PORT, ipc:///path or shm:///path");
  if (!endpoint)
    return endpoint.status();
  if (endpoint->port() == 0 || !(isAddress(endpoint->place()) || isName(endpoint->place())))
    return bad("write tcp://HOST:PORT with a host name or address and a port from 1 to 65535");
  return endpoint;
}

std::string Endpoint::bareHost() const {
  return place_.size() > 2 && place_.front() == '[' ? place_.substr(1, place_.size() - 2) : place_;
}

std::string Endpoint::text() const {
  std::string text(kSchemes[static_cast<std::size_t>(transport_)]);
  text += place_;
  if (transport_ == TransportKind::Tcp)
    text += ":" + (port_ == 0 ? "*" : std::to_string(port_));
  return text;
}

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

bool isLoopback(const std::string &host) {
  if (host == "localhost")
    return true;
  in6_addr address{};
  if (host.starts_with('[') && isAddress(host) &&
      ::inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), &address) == 1)
    return IN6_IS_ADDR_LOOPBACK(&address) ||
           (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127);
  return isAddress(host) && host.starts_with("127.");
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
  const auto port = portOf(std::string_view(text).substr(colon + 1));
  if (!port || *port == 0 || !(isAddress(host) || isName(host)))
    return {};
  return std::pair(host, *port);
}

} // namespace copse::fabric
