#include "images.hpp"
#include "sanitizers.hpp"

#include "fabric/link_node.hpp"
#include "ipud/daemon.hpp"
#include "ipud/heartbeats.hpp"
#include "ipud/session_message.hpp"
#include "wire/image_codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

namespace copse::ipud {
namespace {

namespace session = wire::session;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A daemon in this process, and hosts that send messages to it by hand.
class DaemonTest : public ::testing::Test {
public:
  class Host {
  public:
    Host(zmq::context_t &context, const std::string &endpoint)
        : socket_(context, zmq::socket_type::dealer) {
      socket_.set(zmq::sockopt::linger, 0);
      socket_.set(zmq::sockopt::rcvtimeo, 10'000);
      socket_.set(zmq::sockopt::sndhwm, 0); // the fuzzer is faster than the daemon
      socket_.connect(endpoint);
    }
    void send(std::vector<zmq::message_t> frames) {
      for (std::size_t i = 0; i < frames.size(); ++i)
        socket_.send(frames[i],
                     i + 1 < frames.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
    void send(session::Header header) {
      fabric::Frames frames;
      pack({std::move(header), {}}, frames);
      send(std::move(frames));
    }
    std::vector<fabric::Payload> payloads; ///< payloads of the last answer
    std::vector<std::uint64_t> others;     ///< answers that came and were not waited for

    /// Returns the answer to request \p number; skips all other messages.
    session::Body answer(std::uint64_t number) {
      for (;;) {
        fabric::Frames frames;
        do {
          frames.emplace_back();
          if (!socket_.recv(frames.back())) {
            ADD_FAILURE() << "no answer";
            return {};
          }
        } while (frames.back().more());
        auto message = unpack(std::move(frames), 0);
        EXPECT_TRUE(message.ok()) << message.status().message;
        if (message && message->header.request == number) {
          payloads = std::move(message->payloads);
          return message->header.body;
        }
        if (message && message->header.request != 0)
          others.push_back(message->header.request);
      }
    }
    session::Body ask(SessionMessage message) {
      const std::uint64_t number = message.header.request;
      fabric::Frames frames;
      pack(std::move(message), frames);
      send(std::move(frames));
      return answer(number);
    }
    bool hearsNothing() {
      zmq::message_t frame;
      return !socket_.recv(frame, zmq::recv_flags::dontwait);
    }
    session::Body ask(session::Body body) {
      const std::uint64_t number = 1'000'000 + ++asked_;
      send({number, {}, std::move(body)});
      return answer(number);
    }

  private:
    zmq::socket_t socket_;
    std::uint64_t asked_ = 0;
  };

protected:
  DaemonTest() {
    ::setenv("COPSE_LOG_LEVEL", "off", 1);
    auto daemon = Daemon::start(context_, {"inproc://c", "inproc://l", "inproc://s"}, "ipu 0");
    EXPECT_TRUE(daemon.ok()) << daemon.status().message;
    daemon_ = std::move(*daemon);
  }
  ~DaemonTest() override { ::unsetenv("COPSE_LOG_LEVEL"); }

  zmq::context_t context_;
  std::unique_ptr<Daemon> daemon_;
};

TEST_F(DaemonTest, WelcomesTheFirstHost) {
  Host host(context_, "inproc://c");
  EXPECT_TRUE(std::holds_alternative<session::Welcome>(host.ask(session::Hello{})));
}

TEST(DaemonStart, ReportsThatDescriptorsRanOut) {
  if (copse::test::kAddressSanitizer)
    GTEST_SKIP() << "the sanitizer's check of a type opens a descriptor";
  // The check runs in a process of its own, which has no descriptors except the daemon's context.
  EXPECT_EXIT(
      {
        zmq::context_t context;
        const zmq::socket_t starts(context, zmq::socket_type::pair);
        rlimit few{};
        ::getrlimit(RLIMIT_NOFILE, &few);
        few.rlim_cur = static_cast<rlim_t>(::dup(0)) + 1;
        ::setrlimit(RLIMIT_NOFILE, &few);
        const auto status =
            Daemon::start(context, {"inproc://c", "inproc://l", "inproc://s"}, "ipu 0").status();
        std::fprintf(stderr, "%s", status.message.c_str());
        ::_exit(status.code == wire::Code::OutOfMemory ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "cannot start: ");
}

TEST(DaemonStart, WarnsAboutAnUnknownLogLevel) {
  ::setenv("COPSE_LOG_LEVEL", "loud", 1);
  ::testing::internal::CaptureStderr();
  zmq::context_t context;
  EXPECT_TRUE(Daemon::start(context, {"inproc://c", "inproc://l", "inproc://s"}, "ipu 7").ok());
  ::unsetenv("COPSE_LOG_LEVEL");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("ipu 7"), HasSubstr("COPSE_LOG_LEVEL is 'loud'")));
}

TEST_F(DaemonTest, BelongsToOneHostAtATime) {
  Host first(context_, "inproc://c"), second(context_, "inproc://c");
  first.ask(session::Hello{60'000});
  const auto body = second.ask(session::Hello{});
  ASSERT_TRUE(std::holds_alternative<session::Fault>(body));
  EXPECT_THAT(std::get<session::Fault>(body).status.message, HasSubstr("another host"));
  EXPECT_TRUE(std::holds_alternative<session::ModuleNeeds>(first.ask(session::ModuleQuery{})));
}

TEST_F(DaemonTest, IgnoresRequestsOfOtherHosts) {
  Host first(context_, "inproc://c"), second(context_, "inproc://c");
  first.ask(session::Hello{60'000});
  second.send({7, {}, session::ModuleQuery{}});
  for (int i = 0; i < 100; ++i) // the two sockets are not in step
    first.ask(session::ModuleQuery{});
  EXPECT_TRUE(first.others.empty()) << "what a stranger asked for was done";
}

/// Returns the image of an IPU that exchanges a word with a neighbour.
wire::Image exchangeImage() {
  wire::Image image;
  image.ipusPerReplica = 2;
  image.geometry = {1, 6, 21, 0x4C000, 0x9C000};
  wire::Exchange exchange;
  exchange.name = "halo";
  exchange.sends = {{1, {{0, 0x4C000, 4, 1, 0}}, 4}};
  exchange.receives = {{1, {{0, 0x4C004, 4, 1, 0}}, 4}};
  exchange.flows = {{0, 1, 4}, {1, 0, 4}};
  image.exchanges = {exchange};
  wire::Step step;
  step.op = wire::Op::Exchange;
  image.steps = {step};
  image.programs = {{0, 1}};
  return image;
}

std::string textOf(const char *path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

fabric::Payload payloadOf(std::span<const std::byte> bytes) {
  fabric::Payload payload(bytes.size());
  std::copy(bytes.begin(), bytes.end(), payload.data());
  return payload;
}

TEST_F(DaemonTest, NamesTheLinkAndTheStepOfAMissingNeighbour) {
  Host host(context_, "inproc://c");
  host.ask(session::Hello{60'000});
  session::Configure plan;
  plan.ipusPerReplica = 2;
  plan.links = {"inproc://l", "tcp://127.0.0.1:1"}; // no process listens there
  plan.syncs = {"inproc://s", "inproc://nobody"};
  plan.groups = {{wire::SyncGroup::GS1, {0}}};
  plan.machineModel = textOf(COPSE_MODEL_PATH);
  ASSERT_TRUE(std::holds_alternative<session::Ok>(host.ask(plan)));
  const auto image = wire::encodeImage(exchangeImage());
  SessionMessage load{{1, {}, session::Load{}}, {}};
  load.payloads.push_back(payloadOf(*image));
  load.payloads.push_back(payloadOf({}));
  fabric::Frames frames;
  pack(std::move(load), frames);
  host.send(std::move(frames));
  ASSERT_TRUE(std::holds_alternative<session::Ok>(host.answer(1)));
  const auto begin = std::chrono::steady_clock::now();
  const auto body = host.ask(session::Run{});
  EXPECT_LT(std::chrono::steady_clock::now() - begin,
            fabric::LinkOptions{}.deadline + std::chrono::seconds(15));
  ASSERT_TRUE(std::holds_alternative<session::Fault>(body));
  const wire::Status status = std::get<session::Fault>(body).status;
  EXPECT_EQ(status.code, wire::Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("IPU-Link between ipu 0 and ipu 1"));
  EXPECT_THAT(status.message, HasSubstr("step 0, exchange 'halo'"));
}

TEST_F(DaemonTest, IsFreeWhenItsHostFellSilent) {
  Host first(context_, "inproc://c");
  first.ask(session::Hello{100});
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  Host second(context_, "inproc://c");
  while (!std::holds_alternative<session::Welcome>(second.ask(session::Hello{})))
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
}

/// Returns a program of one IPU whose first word the host writes and reads as view 0.
SessionMessage oneWord(std::uint64_t request) {
  wire::Image image;
  image.geometry = {1, 6, 21, 0x4C000, 0x9C000};
  image.hostViews = {test::ImageWriter::row(0x4C000, 1)};
  SessionMessage load{{request, {}, session::Load{}}, {}};
  load.payloads.push_back(payloadOf(*wire::encodeImage(image)));
  load.payloads.push_back(payloadOf({}));
  return load;
}

session::Configure alone() {
  session::Configure plan;
  plan.links = {"inproc://l"};
  plan.syncs = {"inproc://s"};
  plan.machineModel = textOf(COPSE_MODEL_PATH);
  return plan;
}

TEST_F(DaemonTest, ShowsTileMemoryToNoOtherHost) {
  Host first(context_, "inproc://c"), second(context_, "inproc://c");
  first.ask(session::Hello{60'000});
  ASSERT_TRUE(std::holds_alternative<session::Ok>(first.ask(alone())));
  ASSERT_TRUE(std::holds_alternative<session::Ok>(first.ask(oneWord(1))));
  SessionMessage secret{{2, {}, session::ViewWrite{0}}, {}};
  const std::array<std::uint32_t, 1> word{0xC0FFEE};
  secret.payloads.push_back(payloadOf(std::as_bytes(std::span(word))));
  ASSERT_TRUE(std::holds_alternative<session::Ok>(first.ask(std::move(secret))));
  ASSERT_TRUE(std::holds_alternative<session::Ok>(first.ask(session::Detach{})));

  ASSERT_TRUE(std::holds_alternative<session::Welcome>(second.ask(session::Hello{60'000})));
  EXPECT_TRUE(std::holds_alternative<session::Fault>(second.ask(session::ViewRead{0})))
      << "the image of the host before is still there";
  EXPECT_TRUE(std::holds_alternative<session::Fault>(second.ask(session::Run{})));
  ASSERT_TRUE(std::holds_alternative<session::Ok>(second.ask(alone())));
  ASSERT_TRUE(std::holds_alternative<session::Ok>(second.ask(oneWord(3))));
  EXPECT_TRUE(std::holds_alternative<session::View>(second.ask(session::ViewRead{0})));
  ASSERT_EQ(second.payloads.size(), 1U);
  for (const std::byte byte : second.payloads[0].bytes())
    EXPECT_EQ(byte, std::byte{0});
}

TEST(Heartbeats, RevealSilenceHalfASecondAfterTheLeaseAtTheLatest) {
  using namespace std::chrono_literals;
  for (const std::chrono::milliseconds lease :
       {40ms, 1000ms, 2000ms, 2001ms, 3000ms, 10'000ms, 600'000ms,
        std::chrono::milliseconds(std::chrono::hours(24 * 365))}) {
    const Heartbeats beats = heartbeatsFor(lease);
    EXPECT_GE(beats.perLease, 4) << lease.count();
    EXPECT_LE(beats.interval, 500ms) << lease.count();
    EXPECT_LE(beats.perLease * beats.interval, lease);
    EXPECT_GT((beats.perLease + 1) * beats.interval, lease) << "or it is noticed too early";
  }
}

TEST_F(DaemonTest, NamesItsHolderToEveryPeer) {
  Host host(context_, "inproc://c"), other(context_, "inproc://c");
  const auto state = [&] {
    const auto body = other.ask(session::Inspect{});
    EXPECT_TRUE(std::holds_alternative<session::State>(body));
    return std::get<session::State>(body);
  };
  EXPECT_EQ(state(), (session::State{::getpid(), "", 0, false, {}}));
  host.ask(session::Hello{60'000, "digits (pid 7)"});
  EXPECT_EQ(state().holder, "digits (pid 7)");
  EXPECT_EQ(state().sessions, 1U);
  host.ask(session::Detach{});
  EXPECT_EQ(state().holder, "");
}

TEST_F(DaemonTest, ShowsTheNameOfItsHostWithoutControlCharacters) {
  Host host(context_, "inproc://c"), other(context_, "inproc://c");
  host.ask(session::Hello{60'000, "\x1b[2Jdigits\n(pid 7)\xff" + std::string(1 << 16, 'x')});
  const auto state = std::get<session::State>(other.ask(session::Inspect{}));
  EXPECT_THAT(state.holder, ::testing::StartsWith("\\x1b[2Jdigits\\x0a(pid 7)\\xffxxx"));
  EXPECT_LE(state.holder.size(), 256u);
  const auto fault = std::get<session::Fault>(other.ask(session::Hello{60'000, "another"}));
  EXPECT_THAT(fault.status.message, ::testing::HasSubstr("\\x1b[2Jdigits\\x0a(pid 7)"));
}

TEST_F(DaemonTest, ShowsTheShareOfItsHostUntilTheSessionEnds) {
  Host host(context_, "inproc://c"), other(context_, "inproc://c");
  const auto share = [&] { return std::get<session::State>(other.ask(session::Inspect{})).share; };
  host.ask(session::Hello{60'000, "digits (pid 7)"});
  EXPECT_EQ(share(), std::nullopt);
  session::Announce announced;
  announced.share.ticket = 5;
  EXPECT_TRUE(std::holds_alternative<session::Ok>(host.ask(announced)));
  EXPECT_EQ(share(), announced.share);
  announced.share.stage = session::ShareStage::Ready;
  host.ask(announced);
  EXPECT_EQ(share(), announced.share);
  host.ask(session::Detach{});
  EXPECT_EQ(share(), std::nullopt);
}

TEST_F(DaemonTest, ShowsTheLastNoteOfAFailedHostUntilTheNextSession) {
  Host host(context_, "inproc://c"), next(context_, "inproc://c"), other(context_, "inproc://c");
  const auto state = [&] { return std::get<session::State>(other.ask(session::Inspect{})); };
  host.ask(session::Hello{60'000, "digits (pid 7)"});
  session::Announce announced;
  announced.share.stage = session::ShareStage::Failed;
  announced.share.failure = {wire::Code::VertexFault, "ipu 3: why"};
  host.ask(announced);
  host.ask(session::Detach{});
  EXPECT_EQ(state().holder, "");
  EXPECT_EQ(state().share, announced.share);
  next.ask(session::Hello{60'000, "other"});
  EXPECT_EQ(state().share, std::nullopt);
}

TEST_F(DaemonTest, LetsARestartedHostReplaceItsOwnSession) {
  Host before(context_, "inproc://c"), again(context_, "inproc://c"), other(context_, "inproc://c");
  before.ask(session::Hello{60'000, "prog", 5});
  EXPECT_TRUE(std::holds_alternative<session::Fault>(other.ask(session::Hello{60'000, "prog", 6})));
  EXPECT_TRUE(std::holds_alternative<session::Fault>(other.ask(session::Hello{60'000, "prog", 0})));
  EXPECT_TRUE(
      std::holds_alternative<session::Welcome>(again.ask(session::Hello{60'000, "prog", 5})));
  before.send({9, {}, session::ModuleQuery{}});
  for (int i = 0; i < 100; ++i)
    again.ask(session::ModuleQuery{});
  EXPECT_TRUE(before.hearsNothing());
}

TEST_F(DaemonTest, NamesWhatIsMissingBeforeALoad) {
  Host host(context_, "inproc://c");
  host.ask(session::Hello{});
  for (const session::Body &body :
       std::vector<session::Body>{session::Run{0, {}}, session::ViewRead{0}, session::Load{}}) {
    const auto answer = host.ask(body);
    EXPECT_TRUE(std::holds_alternative<session::Fault>(answer));
  }
}

TEST_F(DaemonTest, RefusesAModuleWithAnotherHash) {
  Host host(context_, "inproc://c");
  host.ask(session::Hello{});
  SessionMessage message{{5, {}, session::ModuleBytes{std::string(64, '0'), "m"}}, {}};
  message.payloads.emplace_back(16);
  fabric::Frames frames;
  pack(std::move(message), frames);
  host.send(std::move(frames));
  EXPECT_TRUE(std::holds_alternative<session::Fault>(host.answer(5)));
}

/// Returns the configuration of a partition of one IPU.
session::Configure soundPlan() {
  session::Configure plan;
  plan.links = {"inproc://l"};
  plan.syncs = {"inproc://s"};
  plan.machineModel = textOf(COPSE_MODEL_PATH);
  return plan;
}

TEST_F(DaemonTest, SurvivesMaliciousPlans) {
  Host host(context_, "inproc://c");
  host.ask(session::Hello{60'000});
  const std::vector<std::function<void(session::Configure &)>> spoilers{
      [](auto &plan) { plan.threads = 0xFFFFFFFF; },
      [](auto &plan) { plan.self = 0xFFFFFFFF; },
      [](auto &plan) { plan.replica = 7; },
      [](auto &plan) { plan.replicas = plan.ipusPerReplica = 0x10000; },
      [](auto &plan) { plan.links = plan.syncs = {}; },
      [](auto &plan) {
        plan.replicas = 100'000;
        plan.links = plan.syncs = std::vector<std::string>(plan.replicas, "tcp://127.0.0.1:1");
      },
      [](auto &plan) { plan.links = plan.syncs = {"tcp://127.0.0.1:99999"}; },
      [](auto &plan) {
        plan.groups = {{wire::SyncGroup::GS1, {}}};
      },
      [](auto &plan) {
        plan.groups = {{wire::SyncGroup::GS1, {0, 0xFFFFFFFF}}};
      },
      [](auto &plan) { plan.machineModel = "{}"; },
      [](auto &plan) {
        plan.names = {"", "ipu-1"};
      },
      [](auto &plan) {
        plan.rowStore = {"tcp://127.0.0.1:1", "x", {{"b", ~0ULL, ~0ULL}}};
      }};
  for (std::size_t i = 0; i < spoilers.size(); ++i) {
    auto plan = soundPlan();
    spoilers[i](plan);
    host.ask(plan); // is done or refused
    EXPECT_TRUE(std::holds_alternative<session::Ok>(host.ask(soundPlan()))) << "after plan " << i;
  }
}

TEST(DaemonThreads, AreFewerThanRequestedIfTheSystemRefuses) {
  if (copse::test::kAddressSanitizer || copse::test::kThreadSanitizer)
    GTEST_SKIP() << "sanitizers take more addresses than there are";
  EXPECT_EXIT(
      {
        zmq::context_t context;
        auto daemon = Daemon::start(context, {"inproc://c", "inproc://l", "inproc://s"}, "ipu 0");
        DaemonTest::Host host(context, "inproc://c");
        host.ask(session::Hello{60'000});
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlim_t most = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (128U << 20U);
        rlimit addresses{};
        addresses.rlim_cur = addresses.rlim_max = most;
        ::setrlimit(RLIMIT_AS, &addresses);
        auto plan = soundPlan();
        plan.threads = 1000;
        const auto body = host.ask(plan);
        if (const auto *fault = std::get_if<session::Fault>(&body))
          std::fprintf(stderr, "%s", fault->status.message.c_str());
        ::_exit(std::holds_alternative<session::Ok>(host.ask(soundPlan())) ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "of 1000 threads can be started");
}

TEST_F(DaemonTest, SurvivesAnyMessagesOfItsHost) {
  Host host(context_, "inproc://c");
  host.ask(session::Hello{60'000});
  std::mt19937 random(3);
  session::Configure plan;
  plan.links = plan.syncs = {"inproc://nowhere", "tcp://256.0.0.1:1"};
  plan.groups = {{wire::SyncGroup::GS1, {0, 7}}};
  const std::vector<session::Body> bodies{session::Hello{60'000},
                                          plan,
                                          session::ModuleQuery{{"x"}},
                                          session::ModuleBytes{"x", "y"},
                                          session::Load{},
                                          session::Run{3, {}},
                                          session::Stop{},
                                          session::ViewRead{1},
                                          session::ViewWrite{1},
                                          session::StreamRow{1, 2, true},
                                          session::StreamDrop{1},
                                          session::TransferTaken{5},
                                          session::Rows{},
                                          session::Welcome{},
                                          session::Done{},
                                          session::View{},
                                          session::StreamRequest{},
                                          session::RowsRead{1, {2}},
                                          session::Ok{},
                                          session::Fault{}};
  for (int round = 0; round < 5'000; ++round) {
    session::Header header{random() % 3, {}, bodies[random() % bodies.size()]};
    SessionMessage message{std::move(header), {}};
    for (std::uint32_t payloads = random() % 3; payloads > 0; --payloads)
      message.payloads.emplace_back(random() % 100);
    fabric::Frames frames;
    pack(std::move(message), frames);
    if (random() % 2 == 0) {
      auto *bytes = static_cast<unsigned char *>(frames[0].data());
      for (std::uint32_t flips = random() % 4; flips > 0; --flips)
        bytes[random() % frames[0].size()] = static_cast<unsigned char>(random());
    }
    if (random() % 8 == 0)
      frames.emplace_back(std::size_t{5});
    host.send(std::move(frames));
  }
  host.ask(session::Hello{60'000}); // flipped bits may have made a Hello with a short timeout
  EXPECT_TRUE(std::holds_alternative<session::ModuleNeeds>(host.ask(session::ModuleQuery{})));
}

} // namespace
} // namespace copse::ipud
