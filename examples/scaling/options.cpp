#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace scaling {

Options readOptions(int argc, char **argv) {
  Options options;
  CLI::App app{"How a replicated program scales: modelled throughput and efficiency over replicas, "
               "mesh and torus, hardware and software sync, prefetch on and off.",
               "scaling"};
  app.add_option("--workload", options.workload, "what a step does")
      ->check(CLI::IsMember({"training", "stencil", "streamed"}))
      ->capture_default_str();
  app.add_option("--most", options.most, "replicas: 1, 2, 4, ... up to this")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps of the measured run")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--KiB", options.kibibytes, "that each replica moves in a step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  app.add_option("--cycles", options.cycles, "of computation on each replica and step")
      ->check(CLI::Range(0, 1000000000))
      ->capture_default_str();
  app.add_option("--device", options.device,
                 "the same figures on both; ipu takes a process per IPU")
      ->check(CLI::IsMember({"ipumodel", "ipu"}))
      ->capture_default_str();
  app.add_option("--csv", options.csv, "where the figures go")->capture_default_str();
  app.add_option("--svg", options.svg, "where the chart goes")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

} // namespace scaling
