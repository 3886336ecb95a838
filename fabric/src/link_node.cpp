#include "fabric/link_node.hpp"

#include "memory_links.hpp"
#include "network_links.hpp"

#include <utility>

namespace copse::fabric {

wire::Result<std::unique_ptr<LinkNode>> LinkNode::bind(const TransportFactory &transports,
                                                       const Endpoint &listen, LinkOptions options,
                                                       OnFailure onFailure) {
  auto reactor = std::make_unique<Reactor>("copse-links");
  auto transport = reactor->call(
      [&] { return transports(*reactor, listen.transport(), highWaterFor(options)); });
  if (transport)
    return bindNetworkLinks(listen, options, std::move(onFailure), std::move(reactor),
                            std::move(transport));
  auto links = std::make_unique<MemoryLinks>(options, std::move(onFailure), std::move(reactor));
  if (wire::Status status = links->bind(listen); !status.ok())
    return status;
  return std::unique_ptr<LinkNode>(std::move(links));
}

} // namespace copse::fabric
