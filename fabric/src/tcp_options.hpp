#pragma once

namespace copse::fabric {

/// Makes a connection end after some seconds if the host at its other end has vanished, whether
/// data is in transit or not. Also sends without delay (TCP_NODELAY).
void noticeVanishedPeers(int socket);

/// Sends without delay (TCP_NODELAY), and detects after some minutes that a peer has vanished while
/// no data was in transit. Does nothing to a socket that is not TCP.
void sendAtOnce(int socket);

} // namespace copse::fabric
