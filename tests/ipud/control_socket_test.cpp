#include "daemon/control_socket.hpp"
#include "daemon/log.hpp"

#include <gmock/gmock.h>

#include <future>
#include <optional>

namespace copse::ipud {
namespace {

using namespace std::chrono_literals;
namespace session = wire::session;

/// A host, as far as a control socket can see.
class Host {
public:
  Host(zmq::context_t &context, const std::string &endpoint)
      : socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 5000);
    socket_.connect(endpoint);
  }
  void say(std::uint64_t request, session::Body body) { say({{request, {}, std::move(body)}, {}}); }
  void say(SessionMessage message) {
    fabric::Frames frames;
    pack(std::move(message), frames);
    for (std::size_t i = 0; i < frames.size(); ++i)
      socket_.send(frames[i],
                   i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  /// Returns the next answer that is not a heartbeat; nothing if none arrives.
  std::optional<session::Header> hear() {
    const auto message = hearMessage();
    return message ? std::optional(message->header) : std::nullopt;
  }
  std::optional<SessionMessage> hearMessage() {
    for (;;) {
      fabric::Frames frames;
      do {
        frames.emplace_back();
        if (!socket_.recv(frames.back()))
          return {};
      } while (frames.back().more());
      auto message = unpack(std::move(frames), 0);
      if (message && !std::holds_alternative<session::Heartbeat>(message->header.body))
        return std::move(*message);
    }
  }
  /// Holds the session, until it is silent for so long.
  /// \returns whether it got it
  bool hold(std::chrono::milliseconds silence) {
    say(1, session::Hello{static_cast<std::uint32_t>(silence.count())});
    const auto answer = hear();
    return answer && std::holds_alternative<session::Welcome>(answer->body);
  }

private:
  zmq::socket_t socket_;
};

class ControlSocketTest : public ::testing::Test {
protected:
  ControlSocketTest() {
    endpoint_ = reactor_.call([&] {
      socket_.emplace(reactor_, context_, makeLogger("test"), std::make_shared<fabric::Refusals>());
      auto bound = socket_->bind("tcp://127.0.0.1:*");
      socket_->open({[this](SessionMessage message) { arrived_.set_value(std::move(message)); },
                     [this](const wire::Status &) {
                       if (++ends_ == 1) // a host's connection also ends at the end of a test
                         lost_.set_value();
                     },
                     [] { return session::State{}; }},
                    HostWatch::Heartbeats);
      return *bound;
    });
  }
  ~ControlSocketTest() override {
    reactor_.call([&] { socket_.reset(); });
  }

  zmq::context_t context_;
  fabric::Reactor reactor_{"test"};
  std::optional<ControlSocket> socket_;
  std::string endpoint_;
  int ends_ = 0;            ///< of sessions; the reactor's thread
  std::promise<void> lost_; ///< the first session has ended
  std::promise<SessionMessage> arrived_;
};

TEST_F(ControlSocketTest, SendsNoAnswerOfTheLastHostToTheNextOne) {
  Host first(context_, endpoint_);
  ASSERT_TRUE(first.hold(40ms));
  const std::uint64_t before = socket_->session();
  ASSERT_EQ(lost_.get_future().wait_for(10s), std::future_status::ready) << "it says nothing";

  Host second(context_, endpoint_);
  ASSERT_TRUE(second.hold(60s));
  socket_->answerTo(before);
  socket_->post({7, {}, session::Ok{}});
  socket_->answerTo(socket_->session());
  socket_->post({8, {}, session::Ok{}});
  const auto answer = second.hear();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->request, 8U);
}

/// Returns a message that is cut into three pieces.
SessionMessage large(std::uint64_t request) {
  return {{request, {}, session::ViewWrite{}}, fabric::listOf(fabric::Payload(3 * kPieceBytes))};
}

TEST_F(ControlSocketTest, TakesPiecesFromItsHostOnly) {
  Host host(context_, endpoint_), stranger(context_, endpoint_);
  ASSERT_TRUE(host.hold(60s));
  auto pieces = piecesOf(large(5));
  host.say(std::move(pieces.at(0)));
  // A peer without the session may not send pieces: the host's message is unaffected.
  stranger.say({{9, {4}, session::ViewWrite{}, true}, {}});
  stranger.say({{0, {}, session::Piece{}}, fabric::listOf(fabric::Payload(4))});
  stranger.say(1, session::Inspect{});
  ASSERT_TRUE(stranger.hear());
  EXPECT_EQ(socket_->dropped(), 2U);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    host.say(std::move(pieces[i]));
  auto arrived = arrived_.get_future();
  ASSERT_EQ(arrived.wait_for(10s), std::future_status::ready);
  const SessionMessage message = arrived.get();
  EXPECT_EQ(message.header.request, 5U);
  EXPECT_EQ(message.payloads.at(0).size(), 3 * kPieceBytes);
}

TEST_F(ControlSocketTest, CutsLargeMessages) {
  Host host(context_, endpoint_);
  ASSERT_TRUE(host.hold(60s));
  socket_->answerTo(socket_->session());
  auto message = large(6);
  socket_->post(std::move(message.header), std::move(message.payloads));
  MessageAssembly assembly;
  for (int piece = 0; piece < 4; ++piece) {
    auto arrived = host.hearMessage();
    ASSERT_TRUE(arrived);
    const auto whole = assembly.put(std::move(*arrived));
    ASSERT_TRUE(whole.ok()) << whole.status().message;
    ASSERT_EQ(whole->has_value(), piece == 3);
  }
}

} // namespace
} // namespace copse::ipud
