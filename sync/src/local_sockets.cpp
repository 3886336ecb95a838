#include "message_sockets.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace copse::sync {
namespace {

constexpr std::string_view kScheme = "ipc://";

class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  int get() const { return number_; }

private:
  int number_ = -1;
};

Descriptor datagramSocket() {
  return Descriptor(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

std::string lastError() { return std::generic_category().message(errno); }

/// \returns nothing if the endpoint is no path that fits
std::optional<sockaddr_un> addressOf(const std::string &endpoint) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (endpoint.rfind(kScheme, 0) != 0)
    return {};
  const std::string path = endpoint.substr(kScheme.size());
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return {};
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

const sockaddr *asGeneric(const sockaddr_un &address) {
  return reinterpret_cast<const sockaddr *>(&address);
}

/// To one peer. The kernel queues few datagrams; what does not go at once stays here, in order.
class Way {
public:
  explicit Way(const sockaddr_un &peer) : peer_(peer) {}

  void send(std::span<const std::byte> message) {
    waiting_.emplace_back(message.begin(), message.end());
    flush();
  }
  /// What the peer cannot take because it is not there is lost.
  void flush() {
    while (!waiting_.empty() && connected()) {
      const auto &message = waiting_.front();
      if (::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0) {
        if (errno == EAGAIN || errno == EINTR)
          return;
        socket_ = {};
      }
      waiting_.pop_front();
    }
    waiting_.clear();
  }
  bool unsent() const { return !waiting_.empty(); }
  int descriptor() const { return socket_.get(); }

private:
  bool connected() {
    if (socket_.get() >= 0)
      return true;
    Descriptor fresh = datagramSocket();
    if (fresh.get() < 0 || ::connect(fresh.get(), asGeneric(peer_), sizeof peer_) != 0)
      return false;
    socket_ = std::move(fresh);
    return true;
  }

  sockaddr_un peer_;
  Descriptor socket_;
  std::deque<std::vector<std::byte>> waiting_;
};

class LocalSockets : public MessageSockets {
public:
  ~LocalSockets() override {
    if (!path_.empty())
      ::unlink(path_.c_str());
  }

  wire::Status bind(const std::string &endpoint) override {
    const auto address = addressOf(endpoint);
    if (!address)
      return cannotListen(endpoint, "it is not ipc:// and a path of at most 107 characters");
    inbox_ = datagramSocket();
    ::unlink(address->sun_path); // of a process that was killed
    if (inbox_.get() < 0 || ::bind(inbox_.get(), asGeneric(*address), sizeof *address) != 0)
      return cannotListen(endpoint, lastError());
    path_ = address->sun_path;
    endpoint_ = endpoint;
    return wire::Status::success();
  }
  const std::string &endpoint() const override { return endpoint_; }

  wire::Status open(wire::IpuId peer, const std::string &endpoint, const std::string &) override {
    const auto address = addressOf(endpoint);
    if (!address)
      return {wire::Code::InvalidOption,
              "cannot connect to '" + endpoint + "': sync messages of '" + endpoint_ +
                  "' go over ipc; give all IPUs the same kind of endpoint"};
    ways_.insert_or_assign(peer, Way(*address));
    return wire::Status::success();
  }
  bool isOpen(wire::IpuId peer) const override { return ways_.contains(peer); }
  void closeWays() override { ways_.clear(); }

  void send(wire::IpuId peer, std::span<const std::byte> message) override {
    if (const auto way = ways_.find(peer); way != ways_.end() && message.size() <= kMaxBytes)
      way->second.send(message);
  }

  std::optional<Received> receive() override {
    const ssize_t size =
        ::recv(inbox_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT | MSG_TRUNC);
    if (size < 0)
      return {};
    if (static_cast<std::size_t>(size) > buffer_.size())
      return Received{{}, false};
    return Received{{buffer_.data(), buffer_.data() + size}, true};
  }

  void wait(int wakeUp, std::chrono::milliseconds time) override {
    std::vector<pollfd> watched{{inbox_.get(), POLLIN, 0}, {wakeUp, POLLIN, 0}};
    for (const auto &[peer, way] : ways_)
      if (way.unsent())
        watched.push_back({way.descriptor(), POLLOUT, 0});
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    const auto most = static_cast<int>(std::clamp<std::int64_t>(time.count(), 0, kMost));
    (void)::poll(watched.data(), watched.size(), most); // an error is a wait for no reason
    for (auto &[peer, way] : ways_)
      way.flush();
  }

private:
  static wire::Status cannotListen(const std::string &endpoint, const std::string &why) {
    return {wire::Code::InvalidOption,
            "cannot listen for sync messages at '" + endpoint + "': " + why};
  }

  Descriptor inbox_;
  std::string path_, endpoint_;
  std::map<wire::IpuId, Way> ways_;
  std::array<std::byte, kMaxBytes> buffer_;
};

} // namespace

std::unique_ptr<MessageSockets> makeLocalSockets() { return std::make_unique<LocalSockets>(); }

} // namespace copse::sync
