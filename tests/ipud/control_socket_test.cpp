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
  void say(std::uint64_t request, session::Body body) {
    fabric::Frames frames;
    pack({{request, {}, std::move(body)}, {}}, frames);
    for (std::size_t i = 0; i < frames.size(); ++i)
      socket_.send(frames[i],
                   i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }
  /// The next answer that is no heartbeat; none when none comes.
  std::optional<session::Header> hear() {
    for (;;) {
      fabric::Frames frames;
      do {
        frames.emplace_back();
        if (!socket_.recv(frames.back()))
          return {};
      } while (frames.back().more());
      auto message = unpack(std::move(frames), 0);
      if (message && !std::holds_alternative<session::Heartbeat>(message->header.body))
        return message->header;
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

TEST(ControlSocket, KeepsAnswersToTheHostBeforeFromTheNextOne) {
  zmq::context_t context;
  fabric::Reactor reactor("test");
  std::optional<ControlSocket> socket;
  std::promise<void> lost;
  const std::string endpoint = reactor.call([&] {
    socket.emplace(reactor, context, makeLogger("test"), std::make_shared<fabric::Refusals>());
    auto bound = socket->bind("tcp://127.0.0.1:*");
    socket->open({[](SessionMessage) {}, [&](const wire::Status &) { lost.set_value(); },
                  [] { return session::State{}; }},
                 HostWatch::Heartbeats);
    return *bound;
  });
  Host first(context, endpoint);
  ASSERT_TRUE(first.hold(40ms));
  const std::uint64_t before = socket->session();
  ASSERT_EQ(lost.get_future().wait_for(10s), std::future_status::ready) << "it says nothing";

  Host second(context, endpoint);
  ASSERT_TRUE(second.hold(60s));
  socket->answerTo(before);
  socket->post({7, {}, session::Ok{}});
  socket->answerTo(socket->session());
  socket->post({8, {}, session::Ok{}});
  const auto answer = second.hear();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->request, 8U);
  reactor.call([&] { socket.reset(); });
}

} // namespace
} // namespace copse::ipud
