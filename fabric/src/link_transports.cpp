#include "shm_transport.hpp"
#include "tls_transport.hpp"
#include "zmq_transport.hpp"

#include "fabric/transport.hpp"

#include <utility>

namespace copse::fabric {

TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys) {
  if (keys)
    return [keys = std::move(keys)](Reactor &reactor, TransportKind, int) {
      return makeTlsTransport(reactor, keys, {});
    };
  return [&context](Reactor &reactor, TransportKind kind, int highWater) {
    return kind == TransportKind::Shm ? makeShmTransport(reactor)
                                      : makeZmqTransport(reactor, context, highWater);
  };
}

} // namespace copse::fabric
