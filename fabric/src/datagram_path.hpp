#pragma once

#include "fabric/datagrams.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/frames.hpp"
#include "fabric/reactor.hpp"
#include "wire/ids.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace copse::fabric {

/// Messages of one or two frames and up to 16 KiB between neighbours that listen over ipc: each is
/// a datagram to a socket beside that of ZeroMQ. Where there is none, nothing can be sent.
///
/// Thread: the reactor's, but for send(), which one thread at a time may call.
class DatagramPath {
public:
  using OnMessage = std::function<void(Frames)>;

  explicit DatagramPath(Reactor &reactor) : descriptor_(reactor.io()) {}
  ~DatagramPath();
  DatagramPath(const DatagramPath &) = delete;
  DatagramPath &operator=(const DatagramPath &) = delete;

  /// Listens beside \p endpoint, if that is of ipc.
  void bind(const Endpoint &endpoint);
  void watch(OnMessage onMessage);
  void connect(wire::IpuId neighbour, const Endpoint &endpoint);
  void disconnectAll() { senders_.clear(); }

  /// \returns whether it went
  bool send(wire::IpuId neighbour, const Frames &frames);
  /// Hands over what has come.
  void receiveAll();

private:
  static constexpr std::size_t kMaxBytes = 16 << 10;
  void awaitNext();
  Frames split(std::size_t bytes) const;

  OnMessage onMessage_;
  std::unique_ptr<DatagramInbox> inbox_;      ///< null: none
  asio::posix::stream_descriptor descriptor_; ///< of the inbox, which owns it
  std::map<wire::IpuId, std::unique_ptr<DatagramSender>> senders_;
  std::array<std::byte, kMaxBytes> buffer_;
};

} // namespace copse::fabric
