#include "tcp_options.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

namespace copse::fabric {
namespace {

constexpr int kVanishedMs = 5'000;
constexpr int kProbeSeconds = 2, kProbes = 2; // the silence after which a connection is checked
constexpr int kPatientProbeSeconds = 120, kPatientProbes = 3;

// The connection works without any of these options, so errors are ignored.
void set(int socket, int level, int option, int value) {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

void probe(int socket, int seconds, int probes) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, seconds);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, seconds);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, probes);
}

} // namespace

void noticeVanishedPeers(int socket) {
  probe(socket, kProbeSeconds, kProbes);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kVanishedMs);
}

void sendAtOnce(int socket) { probe(socket, kPatientProbeSeconds, kPatientProbes); }

} // namespace copse::fabric
