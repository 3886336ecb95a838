// Claim: an IPU-Link that numbers, acknowledges and could resend its packets carries at least 0.9
// of what a bare PUSH/PULL pair carries, over tcp on loopback, in messages of 1 MiB.
#include "fabric/link_node.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

using namespace copse;
using namespace std::chrono_literals;

constexpr std::size_t kMessageBytes = 1 << 20;
constexpr std::uint32_t kMessages = 64; // of one iteration
constexpr char kAddress[] = "tcp://127.0.0.1:*";

[[noreturn]] void fail(const std::string &why) { throw std::runtime_error(why); }

/// Every message carries its number, so that the result is checked on the way.
zmq::message_t messageOf(std::uint32_t number) {
  zmq::message_t message(kMessageBytes);
  std::memcpy(message.data(), &number, sizeof number);
  return message;
}

void check(const void *data, std::size_t size, std::uint32_t expected) {
  std::uint32_t number;
  std::memcpy(&number, data, sizeof number);
  if (size != kMessageBytes || number != expected)
    fail("message " + std::to_string(expected) + " is not what was sent");
}

/// Two nodes of a mesh of two.
class LinkPair {
public:
  LinkPair() : from_(bind()), to_(bind()) {
    connect(*from_, {0}, {1}, to_->endpoint());
    connect(*to_, {1}, {0}, from_->endpoint());
  }
  void send(std::uint32_t number) {
    if (const auto status = from_->send({1}, number, fabric::Payload(messageOf(number)));
        !status.ok())
      fail(status.message);
  }
  void receive(std::uint32_t number) {
    const auto payload = to_->receive({0}, number, fabric::LinkNode::Clock::now() + 10s);
    if (!payload)
      fail(payload.status().message);
    check(payload->data(), payload->size(), number);
  }

private:
  std::unique_ptr<fabric::LinkNode> bind() {
    auto node = fabric::LinkNode::bind(contexts_[bound_++], kAddress);
    if (!node)
      fail(node.status().message);
    return std::move(*node);
  }
  static void connect(fabric::LinkNode &node, wire::IpuId self, wire::IpuId peer,
                      const std::string &endpoint) {
    if (const auto status = node.connect({wire::Topology::Mesh, 2, self, {{peer, endpoint}}, 0});
        !status.ok())
      fail(status.message);
  }

  zmq::context_t contexts_[2];
  int bound_ = 0;
  std::unique_ptr<fabric::LinkNode> from_, to_;
};

/// The reference: two sockets.
class SocketPair {
public:
  SocketPair()
      : from_(contexts_[0], zmq::socket_type::push), to_(contexts_[1], zmq::socket_type::pull) {
    from_.set(zmq::sockopt::linger, 0);
    to_.set(zmq::sockopt::linger, 0);
    to_.bind(kAddress);
    from_.connect(to_.get(zmq::sockopt::last_endpoint));
  }
  void send(std::uint32_t number) { from_.send(messageOf(number), zmq::send_flags::none); }
  void receive(std::uint32_t number) {
    zmq::message_t message;
    (void)to_.recv(message);
    check(message.data(), message.size(), number);
  }

private:
  zmq::context_t contexts_[2];
  zmq::socket_t from_, to_;
};

/// Sends kMessages an iteration; a thread of its own receives them, and the iteration ends with the
/// last.
template <class Pair> void throughput(benchmark::State &state) {
  Pair pair;
  std::atomic<bool> ended{false};
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t asked = 0, done = 0; // iterations, guarded by mutex
  std::thread receiver([&] {
    for (std::uint64_t round = 1;; ++round) {
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return asked >= round || ended; });
        if (asked < round)
          return;
      }
      for (std::uint32_t i = 0; i < kMessages; ++i)
        pair.receive(i);
      const std::lock_guard lock(mutex);
      done = round;
      changed.notify_all();
    }
  });
  const auto iterate = [&] {
    {
      const std::lock_guard lock(mutex);
      ++asked;
      changed.notify_all();
    }
    for (std::uint32_t i = 0; i < kMessages; ++i)
      pair.send(i);
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return done == asked; });
  };
  iterate(); // connects
  for (auto _ : state)
    iterate();
  {
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
  }
  receiver.join();
  state.SetBytesProcessed(
      static_cast<std::int64_t>(state.iterations() * kMessages * kMessageBytes));
}

BENCHMARK_TEMPLATE(throughput, LinkPair)->Name("link_tcp_1MiB/subject")->UseRealTime();
BENCHMARK_TEMPLATE(throughput, SocketPair)->Name("link_tcp_1MiB/reference")->UseRealTime();

} // namespace

BENCHMARK_MAIN();
