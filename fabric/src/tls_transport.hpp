#pragma once

#include "fabric/keys.hpp"
#include "fabric/refusals.hpp"
#include "fabric/tls.hpp"
#include "fabric/transport.hpp"

#include <memory>

namespace copse::fabric {

/// Makes a transport over TLS 1.3, between nodes with keys that listen over tcp: the sender of a
/// message is authenticated when its connection is made.
/// \param refusals  counts connections that do not authenticate
std::unique_ptr<Transport> makeTlsTransport(Reactor &reactor, std::shared_ptr<const Keyring> keys,
                                            const TlsOptions &options,
                                            std::shared_ptr<Refusals> refusals);

} // namespace copse::fabric
