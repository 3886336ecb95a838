#include "options.hpp"

#include "workloads.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>

namespace scaling {
namespace {

// Most IPUs that can execute. The IPUs of an ipumodel share the descriptors of one process, and
// each pair of IPUs takes some.
constexpr unsigned kMostOfModel = 64, kMostProcesses = 256;

const std::map<std::string, SweepKind> kSweeps{{"replicas", SweepKind::Replicas},
                                               {"ipus", SweepKind::IpusPerReplica},
                                               {"batch", SweepKind::Batch},
                                               {"accumulation", SweepKind::Accumulation}};

void addSetups(CLI::App &app, Options &options) {
  const auto add = [&](const char *name, std::vector<std::string> &values, const char *what) {
    app.add_option(name, values, what)
        ->check(CLI::IsMember(std::vector<std::string>(values)))
        ->delimiter(',')
        ->capture_default_str();
  };
  add("--topology", options.topologies, "topologies of the IPU-Links");
  add("--sync", options.syncs, "who takes part in syncs with the host");
  add("--prefetch", options.prefetches, "whether rows are filled ahead of time");
}

/// Checks combinations of options.
void check(const Options &options) {
  const bool alongReplicas = options.sweep == SweepKind::Replicas;
  if (options.strong && !alongReplicas)
    throw CLI::ValidationError("--strong", "is for --sweep replicas");
  if (options.sweep == SweepKind::IpusPerReplica && options.replicas % options.most != 0)
    throw CLI::ValidationError("--most", "the IPUs (--replicas) cannot be divided into replicas of "
                                         "that many");
  const unsigned ipus = (alongReplicas ? options.most : options.replicas) * options.ipusPerReplica;
  const unsigned most = options.device == "ipu" ? kMostProcesses : kMostOfModel;
  if (ipus > most && options.device != "model-only")
    throw CLI::ValidationError("--device", std::to_string(ipus) + " IPUs are more than the " +
                                               std::to_string(most) + " of device " +
                                               options.device + "; use --device model-only");
}

} // namespace

Options readOptions(int argc, char **argv) {
  Options options;
  CLI::App app{
      "How a replicated program scales: modelled throughput, efficiency, and where the time goes.",
      "scaling"};
  app.option_defaults()->always_capture_default();
  app.add_option("--workload", options.workload, "work of a step")
      ->check(CLI::IsMember(workloadNames()));
  app.add_option("--sweep", options.sweep, "the figure that grows")
      ->transform(
          CLI::CheckedTransformer(kSweeps).description("{replicas,ipus,batch,accumulation}"))
      ->default_str("replicas");
  app.add_flag("--strong", options.strong,
               "the samples of a step are the same for all numbers of replicas: fewer replicas do\n"
               "more micro-batches");
  app.add_option("--most", options.most,
                 "largest value of the sweep; the runs have 1, 2, 4, ... up to this")
      ->check(CLI::Range(1, 4096));
  app.add_option("--replicas", options.replicas,
                 "replicas in a sweep of something else; with --sweep ipus, IPUs of all replicas")
      ->check(CLI::Range(1, 1024));
  app.add_option("--ipus-per-replica", options.ipusPerReplica, "IPUs of a replica")
      ->check(CLI::Range(1, 16));
  app.add_option("--batch", options.batch, "samples of a micro-batch on one replica")
      ->check(CLI::Range(1, 1024));
  app.add_option("--accumulate", options.accumulate, "micro-batches of a step")
      ->check(CLI::Range(1, 1024));
  app.add_option("--steps", options.steps, "steps of the measured run")
      ->check(CLI::Range(1, 10000));
  app.add_option("--KiB", options.kibibytes, "gradients, or a halo row [KiB]")
      ->check(CLI::Range(1, 65536));
  app.add_option("--sample-bytes", options.sampleBytes, "a sample that comes from the host [bytes]")
      ->check(CLI::Range(4, 65536));
  app.add_option("--cycles", options.cycles, "cycles of computation for a sample, on one IPU")
      ->check(CLI::Range(0, 1000000000));
  addSetups(app, options);
  app.add_option("--device", options.device,
                 "device to run on; all give the same figures. ipu starts a process per IPU,\n"
                 "model-only executes nothing")
      ->check(CLI::IsMember({"ipumodel", "ipu", "model-only"}));
  app.add_option("--csv", options.csv, "file of the figures");
  app.add_option("--svg", options.svg, "file of the chart");
  try {
    app.parse(argc, argv);
    check(options);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

} // namespace scaling
