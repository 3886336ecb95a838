#include "tls_transport.hpp"
#include "zmq_transport.hpp"

#include "fabric/transport.hpp"

#include <utility>

namespace copse::fabric {

TransportFactory linkTransports(zmq::context_t &context, std::shared_ptr<const Keyring> keys) {
  if (keys)
    return [keys = std::move(keys)](Reactor &reactor, int) {
      return makeTlsTransport(reactor, keys, {});
    };
  return [&context](Reactor &reactor, int highWater) {
    return makeZmqTransport(reactor, context, highWater);
  };
}

} // namespace copse::fabric
