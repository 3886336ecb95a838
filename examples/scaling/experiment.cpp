#include "experiment.hpp"

#include "workloads.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/StreamCallback.hpp>
#include <utility>

namespace scaling {
namespace {

poplar::Device openDevice(const Options &options, const Setup &setup, unsigned ipus) {
  const poplar::OptionFlags flags{{"ipuLinkTopology", setup.topology}};
  if (options.device == "ipumodel") {
    poplar::IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = kTiles; // more would only take memory
    return model.createDevice(flags);
  }
  for (poplar::Device &device :
       poplar::DeviceManager().getDevices(poplar::TargetType::IPU, ipus, flags))
    if (device.attach())
      return std::move(device);
  throw poplar::poplar_error("no device of " + std::to_string(ipus) +
                             " IPUs is free; set COPSE_IPUS");
}

/// Batches of ones, which are there before anybody asks for them.
class Batches : public poplar::StreamCallback {
public:
  explicit Batches(unsigned elements) : elements_(elements) {}
  Result prefetch(void *p) override {
    fetch(p);
    return Result::Success;
  }
  void fetch(void *p) override { std::fill_n(static_cast<float *>(p), elements_, 1.0f); }
  void complete() override {}

private:
  unsigned elements_;
};

/// Modelled cycles of the second of two runs: streams have been prefetched then as they will be
/// from now on.
double cyclesOf(poplar::Engine &engine) {
  engine.run();
  engine.run();
  const poplar::ProfileValue profile = engine.getExecutionProfile();
  const poplar::ProfileValue &run = profile["runs"].asVector().at(1);
  return static_cast<double>(run["to"].asUint64() - run["from"].asUint64());
}

Point measure(const Options &options, const Setup &setup, unsigned replicas) {
  const poplar::Device device = openDevice(options, setup, replicas);
  poplar::Graph graph(device, poplar::replication_factor(replicas));
  const Workload workload(graph, options);
  poplar::Engine engine(graph, workload.program(),
                        {{"opt.enableSwSyncs", setup.softwareSync ? "true" : "false"},
                         {"exchange.enablePrefetch", setup.prefetch ? "true" : "false"},
                         {"exchange.streamBufferOverlap", "none"},
                         {"debug.instrument", "true"}});
  std::vector<float> out(replicas);
  for (unsigned replica = 0; workload.reads() && replica < replicas; ++replica)
    engine.connectStreamToCallback("in", replica, std::make_unique<Batches>(workload.in()));
  if (workload.writes())
    engine.connectStream("out", out.data(), out.data() + out.size());
  engine.load(device);
  Point point;
  point.replicas = replicas;
  point.cycles = cyclesOf(engine) / options.steps;
  point.throughput = replicas / (point.cycles / graph.getTarget().getTileClockFrequency());
  return point;
}

std::vector<Setup> allSetups() {
  std::vector<Setup> all;
  for (const char *topology : {"mesh", "torus"})
    for (const bool softwareSync : {false, true})
      for (const bool prefetch : {false, true})
        all.push_back({topology, softwareSync, prefetch});
  return all;
}

} // namespace

std::string Setup::name() const {
  return topology + (softwareSync ? ", software sync" : ", hardware sync") +
         (prefetch ? ", prefetch" : "");
}

std::vector<Series> runExperiment(const Options &options, std::ostream &progress) {
  std::vector<Series> all;
  for (const Setup &setup : allSetups()) {
    Series series{setup, {}};
    for (unsigned replicas = 1; replicas <= options.most; replicas *= 2) {
      Point point = measure(options, setup, replicas);
      const double one = series.points.empty() ? point.throughput : series.points[0].throughput;
      point.efficiency = point.throughput / (one * replicas);
      series.points.push_back(point);
      progress << setup.name() << ": " << replicas << " replicas, " << point.cycles
               << " cycles per step, efficiency " << point.efficiency << std::endl;
    }
    all.push_back(std::move(series));
  }
  return all;
}

void writeCsv(std::ostream &out, const std::vector<Series> &all) {
  out << "topology,sync,prefetch,replicas,cycles_per_step,throughput_per_s,efficiency\n";
  out.precision(9);
  for (const Series &series : all)
    for (const Point &point : series.points)
      out << series.setup.topology << ',' << (series.setup.softwareSync ? "software" : "hardware")
          << ',' << (series.setup.prefetch ? "on" : "off") << ',' << point.replicas << ','
          << point.cycles << ',' << point.throughput << ',' << point.efficiency << '\n';
}

} // namespace scaling
