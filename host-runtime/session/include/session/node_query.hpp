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

/// An ipud, and how to reach it.
struct NodeAddress {
  std::string control;                   ///< its endpoint
  const fabric::Keyring *keys = nullptr; ///< of who asks; null: there are none
  std::string name{};                    ///< of the ipud among the keys
};

/// IPU \p ipu of \p cluster, for who has \p keys.
NodeAddress nodeAt(const cluster::Cluster &cluster, std::size_t ipu, const fabric::Keyring *keys);

/// Asks an ipud what it is doing, whoever holds it.
/// \returns Timeout if it does not answer; InvalidOption for an endpoint that makes no sense
wire::Result<wire::session::State> inspectNode(zmq::context_t &context, const NodeAddress &node,
                                               std::chrono::milliseconds timeout);

/// Gives a word of its tile memory a parity error.
/// \returns as inspectNode()
wire::Status injectError(zmq::context_t &context, const NodeAddress &node, wire::TileAddress where,
                         std::chrono::milliseconds timeout);

/// Takes the IPU from whoever holds it.
/// \returns as inspectNode()
wire::Status resetNode(zmq::context_t &context, const NodeAddress &node,
                       std::chrono::milliseconds timeout);

} // namespace copse::session
