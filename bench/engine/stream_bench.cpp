// Claims about streams between a host program and its IPUs, over tcp on loopback:
//   - rows of 1 MiB there and back at 0.9 or more of what bare ZeroMQ sockets carry, of 64 KiB at
//   0.85;
//   - four replicas at once at 0.9 of bare ZeroMQ with four peers;
//     (on two cores these two are missed: both sides need both cores, and an IPU row goes through
//     the memory of its tiles, while a bare peer forwards the very message that it has received);
//   - with prefetch a program takes at most 1.1 x the longer of filling rows and computing on them;
//   - a stream of N bytes costs the host at most (depth + 1) x N, and an IPU 2 x N.
#include "attached_ipus.hpp"
#include "tcp_cluster.hpp"

#include <benchmark/benchmark.h>
#include <zmq.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;
using std::chrono::milliseconds;

constexpr unsigned kDepth = 3; // rows that may be ahead, on both sides of the comparison
constexpr std::size_t kMiB = 1 << 20;

void check(bool holds, const char *what) {
  if (!holds)
    throw std::runtime_error(what);
}

/// A device, and the cluster that it is of if this process reaches its IPUs over tcp.
struct Ipus {
  explicit Ipus(unsigned ipus, bool overTcp = true) {
    if (overTcp)
      cluster.emplace(ipus);
    device = copse::bench::attachedIpus(ipus);
  }
  std::optional<copse::bench::TcpCluster> cluster;
  Device device;
};

OptionFlags ahead() {
  return {{"exchange.enablePrefetch", "true"}, {"exchange.streamBufferOverlap", "none"}};
}

/// The rows of a data set, which the caches of a core do not hold, one after another.
class DataSet {
public:
  explicit DataSet(std::size_t rowBytes)
      : rowBytes_(rowBytes), rows_(std::max<std::size_t>(1, kBytes / rowBytes)),
        bytes_(rows_ * rowBytes, 1) {}
  char *row(std::uint32_t number) { return bytes_.data() + number % rows_ * rowBytes_; }
  std::size_t rowBytes() const { return rowBytes_; }

private:
  static constexpr std::size_t kBytes = 32 * kMiB;
  std::size_t rowBytes_, rows_;
  std::vector<char> bytes_;
};

/// Fills rows from a data set, each with its number; may take its time.
class Source : public StreamCallback {
public:
  explicit Source(std::size_t bytes, milliseconds work = milliseconds(0))
      : data_(bytes), work_(work) {}
  void fetch(void *p) override {
    std::this_thread::sleep_for(work_);
    char *const row = data_.row(next_);
    std::memcpy(row, &next_, sizeof next_);
    ++next_;
    std::memcpy(p, row, data_.rowBytes());
  }
  Result prefetch(void *p) override {
    fetch(p);
    return Success;
  }
  void complete() override {}

private:
  DataSet data_;
  std::uint32_t next_ = 0;
  milliseconds work_;
};

/// Copies rows into a data set, and sees that none is missing.
class Sink {
public:
  explicit Sink(std::size_t bytes) : data_(bytes) {}
  void take(const void *p) {
    char *const row = data_.row(next_);
    std::memcpy(row, p, data_.rowBytes());
    std::uint32_t number;
    std::memcpy(&number, row, sizeof number);
    check(number == next_++, "a row is not the next one");
  }

private:
  DataSet data_;
  std::uint32_t next_ = 0;
};

