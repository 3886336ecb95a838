// Claims: a sync point over 4 ipud processes costs at most 2.5 times a bare ZeroMQ round trip
// between two processes over the same transport (ipc), over 16 at most 4 times.
#include "session/machine.hpp"

#include <benchmark/benchmark.h>
#include <zmq.hpp>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace copse;

constexpr std::uint32_t kRounds = 200; // of one iteration

[[noreturn]] void fail(const std::string &why) { throw std::runtime_error(why); }

class NoStreams : public session::StreamHandler {
public:
  void fetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  bool prefetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override { return false; }
  void complete(std::uint32_t, std::uint32_t) override {}
  void take(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  void invalidatePrefetched(std::uint32_t, std::uint32_t) override {}
  void print(std::uint32_t, std::uint32_t, std::span<const std::byte>) override {}
};

wire::Step step(wire::Op op, std::uint32_t index, std::uint32_t count = 0, std::uint32_t body = 0) {
  wire::Step one;
  one.op = op;
  one.index = index;
  one.count = count;
  one.body = body;
  return one;
}

/// kRounds sync points of all IPUs.
session::Program syncs(std::uint32_t ipus) {
  wire::Image image;
  image.geometry = {1, 6, 21, 0x4C000, 0x9C000};
  image.steps = {step(wire::Op::Repeat, 0, kRounds, 1),
                 step(wire::Op::Sync, static_cast<std::uint32_t>(wire::SyncGroup::GS2))};
  image.programs = {{0, 2}};
  session::Program program;
  program.images.push_back(std::make_shared<const wire::Image>(std::move(image)));
  program.replicas = ipus;
  program.modules = [](const std::string &) { return std::span<const std::byte>(); };
  return program;
}

std::unique_ptr<session::Machine> machineOf(std::uint32_t ipus) {
  std::ifstream model(COPSE_MODEL_PATH);
  session::MachineOptions options;
  options.ipus = ipus;
  options.ipudPath = COPSE_IPUD_PATH;
  options.machineModel.assign(std::istreambuf_iterator<char>(model), {});
  options.heartbeatTimeout = std::chrono::seconds(30);
  auto machine = session::Machine::start(options);
  if (!machine)
    fail(machine.status().message);
  return std::move(*machine);
}

template <std::uint32_t kIpus> void syncPoints(benchmark::State &state) {
  const auto machine = machineOf(kIpus);
  if (const auto status = machine->load(syncs(kIpus)); !status.ok())
    fail(status.message);
  NoStreams none;
  const auto run = [&] {
    if (const auto report = machine->run(0, none); !report)
      fail(report.status().message);
  };
  run();
  for (auto _ : state)
    run();
  state.counters["us"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRounds * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// A process that sends back what it gets.
class Echo {
public:
  Echo() {
    std::string name = "/tmp/copse-bench-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      fail("no folder for sockets");
    folder_ = name;
    pid_ = ::fork();
    if (pid_ == 0) {
      serve();
      ::_exit(0);
    }
  }
  ~Echo() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
  }
  Echo(const Echo &) = delete;
  Echo &operator=(const Echo &) = delete;
  std::string endpoint(const char *name) const { return "ipc://" + (folder_ / name).string(); }

private:
  void serve() const {
    zmq::context_t context(1);
    zmq::socket_t in(context, zmq::socket_type::pull), out(context, zmq::socket_type::push);
    in.bind(endpoint("there"));
    out.connect(endpoint("back"));
    for (;;) {
      zmq::message_t message;
      (void)in.recv(message);
      out.send(message, zmq::send_flags::none);
    }
  }
  std::filesystem::path folder_;
  pid_t pid_ = -1;
};

void roundTrips(benchmark::State &state) {
  const Echo echo; // before the first thread of ours
  zmq::context_t context(1);
  zmq::socket_t out(context, zmq::socket_type::push), in(context, zmq::socket_type::pull);
  out.set(zmq::sockopt::linger, 0);
  in.bind(echo.endpoint("back"));
  out.connect(echo.endpoint("there"));
  const auto once = [&] {
    zmq::message_t message(64); // about the size of a sync message
    out.send(message, zmq::send_flags::none);
    (void)in.recv(message);
  };
  once();
  for (auto _ : state)
    for (std::uint32_t i = 0; i < kRounds; ++i)
      once();
  state.counters["us"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRounds * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void add(const std::string &name, void (*work)(benchmark::State &)) {
  benchmark::RegisterBenchmark(name.c_str(), work)->UseRealTime()->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char **argv) {
  add("sync_point_2/subject", syncPoints<2>);
  add("sync_point_4/subject", syncPoints<4>);
  add("sync_point_8/subject", syncPoints<8>);
  add("sync_point_16/subject", syncPoints<16>);
  for (const char *ipus : {"2", "4", "8", "16"})
    add(std::string("sync_point_") + ipus + "/reference", roundTrips);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
}
