// Claims: an IPU-Link that numbers, acknowledges and could resend its packets carries at least 0.95
// of what a bare PUSH/PULL pair carries, over tcp on loopback, in messages of 1 MiB and of 64 KiB;
// an IPU in between, which forwards them, leaves at least half of what a direct link carries. With
// keys, over TLS, a link carries at least 0.7 of what the same link carries without.
#include "fabric/buffer_reuse.hpp"
#include "fabric/keys.hpp"
#include "fabric/link_node.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace copse;
using namespace std::chrono_literals;

constexpr std::size_t kIterationBytes = 64 << 20;
constexpr char kAddress[] = "tcp://127.0.0.1:*";

[[noreturn]] void fail(const std::string &why) { throw std::runtime_error(why); }

/// Written before it goes, as what tiles send is, and it carries its number, so that the result is
/// checked on the way.
zmq::message_t messageOf(std::uint32_t number, std::size_t bytes) {
  zmq::message_t message(bytes);
  std::memset(message.data(), static_cast<int>(number), bytes);
  std::memcpy(message.data(), &number, sizeof number);
  return message;
}

void check(const void *data, std::size_t size, std::uint32_t expected, std::size_t bytes) {
  std::uint32_t number;
  std::memcpy(&number, data, sizeof number);
  if (size != bytes || number != expected)
    fail("message " + std::to_string(expected) + " is not what was sent");
}

/// Nodes along one side of a mesh: from one end to the other, with kBetween nodes that forward.
template <std::size_t kBytes, std::uint32_t kBetween = 0, bool kKeys = false> class LinkPath {
public:
  LinkPath() {
    makeKeys();
    for (std::uint32_t i = 0; i < kNodes; ++i)
      nodes_.push_back(bind(i));
    for (std::uint32_t i = 0; i < kNodes; ++i)
      connect(i);
  }
  void send(std::uint32_t number) {
    if (const auto status = nodes_.front()->send(ipu(kNodes - 1), number,
                                                 fabric::Payload(messageOf(number, kBytes)));
        !status.ok())
      fail(status.message);
  }
  void receive(std::uint32_t number) {
    const auto payload =
        nodes_.back()->receive(ipu(0), number, fabric::LinkNode::Clock::now() + 10s);
    if (!payload)
      fail(payload.status().message);
    check(payload->data(), payload->size(), number, kBytes);
  }

private:
  static constexpr std::uint32_t kNodes = kBetween + 2;

  static wire::IpuId ipu(std::uint32_t node) { return {2 * node}; }
  void makeKeys() {
    std::map<std::string, std::string> publicKeys;
    std::array<fabric::KeyPair, kNodes> pairs;
    for (std::uint32_t i = 0; kKeys && i < kNodes; ++i) {
      pairs[i] = fabric::newKeyPair();
      publicKeys[nameOf(i)] = pairs[i].publicKey;
    }
    for (std::uint32_t i = 0; kKeys && i < kNodes; ++i) {
      keys_[i] = std::make_shared<fabric::Keyring>(nameOf(i), pairs[i], publicKeys);
    }
  }
  static std::string nameOf(std::uint32_t node) { return fabric::nameOfIpu(ipu(node).value); }
  std::unique_ptr<fabric::LinkNode> bind(std::uint32_t i) {
    auto node = fabric::LinkNode::bind(fabric::linkTransports(contexts_[i], keys_[i]),
                                       fabric::Endpoint::tcp("127.0.0.1"));
    if (!node)
      fail(node.status().message);
    return std::move(*node);
  }
  void connect(std::uint32_t node) {
    fabric::LinkPlan plan{wire::Topology::Mesh, 2 * kNodes, ipu(node), {}, 0};
    for (std::uint32_t i = 0; i < kNodes; ++i) {
      plan.endpoints[ipu(i)] = nodes_[i]->endpoint();
      plan.endpoints[{2 * i + 1}] = fabric::Endpoint::tcp("127.0.0.1", 1) /* nobody */;
      plan.names[ipu(i)] = nameOf(i);
      plan.names[{2 * i + 1}] = nameOf(i); // a peer that never sends
    }
    if (const auto status = nodes_[node]->connect(std::move(plan)); !status.ok())
      fail(status.message);
  }

  std::array<zmq::context_t, kNodes> contexts_;
  std::array<std::shared_ptr<const fabric::Keyring>, kNodes> keys_;
  std::vector<std::unique_ptr<fabric::LinkNode>> nodes_;
};

/// The reference: two sockets.
template <std::size_t kBytes> class SocketPair {
public:
  SocketPair()
      : from_(contexts_[0], zmq::socket_type::push), to_(contexts_[1], zmq::socket_type::pull) {
    from_.set(zmq::sockopt::linger, 0);
    to_.set(zmq::sockopt::linger, 0);
    to_.bind(kAddress);
    from_.connect(to_.get(zmq::sockopt::last_endpoint));
  }
  void send(std::uint32_t number) { from_.send(messageOf(number, kBytes), zmq::send_flags::none); }
  void receive(std::uint32_t number) {
    zmq::message_t message;
    (void)to_.recv(message);
    check(message.data(), message.size(), number, kBytes);
  }

private:
  zmq::context_t contexts_[2];
  zmq::socket_t from_, to_;
};

/// Sends kIterationBytes an iteration; a thread of its own receives them, and the iteration ends
/// with the last.
template <class Pair, std::size_t kBytes> void throughput(benchmark::State &state) {
  constexpr std::uint32_t kMessages = kIterationBytes / kBytes;
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
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * kIterationBytes));
}

constexpr std::size_t kLarge = 1 << 20, kMiddle = 64 << 10;

void add(const char *name, void (*work)(benchmark::State &)) {
  benchmark::RegisterBenchmark(name, work)->UseRealTime();
}

} // namespace

int main(int argc, char **argv) {
  fabric::reuseBuffers(); // for all, as ipud does
  add("link_tcp_1MiB/subject", throughput<LinkPath<kLarge>, kLarge>);
  add("link_tcp_1MiB/reference", throughput<SocketPair<kLarge>, kLarge>);
  add("link_tcp_64KiB/subject", throughput<LinkPath<kMiddle>, kMiddle>);
  add("link_tcp_64KiB/reference", throughput<SocketPair<kMiddle>, kMiddle>);
  add("link_forwarding/subject", throughput<LinkPath<kLarge, 1>, kLarge>);
  add("link_forwarding/reference", throughput<LinkPath<kLarge>, kLarge>);
  add("link_keys_1MiB/subject", throughput<LinkPath<kLarge, 0, true>, kLarge>);
  add("link_keys_1MiB/reference", throughput<LinkPath<kLarge>, kLarge>);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
