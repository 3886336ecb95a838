#include "tls_transport.hpp"
#include "zmq_transport.hpp"

#include "fabric/transport.hpp"

#include <utility>

namespace copse::fabric {

TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys,
                                std::shared_ptr<Refusals> refusals) {
  if (keys)
    return [keys = std::move(keys), refusals = std::move(refusals)](Reactor &reactor, TransportKind,
                                                                    int) {
      return makeTlsTransport(reactor, keys, {}, refusals);
    };
  return [&context, refusals = std::move(refusals)](Reactor &reactor, TransportKind kind,
                                                    int highWater) {
    return kind == TransportKind::Shm ? nullptr
                                      : makeZmqTransport(reactor, context, highWater, refusals);
  };
}

} // namespace copse::fabric
