#pragma once

#include <asio/ip/tcp.hpp>

namespace copse::fabric {

/// A host that has vanished does not say so: a connection to one ends after some seconds, whether
/// something is on its way to it or nothing. Sends without waiting for more to send.
void noticeVanishedPeers(asio::ip::tcp::socket &socket);

} // namespace copse::fabric
