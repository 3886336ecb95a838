// Claims: a sync point over 4 ipud processes costs at most 2.5 times a bare ZeroMQ round trip
// between two processes over the same transport (ipc), over 16 at most 4 times.
#include "sync_points.hpp"

#include "disk_cache/private_directory.hpp"

#include <benchmark/benchmark.h>
#include <zmq.hpp>

#include <csignal>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace copse;

constexpr std::uint32_t kRounds = bench::kSyncPointsPerRun; // rounds per iteration

template <std::uint32_t kIpus> void syncPoints(benchmark::State &state) {
  bench::SyncPoints points(kIpus);
  for (auto _ : state)
    points.run();
  state.counters["us"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kRounds * 1e-6,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// A process that sends back what it gets.
class Echo {
public:
  Echo() {
    pid_ = ::fork();
    if (pid_ == 0) {
      serve();
      ::_exit(0);
    }
  }
  ~Echo() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Echo(const Echo &) = delete;
  Echo &operator=(const Echo &) = delete;
  std::string endpoint(const char *name) const {
    return "ipc://" + (folder_.path() / name).string();
  }

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
  disk_cache::PrivateDirectory folder_;
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