/// Rows go to each replica and come back.
class Echo {
public:
  Echo(unsigned replicas, std::size_t bytes, unsigned rows, bool overTcp = true)
      : ipus_(replicas, overTcp) {
    Graph graph(ipus_.device, replication_factor(replicas));
    const Tensor data =
        graph.addVariable(UNSIGNED_INT, {bytes / 4}, VariableMappingMethod::LINEAR, "data");
    const DataStream in =
        graph.addHostToDeviceFIFO("in", UNSIGNED_INT, bytes / 4, ReplicatedStreamMode::REPLICATE,
                                  {{"bufferingDepth", std::to_string(kDepth)}});
    const DataStream out = graph.addDeviceToHostFIFO("out", UNSIGNED_INT, bytes / 4);
    engine_ = std::make_unique<Engine>(
        graph, Repeat(rows, Sequence({Copy(in, data), Copy(data, out)})), ahead());
    engine_->load(ipus_.device);
    for (unsigned replica = 0; replica < replicas; ++replica) {
      engine_->connectStreamToCallback("in", replica, std::make_unique<Source>(bytes));
      auto sink = std::make_shared<Sink>(bytes);
      engine_->connectStreamToCallback("out", replica, [sink](void *p) { sink->take(p); });
    }
  }
  void run() { engine_->run(); }

private:
  Ipus ipus_;
  std::unique_ptr<Engine> engine_;
};

/// An echo through memory that the processes share, like processes of one machine.
class LocalEcho : public Echo {
public:
  LocalEcho(unsigned replicas, std::size_t bytes, unsigned rows)
      : Echo(replicas, bytes, rows, false) {}
};

/// The reference of that: one core copies the rows of the data set to shared memory, to a tile's
/// and back. The copies in between stay in its caches, which two processes cannot share.
class CopiedEcho {
public:
  CopiedEcho(unsigned peers, std::size_t bytes, unsigned rows)
      : rows_(rows), source_(bytes), sink_(bytes), shared_(bytes), tile_(peers * bytes) {}
  void run() {
    const std::size_t bytes = shared_.size();
    for (unsigned row = 0; row < rows_; ++row)
      for (std::size_t at = 0; at < tile_.size(); at += bytes) {
        source_.fetch(shared_.data());
        std::memcpy(tile_.data() + at, shared_.data(), bytes);
        std::memcpy(shared_.data(), tile_.data() + at, bytes);
        sink_.take(shared_.data());
      }
  }

private:
  unsigned rows_;
  Source source_;
  Sink sink_;
  std::vector<char> shared_, tile_;
};

/// The reference: each peer gets messages by PUSH/PULL and pushes them back. The host's end fills
/// and empties them as a host program does, and has as many underway.
class BareEcho {
public:
  BareEcho(unsigned peers, std::size_t bytes, unsigned rows) : rows_(rows) {
    for (unsigned peer = 0; peer < peers; ++peer)
      peers_.push_back(std::make_unique<Peer>(context_, bytes));
  }
  void run() {
    for (unsigned row = 0; row < rows_ + kDepth; ++row)
      for (const auto &peer : peers_) {
        if (row >= kDepth)
          peer->take();
        if (row < rows_)
          peer->give();
      }
  }

private:
  class Peer {
  public:
    Peer(zmq::context_t &context, std::size_t bytes)
        : bytes_(bytes), source_(bytes), sink_(bytes), to_(context, zmq::socket_type::push),
          from_(context, zmq::socket_type::pull) {
      to_.set(zmq::sockopt::linger, 0);
      to_.bind("tcp://127.0.0.1:*");
      from_.bind("tcp://127.0.0.1:*");
      thread_ = std::thread([there = to_.get(zmq::sockopt::last_endpoint),
                             back = from_.get(zmq::sockopt::last_endpoint)] { echo(there, back); });
    }
    ~Peer() {
      to_.send(zmq::message_t(), zmq::send_flags::none);
      thread_.join();
    }
    void give() {
      zmq::message_t message(bytes_);
      source_.fetch(message.data());
      to_.send(message, zmq::send_flags::none);
    }
    void take() {
      zmq::message_t message;
      check(from_.recv(message).has_value(), "nothing came back");
      sink_.take(message.data());
    }

  private:
    static void echo(const std::string &there, const std::string &back) {
      zmq::context_t context; // as another process has its own
      zmq::socket_t from(context, zmq::socket_type::pull), to(context, zmq::socket_type::push);
      to.set(zmq::sockopt::linger, 0);
      from.connect(there);
      to.connect(back);
      for (;;) {
        zmq::message_t message;
        if (!from.recv(message) || message.size() == 0)
          return;
        to.send(message, zmq::send_flags::none);
      }
    }

