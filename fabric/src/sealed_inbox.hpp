#pragma once

#include "sealed_stream.hpp"

#include "fabric/reactor.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace copse::fabric {

/// Where the sealed ways of neighbours lead to. Anybody can connect: who does not begin with an
/// identity that a neighbour was promised is let go, and so is one whose bytes are not sealed with
/// the key that belongs to it.
///
/// Thread: the reactor's.
class SealedInbox {
public:
  using OnMessage = std::function<void(Frames, const std::string &sender)>;
  /// Told of what was dropped, and why.
  using OnBad = std::function<void(const std::string &why)>;

  explicit SealedInbox(Reactor &reactor);
  ~SealedInbox();
  SealedInbox(const SealedInbox &) = delete;
  SealedInbox &operator=(const SealedInbox &) = delete;

  /// Listens at a port that the OS picks, on the interface of \p endpoint ("tcp://ADDRESS:PORT").
  /// \returns the port; 0 if there is none to be had
  std::uint16_t bind(const std::string &endpoint);
  void watch(OnMessage onMessage, OnBad onBad);

  /// The next connection that begins with \p id is one of \p name and replaces its older one.
  void expect(const std::string &name, const SealId &id, const SealKey &key);
  /// Lets all neighbours go, and expects none.
  void clear();

private:
  class Arrival;
  struct Expected {
    SealId id;
    SealKey key;
  };
  void accept();
  void arrived(asio::ip::tcp::socket socket);
  /// \returns whose connection it is now; empty: a stranger's
  std::string admit(const std::shared_ptr<Arrival> &arrival, const SealId &id, SealKey &key);
  void bad(const std::string &why) const {
    if (onBad_)
      onBad_(why);
  }

  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_; ///< when there is no descriptor to be had
  OnMessage onMessage_;
  OnBad onBad_;
  std::map<std::string, Expected> expected_;                 ///< by name
  std::map<std::string, std::shared_ptr<Arrival>> admitted_; ///< likewise
  std::list<std::shared_ptr<Arrival>> strangers_; ///< have not said who they are; oldest first
};

} // namespace copse::fabric
