#pragma once

#include "hostile_messages.hpp"
#include "tcp_nodes.hpp"

#include "wire/envelope.hpp"
#include "wire/rows.hpp"
#include "wire/session.hpp"

#include <gtest/gtest.h>
#include <zmq.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Peers that pass the handshake of a daemon, and the messages that they send.
namespace copse::test {

template <class Body> std::string sessionMessage(Body body) {
  return HostileMessages::asText(
      wire::session::encode({3, {}, wire::session::Body(std::move(body))}));
}

/// Returns all messages of hosts, a greeting first, except `reset` and `injectError`, which every
/// host may send.
inline std::vector<std::string> sessionMessages() {
  return {sessionMessage(wire::session::Hello{50}),   sessionMessage(wire::session::Heartbeat{}),
          sessionMessage(wire::session::Configure{}), sessionMessage(wire::session::Load{}),
          sessionMessage(wire::session::Run{}),       sessionMessage(wire::session::Stop{}),
          sessionMessage(wire::session::ViewWrite{}), sessionMessage(wire::session::StreamRow{}),
          sessionMessage(wire::session::Rows{}),      sessionMessage(wire::session::Fault{}),
          sessionMessage(wire::session::Detach{}),    sessionMessage(wire::session::Inspect{})};
}

inline std::vector<std::string> rowMessages() {
  namespace rows = wire::rows;
  const rows::Access access{77, 0, 0, {{0, 0, 8}}};
  std::vector<std::string> all;
  for (const rows::Body &body :
       {rows::Body(rows::Open{"prog", 1, {{"b", 8, 1}}}), rows::Body(rows::Read{access}),
        rows::Body(rows::Write{access}), rows::Body(rows::Counters{}), rows::Body(rows::Ok{})})
    all.push_back(HostileMessages::asText(rows::encode({1, 8, body})));
  return all;
}

inline std::vector<std::string> syncMessages() {
  std::vector<std::string> all;
  wire::Envelope envelope;
  envelope.epoch = 0x5EED5EED; // mallory does not know the real epoch
  envelope.from = {1};
  const wire::Status failure{wire::Code::Internal, "stop"};
  const auto add = [&](auto body) {
    envelope.body = std::move(body);
    all.push_back(HostileMessages::asText(wire::encode(envelope)));
  };
  add(wire::SyncArrive{wire::SyncGroup::GS2, {1}, failure, 0});
  add(wire::SyncLeave{wire::SyncGroup::GS2, {1}, failure});
  add(wire::Fault{wire::Code::Internal, "stop"});
  return all;
}

inline std::vector<std::string> linkMessages() {
  std::vector<std::string> all;
  wire::Envelope envelope;
  envelope.epoch = 0x5EED5EED;
  envelope.from = {1};
  using Body = decltype(envelope.body);
  for (const Body &body : {Body(wire::Ack{}), Body(wire::Packet{{1}, {0}, 0, 0}),
                           Body(wire::Probe{}), Body(wire::Fault{wire::Code::Internal, "stop"})}) {
    envelope.body = body;
    all.push_back(HostileMessages::asText(wire::encode(envelope)));
  }
  return all;
}

/// A socket that mallory attacks, with a key that is accepted there.
struct Target {
  std::string endpoint, node;
  std::shared_ptr<const fabric::Keyring> keys; ///< null: the cluster has no keys
  zmq::socket_type type;
  std::vector<std::string> messages;
  const ChildProcess *daemon;
};

/// Returns all endpoints of a cluster to which ZeroMQ's sockets connect; without keys, also the
/// links' endpoints.
inline std::vector<Target> targetsOf(const TcpNodes &nodes) {
  const auto &cluster = nodes.cluster();
  const auto keysOf = [&](const std::string &name) {
    return cluster.keys.empty() ? nullptr : nodes.keysOf(name);
  };
  std::vector<Target> all;
  for (std::size_t ipu = 0; ipu < cluster.ipus.size(); ++ipu) {
    const std::string name = fabric::nameOfIpu(ipu);
    const ChildProcess *const daemon = nodes.daemons()[ipu].get();
    all.push_back({cluster.ipus[ipu].control.address, name, keysOf("mallory"),
                   zmq::socket_type::dealer, sessionMessages(), daemon});
    all.push_back({cluster.ipus[ipu].sync.address, name, keysOf(fabric::nameOfIpu(1 - ipu)),
                   zmq::socket_type::push, syncMessages(), daemon});
    if (cluster.keys.empty())
      all.push_back({cluster.ipus[ipu].link.address, name, nullptr, zmq::socket_type::push,
                     linkMessages(), daemon});
  }
  all.push_back({cluster.rbufd->endpoint.address, fabric::kRbufdName, keysOf("mallory"),
                 zmq::socket_type::dealer, rowMessages(), nodes.daemons().back().get()});
  return all;
}

inline zmq::socket_t dial(zmq::context_t &context, const Target &target) {
  zmq::socket_t socket(context, target.type);
  socket.set(zmq::sockopt::linger, 0);
  socket.set(zmq::sockopt::sndtimeo, 100);
  if (target.keys != nullptr) {
    EXPECT_TRUE(target.keys->connect(socket, target.node).ok());
  }
  socket.connect(target.endpoint);
  return socket;
}

/// \returns false if it was not taken in time
inline bool send(zmq::socket_t &socket, const std::string &frame, bool more) {
  return socket.send(zmq::buffer(frame), more ? zmq::send_flags::sndmore : zmq::send_flags::none)
      .has_value();
}

/// Sends damaged and sound messages, of one frame or several.
inline void sendNonsense(zmq::socket_t &socket, const Target &target, HostileMessages &hostile,
                         int messages) {
  for (int message = 0; message < messages; ++message)
    for (std::uint32_t frames = hostile.number(4) + 1; frames > 0; --frames)
      if (!send(socket,
                hostile.number(4) == 0 ? target.messages[hostile.number(
                                             static_cast<std::uint32_t>(target.messages.size()))]
                                       : hostile.frame(),
                frames > 1))
        return;
}

} // namespace copse::test