    std::size_t bytes_;
    Source source_;
    Sink sink_;
    zmq::socket_t to_, from_;
    std::thread thread_;
  };

  unsigned rows_;
  zmq::context_t context_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

/// One iteration sends so many rows there and back.
template <class Transfer>
void thereAndBack(benchmark::State &state, unsigned peers, std::size_t bytes, unsigned rows) {
  Transfer transfer(peers, bytes, rows);
  transfer.run(); // connects, and touches all memory
  for (auto _ : state)
    transfer.run();
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * 2 * rows * peers * bytes));
}

/// Makes rows in `fill`, computes on each for `compute`.
class FilledRows {
public:
  FilledRows(milliseconds fill, milliseconds compute, unsigned rows) : ipus_(1) {
    Graph graph(ipus_.device);
    std::stringstream source;
    source << "#include <poplar/Vertex.hpp>\n#include <time.h>\n"
              "struct Compute : poplar::Vertex { poplar::InOut<int> x;\n"
              "  bool compute() { timespec t{0, "
           << compute.count() << " * 1000000L}; nanosleep(&t, nullptr); return true; } };";
    graph.addCodelets(source);
    const Tensor x = graph.addVariable(INT, {}, "x");
    graph.setTileMapping(x, 0);
    const ComputeSet set = graph.addComputeSet("compute");
    graph.setTileMapping(graph.addVertex(set, "Compute", {{"x", x}}), 0);
    const DataStream in = graph.addHostToDeviceFIFO("in", INT, 1);
    engine_ = std::make_unique<Engine>(graph, Repeat(rows, Sequence({Copy(in, x), Execute(set)})),
                                       ahead());
    engine_->load(ipus_.device);
    engine_->connectStreamToCallback("in", std::make_unique<Source>(4, fill));
    engine_->run();
  }
  void run() { engine_->run(); }

private:
  Ipus ipus_;
  std::unique_ptr<Engine> engine_;
};

constexpr unsigned kFilledRows = 20;

void filledAhead(benchmark::State &state, milliseconds fill, milliseconds compute) {
  FilledRows rows(fill, compute, kFilledRows);
  for (auto _ : state)
    rows.run();
}

/// The longer of the two, and nothing else.
void longerOfTheTwo(benchmark::State &state, milliseconds fill, milliseconds compute) {
  for (auto _ : state)
    for (unsigned row = 0; row < kFilledRows; ++row)
      std::this_thread::sleep_for(std::max(fill, compute));
}

/// Resident memory of a process, now and at most since the last forgetPeak() [bytes].
double residentBytes(const std::string &pid, const std::string &field) {
  std::ifstream status("/proc/" + pid + "/status");
  for (std::string word; status >> word;)
    if (word == field) {
      double kib = 0;
      status >> kib;
      return kib * 1024;
    }
  throw std::runtime_error("/proc does not tell " + field);
}
void forgetPeak(const std::string &pid) { std::ofstream("/proc/" + pid + "/clear_refs") << 5; }

/// Returns the resident memory of several processes together.
double residentBytes(const std::vector<std::string> &pids, const std::string &field) {
  double all = 0;
  for (const std::string &pid : pids)
    all += residentBytes(pid, field);
  return all;
}

/// Rows that are there at once, made ahead.
class Rows : public StreamCallback {
public:
  explicit Rows(std::size_t bytes) : bytes_(bytes) {}
  void fetch(void *p) override { std::memset(p, 1, bytes_); }
  Result prefetch(void *p) override {
    fetch(p);
    return Success;
  }
  void complete() override {}

private:
  std::size_t bytes_;
};

/// A stream of 32 MiB, and whom it goes to.
struct BigStream {
  const char *name;
  bool toHost;
  unsigned replicas, ipusPerReplica; ///< each IPU has as much of a row as the others
};
const BigStream kBigStreams[] = {{"stream_memory_in", false, 1, 1},
                                 {"stream_memory_out", true, 1, 1},
                                 {"stream_memory_in_2_ipus", false, 1, 2},
                                 {"stream_memory_out_2_ipus", true, 1, 2},
                                 {"stream_memory_broadcast", false, 2, 2}}; // one row for both

