#pragma once

#include "fabric/descriptor.hpp"
#include "fabric/endpoint.hpp"
#include "wire/result.hpp"

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>

namespace copse::fabric {

/// Accepts stream connections at an endpoint of tcp or ipc. Over ipc only processes of this user (and root)
/// get in, and the socket file is for them only; it goes with the listener.
///
/// Life: bind(), accept(), destroy; all on the thread that runs the io_context.
class StreamListener {
public:
  /// \param origin  the address of the other end without its port, so that the connections of one
  ///   machine have the same; over ipc "this machine"
  using OnConnection = std::function<void(Descriptor socket, const std::string &origin)>;

  explicit StreamListener(asio::io_context &io);
  ~StreamListener();
  StreamListener(const StreamListener &) = delete;
  StreamListener &operator=(const StreamListener &) = delete;

  /// \returns the real endpoint, with the port that the OS picked; or InvalidOption: it is taken, no
  ///   address of this machine, or neither of tcp nor of ipc
  wire::Result<Endpoint> bind(const Endpoint &endpoint);
  /// Hands over every connection, from now on. Sockets do not block.
  void accept(OnConnection onConnection);

private:
  wire::Result<Endpoint> bindTcp(const Endpoint &endpoint);
  wire::Result<Endpoint> bindIpc(const Endpoint &endpoint);
  enum class Accepted { One, None, WithoutDescriptor };
  void await();
  void acceptSome();
  Accepted acceptOne();
  /// Waits until somebody may have closed a descriptor.
  void rest();

  asio::posix::stream_descriptor socket_;
  asio::steady_timer pause_;
  OnConnection onConnection_;
  std::string path_;                                         ///< of ipc
  std::shared_ptr<void> present_ = std::make_shared<char>(); ///< handlers in the loop look for it
};

} // namespace copse::fabric
