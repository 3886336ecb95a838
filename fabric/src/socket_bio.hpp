#pragma once

#include <openssl/bio.h>

namespace copse::fabric {

/// Returns OpenSSL's view of a connected socket, which stays the caller's. Unlike OpenSSL's own, it
/// never raises SIGPIPE, which would end the process, and never blocks, whatever mode the socket is
/// in.
/// \returns null if there is no memory
BIO *newSocketBio(int socket);

} // namespace copse::fabric
