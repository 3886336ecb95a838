#include "experiment.hpp"

#include "workloads.hpp"

#include <memory>
#include <ostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <stdexcept>
#include <utility>

namespace scaling {
namespace {

poplar::Device openDevice(const Options &options, const Setup &setup, unsigned ipus) {
  poplar::OptionFlags flags{{"ipuLinkTopology", setup.topology}};
  if (options.device != "ipu") {
    if (options.device == "model-only")
      flags.set("copse.execution", "modelled");
    poplar::IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = kTiles; // more would only take memory
    return model.createDevice(flags);
  }
  for (poplar::Device &device :
       poplar::DeviceManager().getDevices(poplar::TargetType::IPU, ipus, flags))
    if (device.attach())
      return device.createVirtualDevice(kTiles); // as many as the model has
  throw poplar::poplar_error("no device of " + std::to_string(ipus) +
                             " IPUs is free; set COPSE_IPUS");
}

/// Fills in what an engine's second run of the step has taken: streams have been prefetched then as
/// they will be from now on.
void readProfile(poplar::Engine &engine, double steps, Point &point) {
  const poplar::ProfileValue profile = engine.getExecutionProfile();
  const poplar::ProfileValue &run = profile["runs"].asVector().at(2);
  point.cycles = static_cast<double>(run["to"].asUint64() - run["from"].asUint64()) / steps;
  const auto &kinds = run.asMap();
  const auto found = kinds.find("cycles");
  if (found == kinds.end())
    throw std::runtime_error("the profile does not tell where the cycles went");
  const auto of = [&](const char *kind) {
    return static_cast<double>(found->second[kind].asUint64()) / steps;
  };
  point.split = {of("compute"), of("internalExchange") + of("globalExchange"), of("sync"),
                 of("hostExchange")};
}

Point measure(const Options &options, const Setup &setup, const Scale &scale) {
  const poplar::Device device = openDevice(options, setup, scale.ipus());
  poplar::Graph graph(device, poplar::replication_factor(scale.replicas));
  const Work work = workloadNamed(options.workload)(graph, options, scale);
  poplar::Engine engine(graph, {work.initialise, poplar::program::Repeat(options.steps, work.step)},
                        {{"opt.enableSwSyncs", setup.softwareSync ? "true" : "false"},
                         {"exchange.enablePrefetch", setup.prefetch ? "true" : "false"},
                         {"exchange.streamBufferOverlap", "none"},
                         {"debug.instrument", "true"},
                         {"autoReport.executionProfileProgramRunCount", "3"}});
  for (const HostStream &stream : work.streams)
    for (unsigned replica = 0; replica < scale.replicas; ++replica)
      engine.connectStreamToCallback(stream.handle, replica, stream.callback(replica));
  engine.load(device);
  engine.run(0);
  engine.run(1);
  engine.run(1);
  Point point;
  point.scale = scale;
  readProfile(engine, options.steps, point);
  point.throughput =
      scale.samplesPerStep() / (point.cycles / graph.getTarget().getTileClockFrequency());
  return point;
}

std::vector<Setup> setupsOf(const Options &options) {
  std::vector<Setup> all;
  for (const std::string &topology : options.topologies)
    for (const std::string &sync : options.syncs)
      for (const std::string &prefetch : options.prefetches)
        all.push_back({topology, sync == "software", prefetch == "on"});
  return all;
}

} // namespace

std::string Setup::name() const {
  return topology + (softwareSync ? ", software sync" : ", hardware sync") +
         (prefetch ? ", prefetch" : "");
}

std::vector<Series> runExperiment(const Options &options, const Sweep &sweep,
                                  std::ostream &progress) {
  std::vector<Series> all;
  for (const Setup &setup : setupsOf(options)) {
    Series series{setup, {}};
    for (const Scale &scale : sweep.scales) {
      Point point = measure(options, setup, scale);
      const Point &first = series.points.empty() ? point : series.points.front();
      point.efficiency = point.throughput / scale.ipus() / (first.throughput / first.scale.ipus());
      series.points.push_back(point);
      progress << setup.name() << ": " << sweep.along(scale) << ' ' << sweep.axis << ", "
               << point.cycles << " cycles per step, efficiency " << point.efficiency << std::endl;
    }
    all.push_back(std::move(series));
  }
  return all;
}

void writeCsv(std::ostream &out, const std::vector<Series> &all) {
  out << "topology,sync,prefetch,replicas,ipus_per_replica,batch,accumulation,cycles_per_step,"
         "compute,exchange,sync_wait,host,samples_per_s,efficiency\n";
  out.precision(9);
  for (const Series &series : all)
    for (const auto &[scale, cycles, split, throughput, efficiency] : series.points)
      out << series.setup.topology << ',' << (series.setup.softwareSync ? "software" : "hardware")
          << ',' << (series.setup.prefetch ? "on" : "off") << ',' << scale.replicas << ','
          << scale.ipusPerReplica << ',' << scale.batch << ',' << scale.accumulate << ',' << cycles
          << ',' << split.compute << ',' << split.exchange << ',' << split.sync << ',' << split.host
          << ',' << throughput << ',' << efficiency << '\n';
}

} // namespace scaling
