#include "frozen.hpp"
#include "images.hpp"
#include "machines.hpp"
#include "sanitizers.hpp"
#include "shapes.hpp"
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <numeric>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace copse::session {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using test::codelets;
using test::ImageWriter;
using test::kWord;
using test::machineOf;
using test::RecordingHandler;
using test::Shape;
using test::step;
using wire::Code;
using wire::Direction;
using wire::Op;
using Clock = std::chrono::steady_clock;

/// Well below the time limit of a sync point, which ends the run if nothing else does.
constexpr auto kSoon = 15s;

/// Returns a program of four parts: 0 traps where the word of view 0 is not 0; 1 never ends on IPU
/// 0, and the others wait for it at a sync point; 2 does nothing; 3 reads stream 0.
Program troubleProgram(const Shape &shape) {
  Program program;
  program.replicas = shape.replicas;
  program.modules = codelets().bytes();
  program.streams = {{"in", Direction::ToDevice, 4}};
  for (std::uint32_t ipu = 0; ipu < shape.ipusPerReplica; ++ipu) {
    ImageWriter writer(codelets().ref(), ipu, shape.ipusPerReplica);
    writer.image.hostViews.push_back(ImageWriter::part(kWord, 1, ipu, shape.ipusPerReplica));
    const wire::Step sync = step(Op::Sync, 2);
    writer.program({writer.vertex("trapUnlessZero", {kWord}), sync});
    // All IPUs execute the same steps; only the vertices differ.
    writer.program(
        {ipu == 0 ? writer.vertex("never", {0}) : writer.vertex("trapUnlessZero", {kWord}), sync});
    writer.program({sync});
    writer.program({writer.transfer(0, Direction::ToDevice, ImageWriter::row(kWord + 4, 1)), sync});
    program.images.push_back(writer.shared());
  }
  return program;
}

bool isThere(pid_t pid) { return ::kill(pid, 0) == 0; }

/// Returns true if the process has not ended. A process that has ended and was not reaped does not
/// run.
bool isRunning(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return static_cast<bool>(stat >> number >> name >> state) && state != "Z";
}

/// Sets $TMPDIR to an own directory, and looks at what is left there.
class Failures : public ::testing::Test {
protected:
  std::vector<std::string> leftovers() const {
    std::vector<std::string> all;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(directory_.path()))
      all.push_back(entry.path());
    return all;
  }
  void start(const Shape &shape) {
    machine_ = machineOf(shape);
    ASSERT_NE(machine_, nullptr);
    load(shape);
  }
  void load(const Shape &shape) {
    const auto status = machine_->load(troubleProgram(shape));
    ASSERT_TRUE(status.ok()) << status.message;
  }
  /// Expects that the machine works.
  void expectItWorks() {
    RecordingHandler handler;
    for (const std::uint32_t program : {2, 0}) {
      const auto report = machine_->run(program, handler);
      EXPECT_TRUE(report.ok()) << report.status().message;
    }
  }

  test::OwnTemporaryDirectory directory_;
  std::unique_ptr<Machine> machine_;
};

TEST_F(Failures, InACodeletNameTheIpuAndLoadRepairsIt) {
  const Shape shape{"", Transport::Shm, 2, 2};
  start(shape);
  ASSERT_TRUE(machine_->write(0, test::bytesOf(std::vector<std::uint32_t>{0, 0, 1, 0})).ok());
  RecordingHandler handler;
  const auto processes = machine_->processes();
  const auto status = machine_->run(0, handler).status();
  EXPECT_EQ(status.code, Code::VertexFault);
  EXPECT_THAT(status.message, HasSubstr("ipu 2"));
  EXPECT_THAT(status.message, HasSubstr("trapUnlessZero"));
  EXPECT_EQ(machine_->run(2, handler).status().code, Code::NotFound)
      << "a failed machine must be loaded first";
  load(shape);
  EXPECT_EQ(machine_->processes(), processes) << "a codelet's fault takes no daemon down";
  expectItWorks();
}

