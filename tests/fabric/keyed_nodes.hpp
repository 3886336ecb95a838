#pragma once

#include "tls_transport.hpp"

#include "fabric/keys.hpp"
#include "fabric/link_node.hpp"
#include "fabric/refusals.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>

namespace copse::fabric::test {

/// Nodes in contexts of their own, as if they were processes, with keys of one cluster. "stranger"
/// has the name of an IPU, and a key that no node knows.
class KeyedNodes {
protected:
  struct Party {
    std::shared_ptr<const Keyring> keys;
    zmq::context_t context;
    std::shared_ptr<Refusals> refusals = std::make_shared<Refusals>();
    std::unique_ptr<LinkNode> node;
  };
  KeyedNodes() {
    std::map<std::string, KeyPair> pairs;
    std::map<std::string, std::string> publicKeys;
    for (const char *name : {"ipu-0", "ipu-1", "ipu-2", "host", "rbufd"}) {
      pairs[name] = newKeyPair();
      publicKeys[name] = pairs[name].publicKey;
    }
    for (const auto &[name, pair] : pairs)
      parties_[name].keys = std::make_shared<Keyring>(name, pair, publicKeys);
    parties_["stranger"].keys = std::make_shared<Keyring>("ipu-1", newKeyPair(), publicKeys);
  }

  LinkNode &listen(const std::string &name, const TlsOptions &options = {},
                   const Endpoint &at = {}) {
    Party &party = parties_[name];
    const TransportFactory transports = [&](Reactor &reactor, TransportKind, int) {
      return makeTlsTransport(reactor, party.keys, options, party.refusals);
    };
    LinkOptions links;
    links.probeInterval = std::chrono::milliseconds(20);
    auto node = LinkNode::bind(transports, at, links);
    EXPECT_TRUE(node.ok()) << node.status().message;
    party.node = std::move(*node);
    return *party.node;
  }
  /// Returns how many connections \p name has refused.
  std::uint64_t refusedBy(const std::string &name) { return parties_[name].refusals->total(); }
  void connect(LinkNode &node, std::uint32_t self, const Endpoint &other) {
    LinkPlan plan;
    plan.ipus = 2;
    plan.self = {self};
    plan.endpoints = {{{1 - self}, other}};
    plan.names = {{{0}, "ipu-0"}, {{1}, "ipu-1"}};
    ASSERT_TRUE(node.connect(plan).ok());
  }

  std::map<std::string, Party> parties_;
};

} // namespace copse::fabric::test
