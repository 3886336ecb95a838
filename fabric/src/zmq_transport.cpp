#include "zmq_transport.hpp"

#include "link_message.hpp"

#include "fabric/zmtp_inbox.hpp"

#include <map>
#include <optional>
#include <utility>

namespace copse::fabric {
namespace {

// Longest message: an IPU without a partition expects none, and exchanges of CPU devices are the
// largest messages. A message that arrives before its receiver knows the partition is lost, and the
// link retransmits it.
constexpr std::uint64_t kMostBytesWithoutNeighbours = 64 << 10,
                        kMostLinkBytes = std::uint64_t{4} << 30;

class ZmqTransport : public Transport {
public:
  ZmqTransport(Reactor &reactor, zmq::context_t &context, int highWater,
               std::shared_ptr<Refusals> refusals)
      : reactor_(reactor), context_(context), highWater_(highWater),
        refusals_(std::move(refusals)) {}

  wire::Result<Endpoint> bind(const Endpoint &endpoint) override {
    if (endpoint.transport() == TransportKind::Inproc)
      return bindWithinProcess(endpoint);
    inbox_ = std::make_unique<ZmtpInbox>(
        StreamLoop{reactor_.io(),
                   [&reactor = reactor_](auto work) { reactor.post(std::move(work)); }},
        ZmtpInbox::Options{nullptr, kMostBytesWithoutNeighbours, refusals_});
    return inbox_->bind(endpoint);
  }

  void watch(Handlers handlers) override {
    handlers_ = std::move(handlers);
    if (inner_)
      inner_->watch([this](Frames frames) { receive(std::move(frames)); });
    if (inbox_)
      inbox_->watch([this](Frames frames, const std::string &) { receive(std::move(frames)); },
                    handlers_.onBad);
  }

  wire::Status connect(const Neighbour &neighbour) override {
    const wire::IpuId ipu = neighbour.ipu;
    connections_.erase(ipu);
    auto connection = std::make_unique<WatchedSocket>(reactor_, context_, zmq::socket_type::push);
    connection->socket().set(zmq::sockopt::sndhwm, highWater_);
    if (wire::Status status = connection->connect(neighbour.endpoint.text()); !status.ok())
      return status;
    connection->watch([](const Frames &) {}, [this, ipu] { handlers_.onWritable(ipu); });
    connections_[ipu] = std::move(connection);
    if (inbox_)
      inbox_->limit(kMostLinkBytes);
    return wire::Status::success();
  }

  void disconnectAll() override {
    connections_.clear();
    if (inbox_)
      inbox_->limit(kMostBytesWithoutNeighbours);
  }

  Sent send(wire::IpuId neighbour, const wire::Envelope &envelope,
            const Payload &payload) override {
    Frames frames = framesOf(envelope, payload);
    const auto connection = connections_.find(neighbour);
    if (connection == connections_.end())
      return Sent::Unreachable;
    return connection->second->send(frames);
  }

private:
  wire::Result<Endpoint> bindWithinProcess(const Endpoint &endpoint) {
    inner_.emplace(reactor_, context_, zmq::socket_type::pull);
    inner_->socket().set(zmq::sockopt::rcvhwm, highWater_);
    const auto text = inner_->bind(endpoint.text());
    if (!text)
      return text.status();
    return Endpoint::parse(*text);
  }
  void receive(Frames frames) { deliver(readMessage(std::move(frames)), "", handlers_); }

  Reactor &reactor_;
  zmq::context_t &context_;
  int highWater_;
  Handlers handlers_;
  std::shared_ptr<Refusals> refusals_;
  std::optional<WatchedSocket> inner_; ///< for endpoints within this process
  std::unique_ptr<ZmtpInbox> inbox_;   ///< for all other endpoints
  std::map<wire::IpuId, std::unique_ptr<WatchedSocket>> connections_;
};

} // namespace

std::unique_ptr<Transport> makeZmqTransport(Reactor &reactor, zmq::context_t &context,
                                            int highWater, std::shared_ptr<Refusals> refusals) {
  return std::make_unique<ZmqTransport>(reactor, context, highWater, std::move(refusals));
}

} // namespace copse::fabric
