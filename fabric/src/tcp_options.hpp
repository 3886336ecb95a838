#pragma once

namespace copse::fabric {

/// A host that has vanished does not say so: a connection to one ends after some seconds, whether
/// something is on its way to it or nothing. Sends without waiting for more to send.
void noticeVanishedPeers(int socket);

/// Sends without waiting for more to send. A peer that has vanished while nothing is on its way to it is
/// noticed after some minutes. Does nothing to a socket of another kind than TCP.
void sendAtOnce(int socket);

} // namespace copse::fabric
