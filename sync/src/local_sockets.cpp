#include "message_sockets.hpp"

#include "fabric/datagrams.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <limits>
#include <map>
#include <poll.h>
#include <system_error>
#include <utility>

namespace copse::sync {
namespace {

/// The channel to one peer. The kernel queues only a few datagrams, so messages that it refuses
/// wait here, in order.
class Connection {
public:
  explicit Connection(std::string peer) : peer_(std::move(peer)) {}

  void send(std::span<const std::byte> message,
            std::shared_ptr<const fabric::SharedMemory> attached) {
    waiting_.push_back({{message.begin(), message.end()}, std::move(attached)});
    flush();
  }
  /// Sends queued messages. If the peer does not exist, a message is lost.
  void flush() {
    while (!waiting_.empty() && connected()) {
      const fabric::Sent sent = sendOne(waiting_.front());
      if (sent == fabric::Sent::Full)
        return;
      if (sent == fabric::Sent::Unreachable)
        socket_.reset();
      waiting_.pop_front();
    }
    waiting_.clear();
  }
  bool unsent() const { return !waiting_.empty(); }
  int descriptor() const { return socket_->descriptor(); } ///< only if there are unsent messages

private:
  struct Message {
    std::vector<std::byte> bytes;
    std::shared_ptr<const fabric::SharedMemory> attached;
  };

  fabric::Sent sendOne(Message &message) {
    iovec whole{message.bytes.data(), message.bytes.size()};
    return message.attached ? socket_->send({&whole, 1}, message.attached->descriptor())
                            : socket_->send({&whole, 1});
  }
  bool connected() {
    if (!socket_)
      socket_ = fabric::DatagramSender::connect(peer_);
    return socket_ != nullptr;
  }

  std::string peer_;
  std::unique_ptr<fabric::DatagramSender> socket_;
  std::deque<Message> waiting_;
};

class LocalSockets : public MessageSockets {
public:
  wire::Status bind(const fabric::Endpoint &endpoint) override {
    inbox_ = fabric::DatagramInbox::bind(endpoint.place());
    if (!inbox_)
      return {wire::Code::InvalidOption, "cannot listen for sync messages at '" + endpoint.text() +
                                             "': " + std::generic_category().message(errno)};
    endpoint_ = endpoint;
    return wire::Status::success();
  }
  const fabric::Endpoint &endpoint() const override { return endpoint_; }

  wire::Status open(wire::IpuId peer, const fabric::Endpoint &endpoint,
                    const std::string &) override {
    if (endpoint.transport() != fabric::TransportKind::Ipc)
      return {wire::Code::InvalidOption,
              "cannot connect to '" + endpoint.text() + "': sync messages of '" + endpoint_.text() +
                  "' go over ipc; give all IPUs the same kind of endpoint"};
    connections_.insert_or_assign(peer, Connection(endpoint.place()));
    return wire::Status::success();
  }
  bool isOpen(wire::IpuId peer) const override { return connections_.contains(peer); }
  void closeConnections() override { connections_.clear(); }

  void send(wire::IpuId peer, std::span<const std::byte> message,
            std::shared_ptr<const fabric::SharedMemory> attached) override {
    if (const auto connection = connections_.find(peer);
        connection != connections_.end() && message.size() <= kMaxBytes)
      connection->second.send(message, std::move(attached));
  }
  bool carriesMemory() const override { return true; }

  std::optional<Received> receive() override {
    fabric::Descriptor attached;
    const auto size = inbox_->receive(buffer_, attached);
    if (!size)
      return {};
    if (*size > buffer_.size())
      return Received{{}, false};
    return Received{{buffer_.data(), buffer_.data() + *size}, true, {}, std::move(attached)};
  }

  void wait(int wakeUp, std::chrono::milliseconds time) override {
    std::vector<pollfd> watched{{inbox_->descriptor(), POLLIN, 0}, {wakeUp, POLLIN, 0}};
    for (const auto &[peer, connection] : connections_)
      if (connection.unsent())
        watched.push_back({connection.descriptor(), POLLOUT, 0});
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    const auto most = static_cast<int>(std::clamp<std::int64_t>(time.count(), 0, kMost));
    (void)::poll(watched.data(), watched.size(), most); // an error is a spurious wake
    for (auto &[peer, connection] : connections_)
      connection.flush();
  }

private:
  std::unique_ptr<fabric::DatagramInbox> inbox_;
  fabric::Endpoint endpoint_;
  std::map<wire::IpuId, Connection> connections_;
  std::array<std::byte, kMaxBytes> buffer_;
};

} // namespace

std::unique_ptr<MessageSockets> makeLocalSockets() { return std::make_unique<LocalSockets>(); }

} // namespace copse::sync
