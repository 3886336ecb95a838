// One of several host programs that run the replicas of one program between them, each started with
// the number of its first replica and how many it runs:
//
//     replica_program FIRST NUMBER REPLICAS IPUS [runs=N | forever | alone] [scale=X] [loads=N]
//                     [clock] [sleep=MS] [extra=N]
//
// Each run trains a vector: data come by a stream for each replica, gradients are summed over all
// replicas, weights go to the host and to a remote buffer. The program prints, for each of its
// replicas, a hash of all that came out and the modelled cycles of all runs. "forever" runs until
// that fails, and says why; "alone" runs a program in which replicas do not communicate. "clock"
// prints the clocks after each run, and the latest clock of a callback in it; before each run it
// sleeps for MS milliseconds and makes N runs in which replicas do not communicate.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace poplar;

namespace {

constexpr unsigned kElements = 48;

struct Arguments {
  unsigned first, number, replicas, ipus, runs = 3, loads = 1, sleep = 0, extra = 0;
  bool forever = false, alone = false, clock = false;
  float scale = 1;
};

Arguments parse(int argc, char **argv) {
  const auto number = [&](int at) { return static_cast<unsigned>(std::atoi(argv[at])); };
  Arguments all{number(1), number(2), number(3), number(4)};
  for (int at = 5; at < argc; ++at) {
    const std::string word = argv[at];
    all.forever = all.forever || word == "forever";
    all.alone = all.alone || word == "alone";
    all.clock = all.clock || word == "clock";
    if (word.rfind("runs=", 0) == 0)
      all.runs = static_cast<unsigned>(std::atoi(word.c_str() + 5));
    if (word.rfind("loads=", 0) == 0)
      all.loads = static_cast<unsigned>(std::atoi(word.c_str() + 6));
    if (word.rfind("sleep=", 0) == 0)
      all.sleep = static_cast<unsigned>(std::atoi(word.c_str() + 6));
    if (word.rfind("extra=", 0) == 0)
      all.extra = static_cast<unsigned>(std::atoi(word.c_str() + 6));
    if (word.rfind("scale=", 0) == 0)
      all.scale = static_cast<float>(std::atof(word.c_str() + 6));
  }
  return all;
}

/// Returns a vector over the IPUs of a replica.
Tensor spread(Graph &graph, const char *name) {
  const Tensor tensor = graph.addVariable(FLOAT, {kElements}, name);
  const unsigned ipus = graph.getTarget().getNumIPUs(), part = kElements / ipus;
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    graph.setTileMapping(tensor.slice(ipu * part, (ipu + 1) * part),
                         ipu * graph.getTarget().getTilesPerIPU());
  return tensor;
}

const char *const kCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Product : public Vertex {
public:
  Input<Vector<float>> a, b;
  Output<Vector<float>> out;
  void compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = a[i] * b[i];
  }
};
class Add : public Vertex {
public:
  InOut<Vector<float>> to;
  Input<Vector<float>> from;
  void compute() {
    for (unsigned i = 0; i < to.size(); ++i)
      to[i] += from[i];
  }
};
class Update : public Vertex {
public:
  InOut<Vector<float>> weights;
  Input<Vector<float>> gradient;
  Input<float> rate;
  float scale;
  void compute() {
    for (unsigned i = 0; i < weights.size(); ++i)
      weights[i] -= scale * rate * gradient[i];
  }
};
)";

/// Returns a compute set with one vertex of \p codelet for each IPU.
/// \param tensors  its fields, each a vector over the IPUs
program::Program onEachIpu(Graph &graph, const char *codelet,
                           const std::map<std::string, Tensor> &tensors,
                           const std::function<void(VertexRef)> &others = {}) {
  const ComputeSet set = graph.addComputeSet(codelet);
  const unsigned ipus = graph.getTarget().getNumIPUs(), part = kElements / ipus;
  for (unsigned ipu = 0; ipu < ipus; ++ipu) {
    const VertexRef vertex = graph.addVertex(set, codelet);
    graph.setTileMapping(vertex, ipu * graph.getTarget().getTilesPerIPU());
    for (const auto &[field, tensor] : tensors)
      graph.connect(vertex[field], tensor.slice(ipu * part, (ipu + 1) * part));
    if (others)
      others(vertex);
  }
  return program::Execute(set);
}

