// Tests real ipud processes of which one is killed or frozen while the others wait for it.
#include "ring_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;
using test::Shape;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

struct Loss {
  const char *name;
  int signal;
  Shape shape;
  bool across;       ///< the ring includes all replicas: its sync points belong to another group
  const char *group; ///< group of the step at which the others wait
};
const Loss kLosses[] = {
    {"KilledIpc", SIGKILL, {"", Transport::Ipc, 1, 4}, false, "GS1"},
    {"KilledShm", SIGKILL, {"", Transport::Shm, 1, 4}, false, "GS1"},
    {"KilledTcp", SIGKILL, {"", Transport::Tcp, 4, 1}, true, "GS2"},
    {"FrozenIpc", SIGSTOP, {"", Transport::Ipc, 4, 1}, true, "GS2"},
    {"FrozenShm", SIGSTOP, {"", Transport::Shm, 4, 1}, true, "GS2"},
    {"FrozenTcp", SIGSTOP, {"", Transport::Tcp, 1, 4}, false, "GS1"},
};
class LostIpus : public ::testing::TestWithParam<Loss> {};
INSTANTIATE_TEST_SUITE_P(Losses, LostIpus, ::testing::ValuesIn(kLosses),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_P(LostIpus, EndTheRunSoonWithTheirNameAndWhereTheOthersWaited) {
  constexpr auto kDeadline = 800ms, kGrace = 8000ms;
  const Loss &loss = GetParam();
  auto options = test::machineOptions(loss.shape.ipus(), loss.shape.transport);
  options.heartbeatTimeout = kDeadline;
  auto started = Machine::start(options);
  ASSERT_TRUE(started.ok()) << started.status().message;
  Machine &machine = **started;
  const auto load = [&](std::uint32_t rounds) {
    const auto status = machine.load(test::ringProgram(loss.shape, loss.across, rounds));
    ASSERT_TRUE(status.ok()) << status.message;
  };
  load(2'000'000); // enough for minutes
  const auto before = machine.processes();
  Clock::time_point lostAt;
  std::thread reaper([&] {
    std::this_thread::sleep_for(300ms);
    lostAt = Clock::now();
    ::kill(before[2], loss.signal);
  });
  test::RecordingHandler handler;
  const auto status = machine.run(0, handler).status();
  const auto endedAt = Clock::now();
  reaper.join();
  EXPECT_LT(endedAt - lostAt, kDeadline + kGrace);
  EXPECT_EQ(status.code, wire::Code::Disconnected);
  EXPECT_THAT(status.message,
              AllOf(HasSubstr("ipu 2 (pid " + std::to_string(before[2]) + ") is gone"),
                    HasSubstr("ipu 0: stopped at step "), HasSubstr("exchange 'ring'"),
                    HasSubstr(loss.group)));
  load(3);
  const auto after = machine.processes();
  for (const std::size_t other : {0, 1, 3})
    EXPECT_EQ(after[other], before[other]) << "ipu " << other << " had to be started again";
  const auto report = machine.run(0, handler);
  EXPECT_TRUE(report.ok()) << report.status().message;
}

} // namespace
} // namespace copse::session
