#include "ring_acceptor.hpp"

#include "local_socket.hpp"

#include <asio/steady_timer.hpp>

#include <chrono>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

// From a connection to its hello, which comes right behind.
constexpr std::chrono::seconds kHelloTimeout{5};

} // namespace

/// A connection without its hello.
struct RingAcceptor::Greeted {
  Greeted(Reactor &reactor, Descriptor connection)
      : socket(reactor.io(), connection.release()), timeout(reactor.io()) {}
  asio::posix::stream_descriptor socket;
  asio::steady_timer timeout;
};

std::unique_ptr<RingAcceptor> RingAcceptor::bind(Reactor &reactor, const std::string &path,
                                                 std::size_t rings) {
  Descriptor listener = local::listen(path);
  if (!listener)
    return nullptr;
  return std::unique_ptr<RingAcceptor>(new RingAcceptor(reactor, std::move(listener), path, rings));
}

RingAcceptor::RingAcceptor(Reactor &reactor, Descriptor listener, std::string path,
                           std::size_t rings)
    : reactor_(reactor), acceptor_(reactor.io(), listener.release()), path_(std::move(path)),
      rings_(rings) {}

RingAcceptor::~RingAcceptor() { ::unlink(path_.c_str()); }

void RingAcceptor::watch(Handlers handlers) {
  handlers_ = std::move(handlers);
  accept();
}

void RingAcceptor::accept() {
  acceptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this, present = std::weak_ptr(present_)](const asio::error_code &error) {
                         if (error || present.expired())
                           return;
                         while (Descriptor next = local::accept(acceptor_.native_handle()))
                           await(std::make_shared<Greeted>(reactor_, std::move(next)));
                         accept();
                       });
}

void RingAcceptor::await(const std::shared_ptr<Greeted> &connection) {
  connection->timeout.expires_after(kHelloTimeout);
  connection->timeout.async_wait([connection](const asio::error_code &cancelled) {
    asio::error_code ignored;
    if (!cancelled)
      connection->socket.close(ignored);
  });
  connection->socket.async_wait(
      asio::posix::stream_descriptor::wait_read,
      [this, connection, present = std::weak_ptr(present_)](const asio::error_code &error) {
        connection->timeout.cancel();
        if (!error && !present.expired())
          greet(Descriptor(connection->socket.release()));
      });
}

void RingAcceptor::greet(Descriptor connection) {
  local::Message message;
  if (local::receive(connection.number(), message) != local::Received::Message)
    return; // it has left again
  auto hello = ring::readHello(std::move(message), rings_);
  if (!hello)
    return handlers_.onBad(hello.status().message);
  handlers_.onHello(std::move(connection), std::move(*hello));
}

} // namespace copse::fabric
