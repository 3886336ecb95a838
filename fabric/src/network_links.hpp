#pragma once

#include "fabric/link_node.hpp"
#include "fabric/reactor.hpp"
#include "fabric/transport.hpp"

#include <memory>

namespace copse::fabric {

/// Makes IPU-Links over a transport that may lose, repeat and reorder messages. Each link numbers
/// its packets, keeps them until they are acknowledged, and retransmits lost ones; nodes forward
/// the packets of others.
wire::Result<std::unique_ptr<LinkNode>>
bindNetworkLinks(const Endpoint &listen, LinkOptions options, LinkNode::OnFailure onFailure,
                 std::unique_ptr<Reactor> reactor, std::unique_ptr<Transport> transport);

/// Returns how many messages of a link may wait in one direction: both windows full, and the same
/// number of retransmissions.
int highWaterFor(const LinkOptions &options);

} // namespace copse::fabric