/// Sets \p sum to the sum of \p data over all replicas, which pass their data round a ring.
program::Program addOverReplicas(Graph &graph, const Tensor &data, const Tensor &sum) {
  const Tensor travelling = spread(graph, "travelling"), incoming = spread(graph, "incoming");
  std::map<unsigned, unsigned> next;
  const unsigned replicas = graph.getReplicationFactor();
  for (unsigned replica = 0; replica < replicas; ++replica)
    next[replica] = (replica + 1) % replicas;
  return program::Sequence(
      {program::Copy(data, sum), program::Copy(data, travelling),
       program::Repeat(
           replicas - 1,
           program::Sequence({program::CrossReplicaCopy(travelling, incoming, next),
                              program::Copy(incoming, travelling),
                              onEachIpu(graph, "Add", {{"to", sum}, {"from", travelling}})}))});
}

std::vector<program::Program> build(Graph &graph, float scale) {
  std::stringstream codelets(kCodelets);
  graph.addCodelets(codelets);
  const Tensor x = spread(graph, "x"), w = spread(graph, "w"), y = spread(graph, "y");
  const Tensor gradient = spread(graph, "gradient"), sum = spread(graph, "sum");
  const Tensor rate = graph.addVariable(FLOAT, {}, "rate");
  graph.setTileMapping(rate, 0);
  graph.createHostWrite("w", w);
  const auto in = graph.addHostToDeviceFIFO("in", FLOAT, kElements);
  const auto rates = graph.addHostToDeviceFIFO("rate", FLOAT, 1, ReplicatedStreamMode::BROADCAST);
  const auto out = graph.addDeviceToHostFIFO("out", FLOAT, kElements);
  const auto kept = graph.addRemoteBuffer("kept", FLOAT, kElements);
  const Tensor index = graph.addReplicationIndexConstant("index");
  graph.setTileMapping(index, 0);

  // Replica 0 takes longer than the others at the end, where no other replica waits for it.
  const program::Program longer = onEachIpu(graph, "Add", {{"to", y}, {"from", w}});
  program::Sequence step({program::Copy(in, x), program::Copy(rates, rate),
                          onEachIpu(graph, "Product", {{"a", x}, {"b", w}, {"out", gradient}}),
                          addOverReplicas(graph, gradient, sum),
                          onEachIpu(graph, "Update", {{"weights", w}, {"gradient", sum}},
                                    [&](VertexRef vertex) {
                                      graph.connect(vertex["rate"], rate);
                                      graph.setInitialValue(vertex["scale"], scale);
                                    }),
                          program::Copy(w, out), program::Copy(w, kept),
                          program::Switch(index, {{0, program::Repeat(50, longer)}})});
  graph.createHostRead("cycles", cycleCount(graph, step, 0, "cycles"));
  return {step, program::PrintTensor("index", index)};
}

std::uint64_t hashed(std::uint64_t hash, const std::vector<float> &values) {
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x100000001B3ULL;
  }
  return hash;
}

template <class Clock> long long nanoseconds() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

/// The results of a replica.
struct Results {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  std::uint64_t cycles = 0;
};

class Training {
public:
  Training(Engine &engine, const Arguments &arguments)
      : engine_(engine), arguments_(arguments), first_(arguments.first), results_(arguments.number),
        sent_(arguments.number) {
    for (unsigned replica = 0; replica < arguments.number; ++replica) {
      engine.connectStreamToCallback("in", replica, [this, replica](void *to) {
        auto *values = static_cast<float *>(to);
        const unsigned number = first_ + replica, step = sent_[replica]++;
        for (unsigned i = 0; i < kElements; ++i)
          values[i] = 1.0F / static_cast<float>(1 + i + 7 * number + 3 * step);
      });
      engine.connectStreamToCallback("out", replica, [this, replica](void *from) {
        const auto *values = static_cast<const float *>(from);
        results_[replica].hash = hashed(results_[replica].hash, {values, values + kElements});
        called_ = std::max(called_, nanoseconds<std::chrono::steady_clock>());
      });
    }
    engine.connectStreamToCallback("rate", [this](void *to) {
      const float rate = 0.5F / static_cast<float>(++rates_);
      std::memcpy(to, &rate, sizeof rate);
    });
  }