TEST_F(Failures, KilledProcessIsNamedAndLoadRestartsIt) {
  const Shape shape{"", Transport::Shm, 4, 1};
  start(shape);
  const auto before = machine_->processes();
  std::thread killer([&] {
    std::this_thread::sleep_for(100ms);
    ::kill(before[2], SIGKILL);
  });
  RecordingHandler handler;
  const auto begin = Clock::now();
  const auto status = machine_->run(1, handler).status();
  EXPECT_LT(Clock::now() - begin, kSoon);
  killer.join();
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("ipu 2"));
  EXPECT_THAT(status.message, HasSubstr(std::to_string(before[2])));
  EXPECT_THAT(status.message, HasSubstr("signal 9"));
  if (!test::kThreadSanitizer) {
    EXPECT_THAT(status.message, HasSubstr("ipu 0: the program was stopped while 'run never' ran"));
  }
  load(shape);
  const auto after = machine_->processes();
  EXPECT_NE(after[2], before[2]);
  if (!test::kThreadSanitizer) { // its codelet that never returns would cost it its life
    EXPECT_EQ(after[0], before[0]);
  }
  expectItWorks();
  machine_.reset();
  for (const auto &pids : {before, after})
    for (const int pid : pids)
      EXPECT_FALSE(isThere(pid)) << pid;
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Failures, FrozenProcessIsDetected) {
  const Shape shape{"", Transport::Tcp, 2, 1};
  auto options = test::machineOptions(2, shape.transport);
  options.heartbeatTimeout = 800ms;
  auto machine = Machine::start(options);
  ASSERT_TRUE(machine.ok()) << machine.status().message;
  machine_ = std::move(*machine);
  load(shape);
  const int frozen = machine_->processes()[1];
  RecordingHandler handler;
  // Before either IPU has a row: ipu 1 never comes to the sync point behind the row.
  handler.onFetch = [frozen](auto, auto, auto) { EXPECT_TRUE(test::freeze(frozen)); };
  const auto begin = Clock::now();
  const auto status = machine_->run(3, handler).status();
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("ipu 1 (pid " + std::to_string(frozen) + ")"));
  load(shape);
  expectItWorks();
  EXPECT_FALSE(isThere(frozen));
}

TEST_F(Failures, MissedSyncPointIsReportedWithTheIpuAndTheStep) {
  const Shape shape{"", Transport::Shm, 2, 1};
  start(shape);
  Program program = troubleProgram(shape);
  program.syncTimeout = 700ms;
  ASSERT_TRUE(machine_->load(std::move(program)).ok());
  RecordingHandler handler;
  int fetches = 0;
  handler.onFetch = [&fetches](auto, auto, auto) {
    if (++fetches == 2) // the other one has its row and waits behind it
      std::this_thread::sleep_for(2s);
  };
  const auto begin = Clock::now();
  const auto status = machine_->run(3, handler).status();
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_EQ(status.code, Code::Timeout);
  EXPECT_THAT(status.message, HasSubstr("sync group GS2: "));
  EXPECT_THAT(status.message, HasSubstr("sync point 0 within 700 ms"));
  EXPECT_THAT(status.message, ::testing::ContainsRegex("replica [01] \\(ipu [01]\\)"));
  EXPECT_THAT(status.message, HasSubstr("at step "));
  load(shape);
  expectItWorks();
}

TEST_F(Failures, AreNotHiddenByAnIpuThatDoesNotStop) {
  const Shape shape{"", Transport::Shm, 2, 1};
  auto options = test::machineOptions(2, shape.transport);
  options.heartbeatTimeout = 60s; // longer than an IPU may take to stop
  auto machine = Machine::start(options);
  ASSERT_TRUE(machine.ok()) << machine.status().message;
  machine_ = std::move(*machine);
  load(shape);
  const std::vector<std::uint32_t> trap{1, 1};
  ASSERT_TRUE(machine_->write(0, test::bytesOf(trap)).ok());
  ASSERT_TRUE(test::freeze(machine_->processes()[1]));
  RecordingHandler handler;
  const auto status = machine_->run(0, handler).status();
  EXPECT_EQ(status.code, Code::VertexFault);
  EXPECT_THAT(status.message, HasSubstr("ipu 0"));
  load(shape);
  expectItWorks();
}

TEST_F(Failures, BetweenRunsAreDetectedByTheNext) {
  const Shape shape{"", Transport::Shm, 2, 1};
  start(shape);
  ::kill(machine_->processes()[0], SIGKILL);
  RecordingHandler handler;
  const auto status = machine_->run(2, handler).status();
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message, HasSubstr("ipu 0"));
  load(shape);
  expectItWorks();
}

TEST_F(Failures, InACallbackAreThrownUnchangedByRun) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  const Shape shape{"", Transport::Shm, 2, 1};
  start(shape);
  RecordingHandler handler;
  handler.onFetch = [](auto, std::uint32_t replica, auto) {
    if (replica == 1)
      throw Mine("no more data");
  };
  EXPECT_THROW(
      {
        const auto ignored = machine_->run(3, handler);
        ADD_FAILURE() << ignored.status().message;
      },
      Mine);
  load(shape);
  expectItWorks();
}

