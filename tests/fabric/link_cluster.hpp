#pragma once

#include "temporary_folder.hpp"

#include "fabric/link_node.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace copse::fabric::test {

using namespace std::chrono_literals;

inline Payload payloadOf(const std::string &text) {
  Payload payload(text.size());
  if (!text.empty())
    std::memcpy(payload.data(), text.data(), text.size());
  return payload;
}

inline std::string textOf(const Payload &payload) {
  return {reinterpret_cast<const char *>(payload.data()), payload.size()};
}

inline LinkNode::Clock::time_point in(std::chrono::milliseconds time) {
  return LinkNode::Clock::now() + time;
}

/// The nodes of a partition in one process. Nodes over ipc and shm listen in a 0700 folder that the
/// destructor removes.
class LinkCluster {
public:
  LinkCluster(TransportKind kind, wire::Topology topology, std::uint32_t ipus,
              LinkOptions options = {}, std::uint32_t domain = 0)
      : topology_(topology), ipus_(ipus), domain_(domain) {
    for (std::uint32_t i = 0; i < ipus; ++i) {
      const std::string name = "link-" + std::to_string(i);
      const Endpoint listen = kind == TransportKind::Tcp   ? Endpoint::tcp("127.0.0.1")
                              : kind == TransportKind::Ipc ? Endpoint::ipc(folder_.path() / name)
                              : kind == TransportKind::Shm ? Endpoint::shm(folder_.path() / name)
                                                           : Endpoint::inproc(name);
      auto node = LinkNode::bind(linkTransports(context_), listen, options);
      EXPECT_TRUE(node.ok()) << node.status().message;
      endpoints_[{i}] = (*node)->endpoint();
      nodes_.push_back(std::move(*node));
    }
  }

  /// Joins them all, with \p replaced endpoints where one is to see another elsewhere:
  /// [self][neighbour].
  void connect(const std::map<wire::IpuId, std::map<wire::IpuId, Endpoint>> &replaced = {}) {
    for (std::uint32_t i = 0; i < ipus_; ++i) {
      LinkPlan plan{topology_, ipus_, {i}, endpoints_, 0};
      plan.domain = domain_;
      if (const auto mine = replaced.find({i}); mine != replaced.end())
        for (const auto &[neighbour, endpoint] : mine->second)
          plan.endpoints[neighbour] = endpoint;
      const wire::Status status = nodes_[i]->connect(std::move(plan));
      ASSERT_TRUE(status.ok()) << status.message;
    }
  }

  LinkNode &operator[](std::uint32_t ipu) { return *nodes_[ipu]; }
  void kill(std::uint32_t ipu) { nodes_[ipu].reset(); }
  const Endpoint &endpoint(std::uint32_t ipu) { return endpoints_[{ipu}]; }
  zmq::context_t &context() { return context_; }

private:
  zmq::context_t context_;
  wire::Topology topology_;
  std::uint32_t ipus_, domain_;
  copse::test::TemporaryFolder folder_;
  std::map<wire::IpuId, Endpoint> endpoints_;
  std::vector<std::unique_ptr<LinkNode>> nodes_;
};

} // namespace copse::fabric::test
