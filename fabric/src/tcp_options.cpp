#include "tcp_options.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

namespace copse::fabric {
namespace {

constexpr int kVanishedMs = 5'000;
constexpr int kProbeSeconds = 2, kProbes = 2; // of a silent connection

} // namespace

void noticeVanishedPeers(asio::ip::tcp::socket &socket) {
  asio::error_code ignored; // none of these is needed
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [&socket](int option, int value) {
    (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  };
  set(TCP_USER_TIMEOUT, kVanishedMs);
  set(TCP_KEEPIDLE, kProbeSeconds);
  set(TCP_KEEPINTVL, kProbeSeconds);
  set(TCP_KEEPCNT, kProbes);
}

} // namespace copse::fabric