/// A handler whose fetch() for one replica waits until the test releases it.
class Stuck : public RecordingHandler {
public:
  explicit Stuck(std::uint32_t which) {
    onFetch = [this, which](auto, std::uint32_t replica, auto) {
      if (replica != which)
        return;
      entered_.set_value();
      letGo_.get_future().wait();
      left_.set_value();
    };
  }
  void letGo() {
    letGo_.set_value();
    left_.get_future().wait();
  }
  bool entered() { return entered_.get_future().wait_for(0s) == std::future_status::ready; }

private:
  std::promise<void> entered_, letGo_, left_;
};

TEST_F(Failures, CallbackThatNeverReturnsIsNamedAndLoadRepairsTheMachine) {
  const Shape shape{"", Transport::Shm, 2, 1};
  machine_ = machineOf(shape);
  ASSERT_NE(machine_, nullptr);
  Program program = troubleProgram(shape);
  program.callbackTimeout = 200ms;
  ASSERT_TRUE(machine_->load(program).ok());
  Stuck stuck(1);
  const auto begin = Clock::now();
  const auto status = machine_->run(3, stuck).status();
  EXPECT_LT(Clock::now() - begin, kSoon);
  EXPECT_TRUE(stuck.entered());
  EXPECT_EQ(status.code, Code::HostFault);
  EXPECT_THAT(status.message,
              ::testing::AllOf(HasSubstr("stream 'in', replica 1 of 2"), HasSubstr("fetch()"),
                               HasSubstr("host transfer 0"), HasSubstr("200 ms")));
  ASSERT_TRUE(machine_->load(program).ok()) << "while the callback goes on";
  expectItWorks();
  stuck.letGo();
  expectItWorks();
}

TEST_F(Failures, CallbackThatNeverReturnsDoesNotBlockTheMachine) {
  const Shape shape{"", Transport::Inproc, 1, 1};
  machine_ = machineOf(shape);
  ASSERT_NE(machine_, nullptr);
  Program program = troubleProgram(shape);
  program.callbackTimeout = 100ms;
  ASSERT_TRUE(machine_->load(program).ok());
  Stuck stuck(0);
  EXPECT_EQ(machine_->run(3, stuck).status().code, Code::HostFault);
  machine_.reset();
  stuck.letGo();
}

void change(std::shared_ptr<const wire::Image> &image, const auto &how) {
  auto changed = std::make_shared<wire::Image>(*image);
  how(*changed);
  image = std::move(changed);
}

TEST_F(Failures, DaemonsSurviveAnImageThatTheyRefuse) {
  const Shape shape{"", Transport::Shm, 1, 2};
  start(shape);
  Program bad = troubleProgram(shape);
  change(bad.images[1], [](wire::Image &image) { image.steps[0].index = 1000; });
  const auto status = machine_->load(std::move(bad));
  EXPECT_EQ(status.code, Code::InvalidImage);
  EXPECT_THAT(status.message, HasSubstr("ipu 1"));
  load(shape);
  expectItWorks();
}

TEST_F(Failures, MissingCodeletSymbolIsRefused) {
  const Shape shape{"", Transport::Inproc, 1, 1};
  start(shape);
  Program bad = troubleProgram(shape);
  change(bad.images[0], [](wire::Image &image) { image.functions[0].symbol = "noSuchCodelet"; });
  const auto status = machine_->load(std::move(bad));
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message, HasSubstr("noSuchCodelet"));
}

