#include "message_sockets.hpp"

#include "fabric/dial.hpp"
#include "fabric/listen.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

namespace copse::sync {
namespace {

class ZmqSockets : public MessageSockets {
public:
  ZmqSockets(zmq::context_t &context, std::shared_ptr<const fabric::Keyring> keys)
      : context_(context), keys_(std::move(keys)), inbox_(context, zmq::socket_type::pull) {
    if (keys_)
      keys_->listen(inbox_, {fabric::Role::Ipu});
    inbox_.set(zmq::sockopt::linger, 0);
    inbox_.set(zmq::sockopt::maxmsgsize, std::int64_t{kMaxBytes});
  }

  wire::Status bind(const fabric::Endpoint &endpoint) override {
    auto place = fabric::listen(inbox_, endpoint.text());
    if (!place)
      return place.status();
    place_ = std::move(*place);
    endpoint_ = *fabric::Endpoint::parse(place_.endpoint());
    return wire::Status::success();
  }
  const fabric::Endpoint &endpoint() const override { return endpoint_; }

  wire::Status open(wire::IpuId peer, const fabric::Endpoint &endpoint,
                    const std::string &name) override {
    try {
      zmq::socket_t way(context_, zmq::socket_type::push);
      way.set(zmq::sockopt::linger, 0);
      if (keys_)
        if (wire::Status status = keys_->connect(way, name); !status.ok())
          return status;
      fabric::dial(way, endpoint.text());
      ways_.insert_or_assign(peer, std::move(way));
      return wire::Status::success();
    } catch (const zmq::error_t &error) {
      return {wire::Code::InvalidOption,
              "cannot connect to '" + endpoint.text() + "': " + error.what()};
    }
  }
  bool isOpen(wire::IpuId peer) const override { return ways_.contains(peer); }
  void closeWays() override { ways_.clear(); }

  void send(wire::IpuId peer, std::span<const std::byte> message,
            std::shared_ptr<const fabric::SharedMemory>) override {
    if (const auto way = ways_.find(peer); way != ways_.end())
      (void)way->second.send(zmq::message_t(message.data(), message.size()),
                             zmq::send_flags::dontwait);
  }

  bool carriesMemory() const override { return false; }

  std::optional<Received> receive() override {
    zmq::message_t frame;
    if (!inbox_.recv(frame, zmq::recv_flags::dontwait))
      return {};
    if (frame.more()) {
      while (frame.more())
        (void)inbox_.recv(frame, zmq::recv_flags::dontwait);
      return Received{{}, false};
    }
    const auto *bytes = static_cast<const std::byte *>(frame.data());
    return Received{{bytes, bytes + frame.size()}, true, keys_ ? fabric::senderOf(frame) : ""};
  }

  void wait(int wakeUp, std::chrono::milliseconds time) override {
    zmq::pollitem_t items[] = {{inbox_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, wakeUp, ZMQ_POLLIN, 0}};
    try {
      zmq::poll(items, std::size(items), std::max(time, std::chrono::milliseconds(0)));
    } catch (const zmq::error_t &error) {
      if (error.num() != EINTR)
        throw;
    }
  }

private:
  zmq::context_t &context_;
  std::shared_ptr<const fabric::Keyring> keys_;
  fabric::ListeningPlace place_; ///< goes after the socket
  zmq::socket_t inbox_;
  fabric::Endpoint endpoint_;
  std::map<wire::IpuId, zmq::socket_t> ways_;
};

} // namespace

std::unique_ptr<MessageSockets> makeZmqSockets(zmq::context_t &context,
                                               std::shared_ptr<const fabric::Keyring> keys) {
  return std::make_unique<ZmqSockets>(context, std::move(keys));
}

} // namespace copse::sync
