#include "message_sockets.hpp"

#include "fabric/dial.hpp"
#include "fabric/frames.hpp"
#include "fabric/zmtp_inbox.hpp"

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace copse::sync {
namespace {

MessageSockets::Received receivedFrom(const fabric::Frames &frames, const std::string &sender) {
  if (frames.size() != 1)
    return {{}, false};
  const auto bytes = fabric::bytesOf(frames.front());
  return {{bytes.begin(), bytes.end()}, true, sender};
}

/// The inbox for messages of other IPUs.
class Inbox {
public:
  virtual ~Inbox() = default;
  virtual wire::Result<fabric::Endpoint> bind(const fabric::Endpoint &endpoint) = 0;
  virtual std::optional<MessageSockets::Received> receive() = 0;
  virtual void wait(int wakeUp, std::chrono::milliseconds time) = 0;
};

wire::Status cannotListen(const fabric::Endpoint &endpoint, const std::string &why) {
  return {wire::Code::InvalidOption,
          "cannot listen for sync messages at '" + endpoint.text() + "': " + why};
}

/// An inbox for messages of IPUs in this process.
class PullInbox : public Inbox {
public:
  explicit PullInbox(zmq::context_t &context) : socket_(context, zmq::socket_type::pull) {
    socket_.set(zmq::sockopt::linger, 0);
  }

  wire::Result<fabric::Endpoint> bind(const fabric::Endpoint &endpoint) override {
    try {
      socket_.bind(endpoint.text());
      return endpoint;
    } catch (const zmq::error_t &error) {
      return cannotListen(endpoint, error.what());
    }
  }

  std::optional<MessageSockets::Received> receive() override {
    fabric::Frames frames;
    do {
      frames.emplace_back();
      if (!socket_.recv(frames.back(), zmq::recv_flags::dontwait))
        return {};
    } while (frames.back().more());
    return receivedFrom(frames, "");
  }

  void wait(int wakeUp, std::chrono::milliseconds time) override {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, wakeUp, ZMQ_POLLIN, 0}};
    try {
      zmq::poll(items, std::size(items), std::max(time, std::chrono::milliseconds(0)));
    } catch (const zmq::error_t &error) {
      if (error.num() != EINTR)
        throw;
    }
  }

private:
  zmq::socket_t socket_;
};

/// An inbox for messages of other processes. The event loop runs on the thread that receives or
/// waits.
class StreamInbox : public Inbox {
public:
  StreamInbox(std::shared_ptr<const fabric::Keyring> keys,
              std::shared_ptr<fabric::Refusals> refusals)
      : inbox_({io_, [this](std::function<void()> work) { asio::post(io_, std::move(work)); }},
               {std::move(keys), MessageSockets::kMaxBytes, std::move(refusals)}) {}
  ~StreamInbox() override {
    if (wakeUp_.is_open())
      wakeUp_.release(); // its owner closes it
  }
  StreamInbox(const StreamInbox &) = delete;
  StreamInbox &operator=(const StreamInbox &) = delete;

  wire::Result<fabric::Endpoint> bind(const fabric::Endpoint &endpoint) override {
    auto bound = inbox_.bind(endpoint);
    if (!bound)
      return cannotListen(endpoint, bound.status().message);
    inbox_.watch(
        [this](const fabric::Frames &frames, const std::string &sender) {
          received_.push_back(receivedFrom(frames, sender));
        },
        [this](const std::string &) {
          received_.push_back({{}, false});
        });
    return bound;
  }

  std::optional<MessageSockets::Received> receive() override {
    if (received_.empty())
      work();
    if (received_.empty())
      return {};
    auto next = std::move(received_.front());
    received_.pop_front();
    return next;
  }

  void wait(int wakeUp, std::chrono::milliseconds time) override {
    if (!received_.empty())
      return;
    awaitWakeUp(wakeUp);
    io_.restart();
    if (time.count() > 0)
      io_.run_one_for(time);
    work();
  }

private:
  void work() {
    io_.restart();
    io_.poll();
  }
  void awaitWakeUp(int wakeUp) {
    if (!wakeUp_.is_open())
      wakeUp_.assign(wakeUp);
    if (std::exchange(watching_, true))
      return;
    wakeUp_.async_wait(asio::posix::stream_descriptor::wait_read,
                       [this](const asio::error_code &) { watching_ = false; });
  }

  asio::io_context io_{1};
  std::deque<MessageSockets::Received> received_;
  fabric::ZmtpInbox inbox_;
  asio::posix::stream_descriptor wakeUp_{io_};
  bool watching_ = false; ///< an asynchronous wait on wakeUp_ is pending
};

class ZmqSockets : public MessageSockets {
public:
  ZmqSockets(zmq::context_t &context, std::shared_ptr<const fabric::Keyring> keys,
             std::shared_ptr<fabric::Refusals> refusals)
      : context_(context), keys_(std::move(keys)), refusals_(std::move(refusals)) {}

  wire::Status bind(const fabric::Endpoint &endpoint) override {
    if (endpoint.transport() == fabric::TransportKind::Inproc)
      inbox_ = std::make_unique<PullInbox>(context_);
    else
      inbox_ = std::make_unique<StreamInbox>(keys_, refusals_);
    auto bound = inbox_->bind(endpoint);
    if (!bound)
      return bound.status();
    endpoint_ = std::move(*bound);
    return wire::Status::success();
  }
  const fabric::Endpoint &endpoint() const override { return endpoint_; }

  wire::Status open(wire::IpuId peer, const fabric::Endpoint &endpoint,
                    const std::string &name) override {
    try {
      zmq::socket_t connection(context_, zmq::socket_type::push);
      connection.set(zmq::sockopt::linger, 0);
      if (keys_)
        if (wire::Status status = keys_->connect(connection, name); !status.ok())
          return status;
      fabric::dial(connection, endpoint.text());
      connections_.insert_or_assign(peer, std::move(connection));
      return wire::Status::success();
    } catch (const zmq::error_t &error) {
      return {wire::Code::InvalidOption,
              "cannot connect to '" + endpoint.text() + "': " + error.what()};
    }
  }
  bool isOpen(wire::IpuId peer) const override { return connections_.contains(peer); }
  void closeConnections() override { connections_.clear(); }

  void send(wire::IpuId peer, std::span<const std::byte> message,
            std::shared_ptr<const fabric::SharedMemory>) override {
    if (const auto connection = connections_.find(peer); connection != connections_.end())
      (void)connection->second.send(zmq::message_t(message.data(), message.size()),
                                    zmq::send_flags::dontwait);
  }

  bool carriesMemory() const override { return false; }

  std::optional<Received> receive() override { return inbox_->receive(); }
  void wait(int wakeUp, std::chrono::milliseconds time) override { inbox_->wait(wakeUp, time); }

private:
  zmq::context_t &context_;
  std::shared_ptr<const fabric::Keyring> keys_;
  std::shared_ptr<fabric::Refusals> refusals_;
  std::unique_ptr<Inbox> inbox_;
  fabric::Endpoint endpoint_;
  std::map<wire::IpuId, zmq::socket_t> connections_;
};

} // namespace

std::unique_ptr<MessageSockets> makeZmqSockets(zmq::context_t &context,
                                               std::shared_ptr<const fabric::Keyring> keys,
                                               std::shared_ptr<fabric::Refusals> refusals) {
  return std::make_unique<ZmqSockets>(context, std::move(keys), std::move(refusals));
}

} // namespace copse::sync
