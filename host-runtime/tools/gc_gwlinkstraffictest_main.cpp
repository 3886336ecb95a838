// gc-gwlinkstraffictest: measures the traffic of two IPU-Link domains of a pod over GW-Links, both
// directions at once.
#include "report.hpp"
#include "trial.hpp"

#include "machine/pods.hpp"
#include "wire/environment.hpp"

#include <algorithm>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>

namespace {

using namespace copse::tools;
using namespace poplar;

struct Options {
  std::string pod = "pod128";
  unsigned from = 0, to = 1; ///< the two domains
  unsigned machines = 0;     ///< machines that send; 0: all of a domain
  std::size_t bytes = 1 << 20;
  Workload work;
};

/// Chooses the pod of this process, which $COPSE_POD names for other programs.
copse::clock::Pod choosePod(const Options &options) {
  ::setenv("COPSE_POD", options.pod.c_str(), 1);
  const copse::clock::Pod pod = *copse::clock::parsePod(copse::machine::podText(options.pod));
  const unsigned domains = pod.ipus / std::min(pod.ipus, pod.ipusPerDomain);
  if (options.from >= domains || options.to >= domains || options.from == options.to)
    throw poplar_error("--from and --to must be two of the " + std::to_string(domains) +
                       " IPU-Link domains of pod '" + pod.name + "'");
  return pod;
}

Rows run(const Options &options) {
  const copse::clock::Pod pod = choosePod(options);
  const unsigned all = pod.ipusPerDomain / pod.ipusPerMachine;
  const unsigned machines = options.machines == 0 ? all : std::min(options.machines, all);
  IPUModel model;
  model.numIPUs = pod.ipus;
  model.tilesPerIPU = options.work.tiles;
  const Device device = model.createDevice({{"copse.execution", "modelled"}});
  device.attach();
  Graph graph(device);
  std::vector<Tensor> sources, targets;
  for (unsigned ipu = 0; ipu < machines * pod.ipusPerMachine; ++ipu)
    for (const auto &[from, to] :
         {std::pair{options.from, options.to}, {options.to, options.from}}) {
      const auto spread = [&](unsigned domain, const char *name) {
        return addSpread(graph, options.bytes, domain * pod.ipusPerDomain + ipu, options.work.tiles,
                         name);
      };
      sources.push_back(spread(from, "sent"));
      targets.push_back(spread(to, "received"));
    }
  const Trial trial = measure(
      device, graph,
      program::Repeat(options.work.iterations, program::Copy(concat(sources), concat(targets))));
  const double gigabits = 16e-9 * static_cast<double>(options.bytes) * options.work.iterations *
                          pod.ipusPerMachine * machines;
  return {{{"pod", pod.name},
           {"from_domain", options.from},
           {"to_domain", options.to},
           {"machines", machines},
           {"bytes_per_ipu", options.bytes},
           {"iterations", options.work.iterations},
           {"modelled_us", trial.modelledSeconds * 1e6},
           {"modelled_Gbps", gigabits / trial.modelledSeconds},
           {"modelled_Gbps_per_machine", gigabits / trial.modelledSeconds / machines}}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Measures traffic between two IPU-Link domains of a pod over GW-Links, both "
               "directions at once: modelled rates, summed over both directions. Each IPU sends to "
               "the one in its place of the other domain.",
               "gc-gwlinkstraffictest"};
  Options options;
  if (const std::string pod = copse::wire::environmentVariable("COPSE_POD"); !pod.empty())
    options.pod = pod;
  app.add_option("--pod", options.pod, "the pod, by its name or its file")->capture_default_str();
  app.add_option("--from", options.from, "one IPU-Link domain")->capture_default_str();
  app.add_option("--to", options.to, "the other domain")->capture_default_str();
  app.add_option("--machines", options.machines, "machines of a domain that send; 0: all")
      ->capture_default_str();
  app.add_option("--bytes", options.bytes, "bytes of one IPU, one direction and one iteration")
      ->check(CLI::Range(1 << 2, 1 << 24))
      ->capture_default_str();
  options.work.addOptions(app, "exchanges");
  return runTool(app, argc, argv, [&] { return run(options); });
}
