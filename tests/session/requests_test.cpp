// Tests which of several failures is reported: the one of the IPU that failed, not of an IPU that
// waited for it.
#include "requests.hpp"

#include "ipud/session_message.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace copse::session {
namespace {

namespace message = wire::session;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using wire::Code;

/// An endpoint at which a hub finds an ipud; the test decides its answers.
class Ipud {
public:
  Ipud(zmq::context_t &context, std::uint32_t number)
      : endpoint_("inproc://ipud-" + std::to_string(number)),
        socket_(context, zmq::socket_type::router) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 10'000);
    socket_.bind(endpoint_);
  }
  const std::string &endpoint() const { return endpoint_; }

  /// Waits for the order, heartbeats aside.
  void takeOrder() {
    for (;;) {
      fabric::Frames frames;
      do {
        frames.emplace_back();
        ASSERT_TRUE(socket_.recv(frames.back())) << "no order has come";
      } while (frames.back().more());
      peer_ = frames.front().to_string();
      auto order = ipud::unpack(std::move(frames), 1);
      ASSERT_TRUE(order.ok()) << order.status().message;
      request_ = order->header.request;
      if (request_ != 0)
        return;
    }
  }
  void answer(message::Body body) { send(request_, std::move(body)); }
  void end(const std::string &why) { send(0, message::Ending{{Code::Disconnected, why}}); }

private:
  void send(std::uint64_t request, message::Body body) {
    fabric::Frames frames;
    frames.emplace_back(peer_.data(), peer_.size());
    ipud::pack({{request, {}, std::move(body)}, {}}, frames);
    for (std::size_t i = 0; i < frames.size(); ++i)
      socket_.send(frames[i],
                   i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }

  std::string endpoint_, peer_;
  zmq::socket_t socket_;
  std::uint64_t request_ = 0;
};

/// Three IPUs that all have the same request.
class VerdictOfRequests : public ::testing::Test {
protected:
  void SetUp() override {
    std::vector<Order> orders;
    for (std::uint32_t ipu = 0; ipu < 3; ++ipu) {
      const std::string name = "ipu " + std::to_string(ipu);
      ASSERT_TRUE(hub_.open(ipu, {ipuds_[ipu].endpoint(), name, -1, nullptr}).ok());
      orders.push_back({ipu, message::LinkQuery{}, {}});
    }
    requests_.send(std::move(orders));
    for (Ipud &ipud : ipuds_)
      ipud.takeOrder();
  }
  void hear() { ASSERT_TRUE(requests_.step(Clock::now() + 10s)) << "nothing has come"; }
  std::string verdict() const { return requests_.verdict().message; }

  zmq::context_t context_;
  Ipud ipuds_[3]{{context_, 0}, {context_, 1}, {context_, 2}};
  Hub hub_{context_, 3, 60s, [](std::uint32_t, ipud::SessionMessage &) { return false; }};
  Requests requests_{hub_};
};

TEST_F(VerdictOfRequests, NamesTheIpuThatWasLostFirst) {
  ipuds_[2].end("it was told to end");
  hear();
  ipuds_[0].end("it was told to end, too");
  hear();
  EXPECT_EQ(verdict(), requests_.lost().at(2).message);
  requests_.found(2);
  EXPECT_EQ(verdict(), requests_.lost().at(0).message) << "another one is in the place of ipu 2";
}

TEST_F(VerdictOfRequests, DoesNotNameAnIpuThatOnlyWaited) {
  ipuds_[0].answer(message::Fault{{Code::Disconnected, "replica 1 (ipu 1): the host fell silent"}});
  hear();
  EXPECT_EQ(verdict(), "replica 1 (ipu 1): the host fell silent");
}

TEST_F(VerdictOfRequests, NamesAnIpuThatReportsItsOwnFault) {
  ipuds_[1].answer(message::Fault{{Code::OutOfMemory, "no room for what ipu 12 sends"}});
  hear();
  EXPECT_EQ(verdict(), "ipu 1: no room for what ipu 12 sends");
}

} // namespace
} // namespace copse::session