/// Measures the memory that a stream of N bytes takes on the host, and on the IPUs of a replica
/// together, at most, as a multiple of N.
void memoryOfAStream(benchmark::State &state, const BigStream &how) {
  constexpr std::size_t kBytes = 32 * kMiB;
  const Ipus opened(how.replicas * how.ipusPerReplica);
  const Device &device = opened.device;
  Graph graph(device, replication_factor(how.replicas));
  const Tensor data =
      graph.addVariable(UNSIGNED_INT, {kBytes / 4}, VariableMappingMethod::LINEAR, "data");
  const DataStream stream =
      how.toHost ? graph.addDeviceToHostFIFO("s", UNSIGNED_INT, kBytes / 4)
                 : graph.addHostToDeviceFIFO("s", UNSIGNED_INT, kBytes / 4,
                                             how.replicas > 1 ? ReplicatedStreamMode::BROADCAST
                                                              : ReplicatedStreamMode::REPLICATE,
                                             {{"bufferingDepth", std::to_string(kDepth)}});
  const Program copy = how.toHost ? Copy(data, stream) : Copy(stream, data);
  Engine engine(graph, Repeat(8, copy), ahead());
  engine.load(device);
  if (how.toHost)
    engine.connectStreamToCallback("s", [](void *) {});
  else
    engine.connectStreamToCallback("s", std::make_unique<Rows>(kBytes));
  const auto ipus = opened.cluster->pids();
  const double hostBefore = residentBytes("self", "VmRSS:"),
               ipusBefore = residentBytes(ipus, "VmRSS:");
  forgetPeak("self");
  for (const std::string &ipu : ipus)
    forgetPeak(ipu);
  for (auto _ : state)
    engine.run();
  const double n = kBytes, ofReplicas = n * how.replicas;
  state.counters["host_rows"] = (residentBytes("self", "VmHWM:") - hostBefore) / n;
  // The first row that arrives also makes the tiles' own memory resident: a part of it on each
  // tile, which touches a page more than it fills.
  const double ofTiles = how.toHost ? 0 : n + 4096.0 * graph.getTarget().getNumTiles();
  state.counters["ipu_rows"] =
      (residentBytes(ipus, "VmHWM:") - ipusBefore) / ofReplicas - ofTiles / n;
}

template <class Subject, class Reference>
void addEcho(const std::string &name, unsigned peers, std::size_t bytes, unsigned rows) {
  benchmark::RegisterBenchmark((name + "/subject").c_str(), thereAndBack<Subject>, peers, bytes,
                               rows)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark((name + "/reference").c_str(), thereAndBack<Reference>, peers, bytes,
                               rows)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
}

void registerAll() {
  addEcho<Echo, BareEcho>("stream_tcp_1MiB", 1, kMiB, 64);
  addEcho<Echo, BareEcho>("stream_tcp_64KiB", 1, kMiB / 16, 512);
  addEcho<Echo, BareEcho>("stream_tcp_4_replicas", 4, kMiB, 32);
  addEcho<LocalEcho, CopiedEcho>("stream_local_1MiB", 1, kMiB, 64);
  addEcho<LocalEcho, CopiedEcho>("stream_local_64KiB", 1, kMiB / 16, 512);
  addEcho<LocalEcho, CopiedEcho>("stream_local_4_replicas", 4, kMiB, 32);
  for (const auto &[name, fill, compute] :
       {std::tuple("prefetch_fill_1_compute_4", milliseconds(4), milliseconds(16)),
        {"prefetch_fill_1_compute_1", milliseconds(12), milliseconds(12)},
        {"prefetch_fill_4_compute_1", milliseconds(16), milliseconds(4)}}) {
    benchmark::RegisterBenchmark((std::string(name) + "/subject").c_str(), filledAhead, fill,
                                 compute)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((std::string(name) + "/reference").c_str(), longerOfTheTwo, fill,
                                 compute)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  for (const BigStream &how : kBigStreams)
    benchmark::RegisterBenchmark((std::string(how.name) + "/subject").c_str(), memoryOfAStream, how)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char **argv) {
  registerAll();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
