#pragma once

#include "cluster/cluster.hpp"

#include "fabric/keys.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"
#include "wire/session.hpp"

#include <zmq.hpp>

#include <chrono>
#include <string>

namespace copse::session {

/// The address of an ipud.
struct NodeAddress {
  std::string control;                   ///< its endpoint
  const fabric::Keyring *keys = nullptr; ///< keys of the client; null: none are used
  std::string name{};                    ///< the ipud's name in the keys
};

/// Returns the address of IPU \p ipu of \p cluster for a client with \p keys.
NodeAddress nodeAt(const cluster::Cluster &cluster, std::size_t ipu, const fabric::Keyring *keys);

/// Asks an ipud for its state. The client need not hold the IPU.
/// \returns Timeout if it does not answer; InvalidOption for a malformed endpoint
wire::Result<wire::session::State> inspectNode(zmq::context_t &context, const NodeAddress &node,
                                               std::chrono::milliseconds timeout);

/// Injects a parity error into a word of tile memory.
/// \returns as inspectNode()
wire::Status injectError(zmq::context_t &context, const NodeAddress &node, wire::TileAddress where,
                         std::chrono::milliseconds timeout);

/// Takes the IPU away from its current holder.
/// \returns as inspectNode()
wire::Status resetNode(zmq::context_t &context, const NodeAddress &node,
                       std::chrono::milliseconds timeout);

} // namespace copse::session
