// Tests real ipud processes of which one is killed or frozen while all of them run a collective.
#include "child_process.hpp"
#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <poplar/exceptions.hpp>
#include <thread>
#include <unistd.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Fault {
  const char *name;
  int signal;
  const char *method;
};
const Fault kFaults[] = {{"KilledInARing", SIGKILL, "clockwise_ring"},
                         {"KilledInADirectExchange", SIGKILL, "direct"},
                         {"FrozenInARing", SIGSTOP, "meet_in_middle_ring"}};

class CollectiveFaults : public ::testing::TestWithParam<Fault> {
protected:
  CollectiveFaults() : run_({poplar::TargetType::IPU, 4, 1}) {
    const poplar::Tensor data = run_.graph.addVariable(poplar::FLOAT, {1 << 15}, "data");
    const poplar::Tensor round = run_.graph.addVariable(poplar::INT, {1}, "round");
    run_.graph.setTileMapping(data, 0);
    run_.graph.setTileMapping(round, 0);
    const auto stream = run_.graph.addDeviceToHostFIFO("round", poplar::INT, 1);
    poplar::program::Sequence turn;
    gcl::allReduceInPlaceCrossReplica(run_.graph, data, gcl::CollectiveOperator::MAX, turn, "all",
                                      {{"method", GetParam().method}});
    turn.add(poplar::program::Copy(round, stream));
    run_.prog.add(poplar::program::Repeat(10'000'000, turn)); // for hours
    run_.prepare();
    for (unsigned replica = 0; replica < 4; ++replica)
      run_.engine().connectStreamToCallback("round", replica, [this](void *) { ++rounds_; });
  }

  ReplicatedRun run_;
  std::atomic<unsigned> rounds_{0};
};
INSTANTIATE_TEST_SUITE_P(Faults, CollectiveFaults, ::testing::ValuesIn(kFaults),
                         [](const auto &p) { return p.param.name; });

TEST_P(CollectiveFaults, EndTheRunBeforeItsDeadlineAndNameTheIpu) {
  const auto ipuds = childrenOf(::getpid());
  ASSERT_EQ(ipuds.size(), 4U);
  std::chrono::steady_clock::time_point lost;
  std::thread fault([&] {
    while (rounds_ < 20)
      std::this_thread::sleep_for(1ms);
    lost = std::chrono::steady_clock::now();
    ::kill(ipuds[2], GetParam().signal);
  });
  std::string message;
  try {
    run_.engine().run(0);
  } catch (const poplar::poplar_error &error) {
    message = error.what();
  }
  const auto waited = std::chrono::steady_clock::now() - lost;
  fault.join();
  ::kill(ipuds[2], SIGKILL); // a frozen one does not end by itself
  EXPECT_THAT(message, HasSubstr("ipu 2"));
  EXPECT_LT(waited, 20s) << message;
}

} // namespace
} // namespace copse::test
