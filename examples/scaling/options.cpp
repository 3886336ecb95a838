#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace scaling {

Options readOptions(int argc, char **argv) {
  Options options;
  CLI::App app{"How a replicated program scales: modelled throughput and efficiency over replicas, "
               "mesh and torus, hardware and software sync, prefetch on and off.",
               "scaling"};
  app.add_option("--workload", options.workload, "work of a step")
      ->check(CLI::IsMember({"training", "stencil", "streamed"}))
      ->capture_default_str();
  app.add_option("--most", options.most,
                 "largest number of replicas; the runs have 1, 2, 4, ... up to this")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps of the measured run")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--KiB", options.kibibytes, "data that each replica moves in a step [KiB]")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--cycles", options.cycles, "cycles of computation on each replica and step")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  app.add_option("--device", options.device,
                 "device to run on; both give the same figures, and ipu starts a process per IPU")
      ->check(CLI::IsMember({"ipumodel", "ipu"}))
      ->capture_default_str();
  app.add_option("--csv", options.csv, "file of the figures")->capture_default_str();
  app.add_option("--svg", options.svg, "file of the chart")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

} // namespace scaling
