#include "fabric/transport.hpp"

#include <cassert>
#include <map>

namespace copse::fabric {
namespace {

class ZmqTransport : public Transport {
public:
  ZmqTransport(Reactor &reactor, zmq::context_t &context, int highWater)
      : reactor_(reactor), context_(context), highWater_(highWater),
        inbox_(reactor, context, zmq::socket_type::pull) {
    inbox_.socket().set(zmq::sockopt::rcvhwm, highWater);
  }

  wire::Result<std::string> bind(const std::string &endpoint) override {
    return inbox_.bind(endpoint);
  }

  void watch(OnMessage onMessage, OnWritable onWritable) override {
    onWritable_ = std::move(onWritable);
    inbox_.watch(std::move(onMessage));
  }

  wire::Status connect(wire::IpuId neighbour, const std::string &endpoint) override {
    ways_.erase(neighbour);
    auto way = std::make_unique<WatchedSocket>(reactor_, context_, zmq::socket_type::push);
    way->socket().set(zmq::sockopt::sndhwm, highWater_);
    if (wire::Status status = way->connect(endpoint); !status.ok())
      return status;
    way->watch([](Frames) {}, [this, neighbour] { onWritable_(neighbour); });
    ways_[neighbour] = std::move(way);
    return wire::Status::success();
  }

  void disconnectAll() override { ways_.clear(); }

  Sent send(wire::IpuId neighbour, Frames &frames) override {
    const auto way = ways_.find(neighbour);
    return way == ways_.end() ? Sent::Unreachable : way->second->send(frames);
  }

private:
  Reactor &reactor_;
  zmq::context_t &context_;
  int highWater_;
  OnWritable onWritable_;
  WatchedSocket inbox_;
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
                                            int highWater) {
  return std::make_unique<ZmqTransport>(reactor, context, highWater);
}

} // namespace copse::fabric