TEST_F(Failures, MissingIpudIsReportedWithTheSearchedPaths) {
  auto options = test::machineOptions(1, Transport::Shm);
  options.ipudPath = "/no/such/ipud";
  const auto status = Machine::start(options).status();
  EXPECT_EQ(status.code, Code::NotFound);
  EXPECT_THAT(status.message, HasSubstr("/no/such/ipud"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Failures, UnusableIpudOfTheEnvironmentIsReported) {
  ::setenv("COPSE_IPUD", "/no/such/ipud", 1);
  auto options = test::machineOptions(1, Transport::Shm);
  options.ipudPath.clear();
  const auto status = Machine::start(options).status();
  ::unsetenv("COPSE_IPUD");
  EXPECT_EQ(status.code, Code::NotFound);
  EXPECT_THAT(status.message, HasSubstr("COPSE_IPUD: '/no/such/ipud'"));
}

/// Closes the first descriptors of this process, which a service may not have, for the object's
/// lifetime.
class WithoutStandardStreams {
public:
  WithoutStandardStreams() {
    for (int stream = 0; stream < 3; ++stream) {
      kept_[stream] = ::fcntl(stream, F_DUPFD_CLOEXEC, 100);
      ::close(stream);
    }
  }
  ~WithoutStandardStreams() {
    for (int stream = 0; stream < 3; ++stream)
      if (kept_[stream] >= 0) {
        ::dup2(kept_[stream], stream);
        ::close(kept_[stream]);
      }
  }
  WithoutStandardStreams(const WithoutStandardStreams &) = delete;
  WithoutStandardStreams &operator=(const WithoutStandardStreams &) = delete;

private:
  std::array<int, 3> kept_{};
};

TEST_F(Failures, DoNotFollowFromClosedStandardStreams) {
  wire::Status status;
  {
    const WithoutStandardStreams closed;
    status = Machine::start(test::machineOptions(2, Transport::Shm)).status();
  }
  EXPECT_TRUE(status.ok()) << status.message;
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Failures, ProcessThatDoesNotStartIsReported) {
  auto options = test::machineOptions(2, Transport::Shm);
  options.ipudPath = "/bin/false";
  const auto status = Machine::start(options).status();
  EXPECT_EQ(status.code, Code::Disconnected);
  EXPECT_THAT(status.message,
              AllOf(HasSubstr("ipu 0"), HasSubstr("exited with code 1 before it was ready")));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Failures, SignalThatEndsAStartingProcessIsNamed) {
  const auto script = directory_.path() / "shot";
  std::ofstream(script) << "#!/bin/sh\nkill -KILL $$\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  auto options = test::machineOptions(1, Transport::Shm);
  options.ipudPath = script;
  EXPECT_THAT(Machine::start(options).status().message,
              AllOf(HasSubstr("ipu 0"), HasSubstr("was killed by signal 9 (SIGKILL)"),
                    HasSubstr("before it was ready")));
}

TEST_F(Failures, SlowStartIsReported) {
  const auto script = directory_.path() / "sleeper";
  std::ofstream(script) << "#!/bin/sh\nexec sleep 60\n";
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  auto options = test::machineOptions(1, Transport::Tcp);
  options.ipudPath = script;
  options.startTimeout = 200ms;
  const auto begin = Clock::now();
  EXPECT_EQ(Machine::start(options).status().code, Code::Timeout);
  EXPECT_LT(Clock::now() - begin, kSoon);
}

/// A host program that runs on four ipuds, and is killed in the middle.
class HostProgram {
public:
  /// \param forks  the host program has a child that outlives it
  explicit HostProgram(bool forks) {
    std::array<int, 2> output{};
    if (::pipe(output.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(output[1], 1);
      ::execl(COPSE_HOST_PROGRAM, COPSE_HOST_PROGRAM, forks ? "forks" : nullptr, nullptr);
      ::_exit(127);
    }
    ::close(output[1]);
    std::FILE *lines = ::fdopen(output[0], "r");
    for (int pid = 0; std::fscanf(lines, "%d", &pid) == 1;) {
      pids_.push_back(pid);
      if (pids_.size() == (forks ? 5u : 4u))
        break;
    }
    std::fclose(lines);
    if (forks && pids_.size() == 5) {
      child_ = pids_.back();
      pids_.pop_back();
    }
  }
  ~HostProgram() {
    kill();
    if (child_ > 0)
      ::kill(child_, SIGKILL);
  }
  const std::vector<int> &ipuds() const { return pids_; }
  bool childLives() const { return child_ > 0 && isRunning(child_); }
  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }

private:
  pid_t pid_ = -1, child_ = -1;
  std::vector<int> pids_;
};

class DeathOfTheHost : public Failures, public ::testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Hosts, DeathOfTheHost, ::testing::Bool(),
                         [](const auto &p) { return p.param ? "WithAForkedChild" : "Alone"; });

TEST_P(DeathOfTheHost, EndsItsIpudsAndLeavesNoFile) {
  HostProgram host(GetParam());
  ASSERT_EQ(host.ipuds().size(), 4u);
  std::this_thread::sleep_for(100ms); // in the middle of its run
  for (const int pid : host.ipuds())
    EXPECT_TRUE(isRunning(pid));
  EXPECT_FALSE(leftovers().empty());

  host.kill();
  const auto deadline =
      Clock::now() + (test::kThreadSanitizer ? 10s : 2s); // its codelets never return
  const auto anyLeft = [&] {
    return std::any_of(host.ipuds().begin(), host.ipuds().end(), isRunning) || !leftovers().empty();
  };
  while (anyLeft() && Clock::now() < deadline)
    std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(std::any_of(host.ipuds().begin(), host.ipuds().end(), isRunning));
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_EQ(host.childLives(), GetParam());
}

} // namespace
} // namespace copse::session
