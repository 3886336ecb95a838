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

/// Accepts stream connections at an endpoint of tcp or ipc. Over ipc only processes of this user
/// (and root) are accepted; the socket file is private to them, and the destructor removes it.
///
/// Life: bind(), accept(), destroy; all on the thread that runs the io_context.
class StreamListener {
public:
  /// \param origin  the address of the other end without its port, so that all connections of one
  ///   machine have the same; over ipc "this machine"
  using OnConnection = std::function<void(Descriptor socket, const std::string &origin)>;

  explicit StreamListener(asio::io_context &io);
  ~StreamListener();
  StreamListener(const StreamListener &) = delete;
  StreamListener &operator=(const StreamListener &) = delete;

  /// \returns the real endpoint, with the port that the OS chose; or InvalidOption: it is taken,
  ///   not an address of this machine, or neither tcp nor ipc
  wire::Result<Endpoint> bind(const Endpoint &endpoint);
  /// Passes every connection to the handler, from now on. Sockets do not block.
  void accept(OnConnection onConnection);

private:
  wire::Result<Endpoint> bindTcp(const Endpoint &endpoint);
  wire::Result<Endpoint> bindIpc(const Endpoint &endpoint);
  enum class Accepted { One, None, WithoutDescriptor };
  void await();
  void acceptSome();
  Accepted acceptOne();
  /// Stops accepting for a short time, because the process has no free descriptor.
  void rest();

  asio::posix::stream_descriptor socket_;
  asio::steady_timer pause_;
  OnConnection onConnection_;
  std::string path_; ///< path of ipc
  /// Guards handlers that wait in the loop.
  std::shared_ptr<void> present_ = std::make_shared<char>();
};

} // namespace copse::fabric
