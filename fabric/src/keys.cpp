#include "fabric/keys.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <pthread.h>
#include <sys/eventfd.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

constexpr std::size_t kTextBytes = 41, kKeyBytes = 32; // of a key, the former with its last 0
// A peer that does not show its key in this time is let go: until then it costs a descriptor.
constexpr int kHandshakeMs = 3'000;
constexpr const char *kWords[] = {"host", "ipu", "rbufd"}; // by role, for ZeroMQ's domains

const char *wordOf(Role role) { return kWords[static_cast<std::size_t>(role)]; }

std::string bytesOfKey(const std::string &text) {
  std::array<std::uint8_t, kKeyBytes> bytes{};
  if (text.size() + 1 != kTextBytes || zmq_z85_decode(bytes.data(), text.c_str()) == nullptr)
    return {};
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

std::string textOf(const zmq::message_t &frame) { return frame.to_string(); }

} // namespace

Status noKeyOf(const std::string &node) {
  return {Code::InvalidOption,
          "there is no key of '" + node + "'; write keys for all nodes with copse keys"};
}

KeyPair newKeyPair() {
  std::array<char, kTextBytes> publicKey{}, secretKey{};
  if (zmq_curve_keypair(publicKey.data(), secretKey.data()) != 0)
    throw zmq::error_t();
  return {publicKey.data(), secretKey.data()};
}

Role roleOf(const std::string &name) {
  if (name == kRbufdName)
    return Role::Rbufd;
  const bool numbered = name.rfind("ipu-", 0) == 0 && name.size() > 4 &&
                        name.find_first_not_of("0123456789", 4) == std::string::npos;
  return numbered ? Role::Ipu : Role::Host;
}

std::string nameOfIpu(std::size_t number) { return "ipu-" + std::to_string(number); }

Keyring::Keyring(std::string self, KeyPair own, std::map<std::string, std::string> publicKeys)
    : self_(std::move(self)), own_(std::move(own)), publicKeys_(std::move(publicKeys)) {
  for (const auto &[name, key] : publicKeys_)
    names_[bytesOfKey(key)] = name;
}

void Keyring::listen(zmq::socket_t &socket, std::initializer_list<Role> peers) const {
  std::string domain; // the roles' words, which the gatekeeper reads
  for (const Role role : peers)
    domain += std::string(domain.empty() ? "" : ",") + wordOf(role);
  socket.set(zmq::sockopt::curve_server, true);
  socket.set(zmq::sockopt::curve_secretkey, own_.secretKey);
  socket.set(zmq::sockopt::zap_domain, domain);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
}

Status Keyring::connect(zmq::socket_t &socket, const std::string &peer) const {
  const auto found = publicKeys_.find(peer);
  if (found == publicKeys_.end())
    return noKeyOf(peer);
  socket.set(zmq::sockopt::curve_serverkey, found->second);
  socket.set(zmq::sockopt::curve_publickey, own_.publicKey);
  socket.set(zmq::sockopt::curve_secretkey, own_.secretKey);
  return Status::success();
}

std::string Keyring::nameOf(std::span<const std::byte> key) const {
  const auto found =
      names_.find(std::string(reinterpret_cast<const char *>(key.data()), key.size()));
  return found == names_.end() || key.size() != kKeyBytes ? "" : found->second;
}

std::string senderOf(zmq::message_t &frame) {
  const char *name = zmq_msg_gets(frame.handle(), "User-Id");
  return name == nullptr ? "" : name;
}

class Gatekeeper::Impl {
public:
  Impl(zmq::context_t &context, std::shared_ptr<const Keyring> keys)
      : keys_(std::move(keys)), socket_(context, zmq::socket_type::rep),
        end_(::eventfd(0, EFD_CLOEXEC)) {
    if (end_ < 0)
      throw std::system_error(errno, std::generic_category(), "eventfd");
    socket_.set(zmq::sockopt::linger, 0);
    socket_.bind("inproc://zeromq.zap.01");
    thread_ = std::thread([this] { serve(); });
    pthread_setname_np(thread_.native_handle(), "gatekeeper");
  }
  ~Impl() {
    (void)::eventfd_write(end_, 1);
    thread_.join();
    ::close(end_);
  }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  std::uint64_t refused() const { return refused_; }

private:
  void serve() {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, end_, ZMQ_POLLIN, 0}};
    while ((items[1].revents & ZMQ_POLLIN) == 0) {
      try {
        zmq::poll(items, 2, std::chrono::milliseconds(-1));
        if ((items[0].revents & ZMQ_POLLIN) != 0)
          answerOne();
      } catch (const zmq::error_t &error) {
        if (error.num() != EINTR)
          return;
      }
    }
  }

  /// Frames: version, request, domain, address, identity, mechanism, credentials.
  void answerOne() {
    std::vector<zmq::message_t> asked;
    do {
      asked.emplace_back();
      if (!socket_.recv(asked.back()))
        return;
    } while (asked.back().more());
    std::string name;
    if (asked.size() == 7 && textOf(asked[5]) == "CURVE")
      name = keys_->nameOf(bytesOf(asked[6]));
    const bool known = !name.empty() && mayEnter(name, textOf(asked[2]));
    if (!known)
      count(asked.size() > 3 ? textOf(asked[3]) : "?", name);
    const std::string request = asked.size() > 1 ? textOf(asked[1]) : "";
    const std::vector<std::string> reply{
        "1.0", request, known ? "200" : "400", known ? "OK" : "unknown", known ? name : "", ""};
    for (std::size_t i = 0; i < reply.size(); ++i)
      socket_.send(zmq::buffer(reply[i]),
                   i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }

  /// A node may speak to itself, for its own health check.
  bool mayEnter(const std::string &name, const std::string &domain) const {
    return ("," + domain + ",").find(std::string(",") + wordOf(roleOf(name)) + ",") !=
               std::string::npos ||
           name == keys_->self();
  }

  void count(const std::string &address, const std::string &name) {
    const std::uint64_t count = ++refused_;
    if ((count & (count - 1)) == 0) // the 1st, 2nd, 4th, 8th, ...: a flood must not fill the log
      spdlog::warn("{}: refused {} connections so far, the last one from {} ({})", keys_->self(),
                   count, address, name.empty() ? "no known key" : "the key of " + name);
  }

  std::shared_ptr<const Keyring> keys_;
  zmq::socket_t socket_; ///< the thread's, once that runs
  int end_;              ///< an eventfd
  std::atomic<std::uint64_t> refused_{0};
  std::thread thread_;
};

Gatekeeper::Gatekeeper(zmq::context_t &context, std::shared_ptr<const Keyring> keys)
    : impl_(std::make_unique<Impl>(context, std::move(keys))) {}
Gatekeeper::~Gatekeeper() = default;
std::uint64_t Gatekeeper::refused() const { return impl_->refused(); }

} // namespace copse::fabric
