#pragma once

#include "sealed_inbox.hpp"
#include "sealed_way.hpp"

#include "wire/ids.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace copse::fabric {

/// A quicker way than CURVE's to each neighbour that listens over tcp: a connection whose bytes are
/// sealed with a key that the two have agreed on through CURVE, which says who is who. Where there
/// is none, or not yet, nothing can be sent.
///
///     sender                                   receiver
///       key: identity, key     ==CURVE==>        expects the identity
///       connects to the port   <==CURVE==        port: identity, port
///       identity, sealed bytes ----tcp--->       opens them with the key
///
/// A key is for one connection. Whenever there is none, send() asks for the next.
///
/// Thread: the reactor's, but for send(), which any thread may call while nobody connects.
class SealedWays {
public:
  using OnWritable = std::function<void(wire::IpuId neighbour)>;
  /// Sends a frame to a neighbour through CURVE.
  using Tell = std::function<void(zmq::message_t frame)>;

  explicit SealedWays(Reactor &reactor) : reactor_(reactor), inbox_(reactor) {}
  ~SealedWays() { disconnectAll(); }
  SealedWays(const SealedWays &) = delete;
  SealedWays &operator=(const SealedWays &) = delete;

  /// Listens beside \p endpoint, if that is of tcp.
  void bind(const std::string &endpoint) { port_ = inbox_.bind(endpoint); }
  std::uint16_t port() const { return port_; } ///< 0: does not listen
  void watch(SealedInbox::OnMessage onMessage, OnWritable onWritable, SealedInbox::OnBad onBad);

  /// \param name  of the neighbour among the keys
  void connect(wire::IpuId neighbour, const std::string &endpoint, const std::string &name,
               Tell tell);
  void disconnectAll();

  /// Takes what neighbours tell one another to make a way. \returns whether this is such a message
  bool handle(const std::string &sender, const Frames &frames);

  /// \returns Unreachable: there is no way, or not yet
  Sent send(wire::IpuId neighbour, Frames &frames);
  bool open(wire::IpuId neighbour) const; ///< any thread

private:
  using Clock = std::chrono::steady_clock;
  struct Outbound {
    std::string name, host;
    Tell tell;
    SealId id{}; ///< what was asked with
    SealKey key{};
    bool dialling = false, askedBack = false;
    Clock::time_point askAt{};      ///< not again before
    std::shared_ptr<SealedWay> way; ///< null: none
  };
  void ask(Outbound &to);
  void asked(Outbound &from, const SealId &id, const SealKey &key);
  void promised(wire::IpuId neighbour, Outbound &to, const SealId &id, std::uint16_t port);
  void dialled(wire::IpuId neighbour, const SealId &id, std::shared_ptr<SealedWay> way);
  void ended(wire::IpuId neighbour, const SealedWay *way);

  Reactor &reactor_;
  SealedInbox inbox_;
  std::uint16_t port_ = 0;
  OnWritable onWritable_;
  mutable std::mutex mutex_; // guards what follows
  std::map<wire::IpuId, Outbound> outbound_;
};

} // namespace copse::fabric