  void begin() {
    std::vector<float> weights(kElements);
    for (unsigned i = 0; i < kElements; ++i)
      weights[i] = 1.0F + 0.25F * static_cast<float>(i);
    engine_.writeTensor("w", weights.data(), weights.data() + kElements);
  }

  void run() {
    std::this_thread::sleep_for(std::chrono::milliseconds(arguments_.sleep));
    for (unsigned extra = 0; extra < arguments_.extra; ++extra)
      engine_.run(1);
    engine_.run(0);
    if (arguments_.clock)
      std::printf("clocks: %lld %lld\ncalled: %lld\n", nanoseconds<std::chrono::steady_clock>(),
                  nanoseconds<std::chrono::system_clock>(), called_);
    std::vector<std::uint32_t> cycles(2 * results_.size());
    engine_.readTensor("cycles", cycles.data(), cycles.data() + cycles.size());
    for (unsigned replica = 0; replica < results_.size(); ++replica) {
      results_[replica].cycles += cycles[2 * replica];
      std::vector<float> kept(kElements);
      engine_.copyFromRemoteBuffer("kept", kept.data(), 0, replica);
      results_[replica].hash = hashed(results_[replica].hash, kept);
    }
  }

  void print() const {
    for (unsigned replica = 0; replica < results_.size(); ++replica)
      std::printf("replica %u: %016llx %llu\n", first_ + replica,
                  static_cast<unsigned long long>(results_[replica].hash),
                  static_cast<unsigned long long>(results_[replica].cycles));
    std::fflush(stdout);
  }

private:
  Engine &engine_;
  Arguments arguments_;
  unsigned first_;
  std::vector<Results> results_;
  std::vector<unsigned> sent_;
  unsigned rates_ = 0;
  long long called_ = 0; ///< the latest clock of a callback [ns]
};

Device attached(unsigned ipus) {
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, ipus))
    if (device.attach())
      return std::move(device);
  throw poplar_error("no device is free");
}

void run(const Arguments &arguments) {
  const Device device = attached(arguments.number * arguments.ipus);
  // The graph is the whole program's; the device is this host program's share of it.
  Graph graph(Target::createIPUTarget(arguments.replicas * arguments.ipus, "ipu2"),
              replication_factor(arguments.replicas));
  OptionFlags options{{"target.syncReplicasIndependently", "true"}};
  if (arguments.number < arguments.replicas)
    for (const auto &[name, value] :
         OptionFlags{{"target.firstRuntimeReplica", std::to_string(arguments.first)},
                     {"target.numberRuntimeReplica", std::to_string(arguments.number)}})
      options.set(name, value);
  Engine engine(graph, build(graph, arguments.scale), options);
  Training training(engine, arguments);
  for (unsigned load = 0; load < arguments.loads; ++load) {
    engine.load(device);
    std::puts("loaded");
    std::fflush(stdout);
    if (arguments.alone)
      return engine.run(1);
    training.begin();
    for (unsigned run = 0; run < arguments.runs; ++run)
      training.run();
  }
  training.print();
  while (arguments.forever)
    training.run();
}

} // namespace

int main(int argc, char **argv) {
  try {
    run(parse(argc, argv));
  } catch (const recoverable_runtime_error &error) {
    std::printf("recoverable: %s\n", error.what());
    return 5;
  } catch (const std::exception &error) {
    std::printf("error: %s\n", error.what());
    return 4;
  }
  return 0;
}
