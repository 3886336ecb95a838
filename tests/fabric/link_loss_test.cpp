#include "link_cluster.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

namespace copse::fabric {
namespace {

using namespace test;

// A stretch of wire that does everything a wire may do, by seed: drops, repeats, swaps, delays and
// damages messages, and is cut for a while, with all that is on its way.
class BadWire {
public:
  BadWire(zmq::context_t &context, const std::string &to, unsigned seed)
      : in_(context, zmq::socket_type::pull), out_(context, zmq::socket_type::push), random_(seed),
        to_(to) {
    in_.set(zmq::sockopt::linger, 0);
    out_.set(zmq::sockopt::linger, 0);
    in_.bind("tcp://127.0.0.1:*");
    endpoint_ = in_.get(zmq::sockopt::last_endpoint);
    out_.connect(to_);
    thread_ = std::thread([this] { run(); });
  }
  ~BadWire() {
    ended_ = true;
    thread_.join();
  }
  const std::string &endpoint() const { return endpoint_; }

  std::atomic<unsigned> dropped{0}, repeated{0}, swapped{0}, damaged{0}, delayed{0}, cut{0};

private:
  void run() {
    while (!ended_) {
      zmq::pollitem_t item{in_.handle(), 0, ZMQ_POLLIN, 0};
      if (zmq::poll(&item, 1, 5ms) > 0)
        carry(receive());
      else
        release();
    }
  }

  Frames receive() {
    Frames frames;
    do {
      frames.emplace_back();
      (void)in_.recv(frames.back());
    } while (frames.back().more());
    return frames;
  }

  void carry(Frames frames) {
    if (isCut())
      return;
    switch (random_() % kChances) {
    case 0:
      ++dropped;
      return;
    case 1:
      ++repeated;
      send(frames);
      send(frames);
      break;
    case 2:
      ++swapped;
      release();
      held_ = std::move(frames);
      return;
    case 3:
      ++damaged;
      damage(frames);
      send(frames);
      break;
    case 4:
      ++delayed;
      std::this_thread::sleep_for(3ms);
      send(frames);
      break;
    case 5:
      if (random_() % 4 == 0)
        return cutOff();
      [[fallthrough]];
    default:
      send(frames);
    }
    release();
  }

  void cutOff() {
    ++cut;
    out_.disconnect(to_);
    held_.clear();
    cutUntil_ = std::chrono::steady_clock::now() + 10ms;
  }

  bool isCut() {
    if (!cutUntil_)
      return false;
    if (std::chrono::steady_clock::now() < *cutUntil_)
      return true;
    cutUntil_.reset();
    out_.connect(to_);
    return false;
  }

  void release() {
    if (!held_.empty())
      send(std::exchange(held_, {}));
  }

  // A frame of its own: ZeroMQ may share the bytes with the sender's copy.
  void damage(Frames &frames) {
    zmq::message_t &frame = frames[random_() % frames.size()];
    zmq::message_t copy(frame.data(), frame.size());
    static_cast<unsigned char *>(copy.data())[random_() % copy.size()] ^= 1 << random_() % 8;
    frame = std::move(copy);
  }

  void send(Frames &frames) {
    if (isCut())
      return;
    for (std::size_t i = 0; i < frames.size(); ++i)
      out_.send(zmq::message_t(frames[i].data(), frames[i].size()),
                i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  void send(Frames &&frames) { send(frames); }

  static constexpr unsigned kChances = 14;

  zmq::socket_t in_, out_;
  std::mt19937 random_;
  std::string to_, endpoint_;
  std::optional<std::chrono::steady_clock::time_point> cutUntil_;
  Frames held_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

class OverABadWire : public ::testing::TestWithParam<unsigned> {};
/// A few, or as many as $COPSE_BAD_WIRE_SEEDS says: bad_wire_seeds.sh.
unsigned seeds() {
  const char *const text = std::getenv("COPSE_BAD_WIRE_SEEDS");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 4;
}
INSTANTIATE_TEST_SUITE_P(Seeds, OverABadWire, ::testing::Range(1u, seeds() + 1));

TEST_P(OverABadWire, NothingIsLostRepeatedSwappedOrDamaged) {
  constexpr std::uint32_t kPackets = 400;
  LinkOptions options;
  options.windowPackets = 16;
  options.ackDelay = 1ms;
  options.probeInterval = 5ms;
  options.deadline = 30s;
  options.checkPayload = true;
  LinkCluster cluster(TransportKind::Tcp, wire::Topology::Mesh, 2, options);
  BadWire there(cluster.context(), cluster.endpoint(1), GetParam());
  BadWire back(cluster.context(), cluster.endpoint(0), GetParam() + 100);
  cluster.connect({{{0}, {{{1}, there.endpoint()}}}, {{1}, {{{0}, back.endpoint()}}}});

  const auto text = [](std::uint32_t self, std::uint32_t i) {
    return std::to_string(self) + ":" + std::string(i % 100, 'x') + std::to_string(i);
  };
  std::vector<std::thread> programs;
  for (const std::uint32_t self : {0u, 1u})
    programs.emplace_back([&, self] {
      for (std::uint32_t i = 0; i < kPackets; ++i) {
        const auto status = cluster[self].send({1 - self}, i, payloadOf(text(self, i)));
        ASSERT_TRUE(status.ok()) << status.message;
      }
      for (std::uint32_t i = 0; i < kPackets; ++i) {
        const auto got = cluster[self].receive({1 - self}, i, in(30s));
        ASSERT_TRUE(got.ok()) << got.status().message;
        ASSERT_EQ(textOf(*got), text(1 - self, i));
      }
      EXPECT_EQ(cluster[self].receive({1 - self}, 0, in(50ms)).status().code, wire::Code::Timeout)
          << "more came than was sent";
    });
  for (auto &program : programs)
    program.join();
  for (const BadWire *wire : {&there, &back}) {
    EXPECT_GT(wire->dropped, 10u);
    EXPECT_GT(wire->repeated, 10u);
    EXPECT_GT(wire->swapped, 10u);
    EXPECT_GT(wire->damaged, 10u);
    EXPECT_GT(wire->delayed, 5u);
    EXPECT_GT(wire->cut, 0u);
  }
}

} // namespace
} // namespace copse::fabric
