#include "peer_hosts.hpp"

#include "ipud/session_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using wire::Status;
using wire::session::Share;
using wire::session::ShareStage;
using wire::session::State;

/// An IPU of another host program, which leaves arbitrary notes there.
class NodeOfAnother {
public:
  NodeOfAnother(zmq::context_t &context, const std::string &endpoint)
      : socket_(context, zmq::socket_type::router) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, 10);
    socket_.bind(endpoint);
    thread_ = std::thread([this] {
      while (!ends_)
        answer();
    });
  }
  ~NodeOfAnother() {
    ends_ = true;
    thread_.join();
  }
  NodeOfAnother(const NodeOfAnother &) = delete;
  NodeOfAnother &operator=(const NodeOfAnother &) = delete;

  void leave(const Share &note) {
    const std::lock_guard lock(mutex_);
    note_ = note;
  }

private:
  void answer() {
    fabric::Frames question;
    do {
      question.emplace_back();
      if (!socket_.recv(question.back()))
        return;
    } while (question.back().more());
    fabric::Frames reply;
    reply.push_back(std::move(question.front()));
    const auto asked = ipud::unpack(std::move(question), 1);
    ASSERT_TRUE(asked.ok()) << asked.status().message;
    State state;
    state.holder = "mallory";
    {
      const std::lock_guard lock(mutex_);
      state.share = note_;
    }
    ipud::pack({{asked->header.request, {}, state}, {}}, reply);
    for (std::size_t i = 0; i < reply.size(); ++i)
      socket_.send(reply[i],
                   i + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
  }

  zmq::socket_t socket_;
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::optional<Share> note_;
  std::thread thread_;
};

/// Two replicas of one IPU each.
class FindPeerHosts : public ::testing::Test {
protected:
  static Share shareOf(std::uint32_t first) {
    Share share;
    share.first = first;
    share.replicas = 2;
    share.ticket = 100 + first;
    share.traits = {{"the executable", "abc"}};
    share.links = {"inproc://l" + std::to_string(first)};
    share.syncs = {"inproc://s" + std::to_string(first)};
    return share;
  }
  /// Returns the note of a host program that runs replica 0 and has chosen \p own as its peer.
  static Share chooserOf(const Share &own) {
    Share chooser = shareOf(0);
    chooser.stage = ShareStage::Agreed;
    chooser.epoch = 5;
    chooser.tickets = {chooser.ticket, own.ticket};
    return chooser;
  }
  auto find(Share own) {
    MachineOptions options;
    options.others = {{"ipu 1", "inproc://other", "", "", "ipu-1"}};
    PeerHosts peers(context_, options, [] {});
    return peers.find(
        own, [](const Share &) { return Status::success(); }, PeerHosts::Clock::now() + 300ms);
  }

  zmq::context_t context_;
  NodeOfAnother other_{context_, "inproc://other"};
};

TEST_F(FindPeerHosts, AcceptsAMatchingShare) {
  other_.leave(chooserOf(shareOf(1)));
  const auto shares = find(shareOf(1));
  ASSERT_TRUE(shares.ok()) << shares.status().message;
  ASSERT_EQ(shares->size(), 2U);
  EXPECT_EQ(shares->front().ticket, 100U);
  EXPECT_EQ(shares->back().epoch, 5U);
}

/// Changes a valid note into one that no honest host program writes.
using Spoil = std::function<void(Share &)>;
class PeerHostsThatLie : public FindPeerHosts, public ::testing::WithParamInterface<Spoil> {};

TEST_P(PeerHostsThatLie, AreRefusedByReplicaOne) {
  Share chooser = chooserOf(shareOf(1));
  GetParam()(chooser);
  other_.leave(chooser);
  const auto shares = find(shareOf(1));
  ASSERT_FALSE(shares.ok());
  EXPECT_EQ(shares.status().code, wire::Code::Timeout) << shares.status().message;
}

TEST_P(PeerHostsThatLie, AreRefusedByReplicaZero) {
  Share peer = shareOf(1);
  GetParam()(peer);
  other_.leave(peer);
  EXPECT_FALSE(find(shareOf(0)).ok());
}

INSTANTIATE_TEST_SUITE_P(Numbers, PeerHostsThatLie,
                         ::testing::Values([](Share &share) { share.number = 0; },
                                           [](Share &share) { share.number = 0xFFFFFFFF; },
                                           [](Share &share) { share.replicas = 4; },
                                           [](Share &share) { share.traits.clear(); },
                                           [](Share &share) { share.links.clear(); },
                                           [](Share &share) { share.syncs.resize(5); },
                                           [](Share &share) { share.names = {"ipu-1"}; }));

} // namespace
} // namespace copse::session
