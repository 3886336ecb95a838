#pragma once

#include "fabric/connection_table.hpp"
#include "fabric/topology.hpp"
#include "fabric/zmtp_listener.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace copse::fabric {

/// Receives from the PUSH sockets of other IPUs like a PULL socket, but with the limits of a
/// ZmtpListener and at most kMostPeers connections.
///
/// Life: bind(), watch(), destroy; all on the loop's thread.
class ZmtpInbox {
public:
  /// All IPUs, and as many again whose machines have vanished.
  static constexpr std::size_t kMostPeers = 2 * kMaxIpus;

  struct Options {
    std::shared_ptr<const Keyring> keys; ///< null: all peers are accepted; otherwise IPUs only
    std::uint64_t mostBytes = 0;         ///< bytes of a message, all its frames together
    std::shared_ptr<Refusals> refusals;
  };
  /// \param sender  name of the node among the keys; empty without keys
  using OnMessage = std::function<void(Frames, const std::string &sender)>;
  /// A connection has ended by its peer's fault, and why.
  using OnBad = std::function<void(const std::string &why)>;

  ZmtpInbox(StreamLoop loop, Options options);

  /// \returns as StreamListener::bind()
  wire::Result<Endpoint> bind(const Endpoint &endpoint) { return listener_.bind(endpoint); }
  void watch(OnMessage onMessage, OnBad onBad);
  /// Limits messages that begin from now on, on this and on later connections.
  void limit(std::uint64_t mostBytes);

private:
  void add(std::unique_ptr<ZmtpSocket> socket, const std::string &origin);

  std::uint64_t mostBytes_;
  std::shared_ptr<Refusals> refusals_;
  OnMessage onMessage_;
  OnBad onBad_;
  ConnectionTable<ZmtpSocket> peers_{kMostPeers};
  ZmtpListener listener_;
};

} // namespace copse::fabric
