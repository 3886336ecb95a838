#include "fabric/transport.hpp"

#include "short_messages.hpp"

#include "fabric/keys.hpp"

#include <cassert>
#include <map>

namespace copse::fabric {
namespace {

class ZmqTransport : public Transport {
public:
  ZmqTransport(Reactor &reactor, zmq::context_t &context, int highWater,
               std::shared_ptr<const Keyring> keys)
      : reactor_(reactor), context_(context), highWater_(highWater), keys_(std::move(keys)),
        inbox_(reactor, context, zmq::socket_type::pull), short_(reactor) {
    inbox_.socket().set(zmq::sockopt::rcvhwm, highWater);
    if (keys_)
      keys_->listen(inbox_.socket(), Role::Ipu);
  }

  wire::Result<std::string> bind(const std::string &endpoint) override {
    auto bound = inbox_.bind(endpoint);
    if (bound && !keys_) // datagrams would not say who sends them
      short_.bind(*bound);
    return bound;
  }

  void watch(OnMessage onMessage, OnWritable onWritable) override {
    onMessage_ = std::move(onMessage);
    onWritable_ = std::move(onWritable);
    short_.watch([this](Frames frames) { onMessage_(std::move(frames)); });
    inbox_.watch([this](Frames frames) {
      short_.receiveAll(); // what was sent before this
      onMessage_(std::move(frames));
    });
  }

  wire::Status connect(wire::IpuId neighbour, const std::string &endpoint,
                       const std::string &name) override {
    ways_.erase(neighbour);
    auto way = std::make_unique<WatchedSocket>(reactor_, context_, zmq::socket_type::push);
    way->socket().set(zmq::sockopt::sndhwm, highWater_);
    if (keys_)
      if (wire::Status status = keys_->connect(way->socket(), name); !status.ok())
        return status;
    if (wire::Status status = way->connect(endpoint); !status.ok())
      return status;
    way->watch([](Frames) {}, [this, neighbour] { onWritable_(neighbour); });
    ways_[neighbour] = std::move(way);
    if (!keys_)
      short_.connect(neighbour, endpoint);
    return wire::Status::success();
  }

  void disconnectAll() override {
    ways_.clear();
    short_.disconnectAll();
  }

  Sent send(wire::IpuId neighbour, Frames &frames) override {
    const auto way = ways_.find(neighbour);
    return way == ways_.end() ? Sent::Unreachable : way->second->send(frames);
  }

  bool sendShort(wire::IpuId neighbour, const Frames &frames) override {
    return short_.send(neighbour, frames);
  }

private:
  Reactor &reactor_;
  zmq::context_t &context_;
  int highWater_;
  std::shared_ptr<const Keyring> keys_;
  OnMessage onMessage_;
  OnWritable onWritable_;
  WatchedSocket inbox_;
  ShortMessages short_;
  std::map<wire::IpuId, std::unique_ptr<WatchedSocket>> ways_;
};

} // namespace

std::string listenEndpoint(TransportKind kind, const std::string &where) {
  switch (kind) {
  case TransportKind::Inproc:
    return "inproc://" + where;
  case TransportKind::Ipc:
    return "ipc://" + where;
  case TransportKind::Tcp:
    return "tcp://" + where + ":*";
  }
  assert(false && "no such transport");
  return {};
}

std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater, std::shared_ptr<const Keyring> keys) {
  return std::make_unique<ZmqTransport>(reactor, context, highWater, std::move(keys));
}

} // namespace copse::fabric
