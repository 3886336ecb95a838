#include "zmq_transport.hpp"

#include "link_message.hpp"

#include <map>
#include <utility>

namespace copse::fabric {
namespace {

class ZmqTransport : public Transport {
public:
  ZmqTransport(Reactor &reactor, zmq::context_t &context, int highWater)
      : reactor_(reactor), context_(context), highWater_(highWater),
        inbox_(reactor, context, zmq::socket_type::pull) {
    inbox_.socket().set(zmq::sockopt::rcvhwm, highWater);
  }

  wire::Result<Endpoint> bind(const Endpoint &endpoint) override {
    const auto text = inbox_.bind(endpoint.text());
    if (!text)
      return text.status();
    return Endpoint::parse(*text);
  }

  void watch(Handlers handlers) override {
    handlers_ = std::move(handlers);
    inbox_.watch([this](Frames frames) { deliver(readMessage(std::move(frames)), "", handlers_); });
  }

  wire::Status connect(const Neighbour &neighbour) override {
    const wire::IpuId ipu = neighbour.ipu;
    ways_.erase(ipu);
    auto way = std::make_unique<WatchedSocket>(reactor_, context_, zmq::socket_type::push);
    way->socket().set(zmq::sockopt::sndhwm, highWater_);
    if (wire::Status status = way->connect(neighbour.endpoint.text()); !status.ok())
      return status;
    way->watch([](const Frames &) {}, [this, ipu] { handlers_.onWritable(ipu); });
    ways_[ipu] = std::move(way);
    return wire::Status::success();
  }

  void disconnectAll() override { ways_.clear(); }

  Handover send(wire::IpuId neighbour, const wire::Envelope &envelope, const Payload &payload,
                bool /*urgent*/) override {
    Frames frames = framesOf(envelope, payload);
    const auto way = ways_.find(neighbour);
    if (way == ways_.end())
      return Handover::Unreachable;
    return handoverOf(way->second->send(frames), Handover::Queued);
  }

private:
  Reactor &reactor_;
  zmq::context_t &context_;
  int highWater_;
  Handlers handlers_;
  WatchedSocket inbox_;
  std::map<wire::IpuId, std::unique_ptr<WatchedSocket>> ways_;
};

} // namespace

std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater) {
  return std::make_unique<ZmqTransport>(reactor, context, highWater);
}

} // namespace copse::fabric
