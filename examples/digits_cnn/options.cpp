#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace digits_cnn {

Options readOptions(int argc, char **argv) {
  Options options;
  CLI::App app{"Trains a convolutional network on handwritten digits, on replicated IPUs, in "
               "PopLibs calls only.",
               "digits_cnn"};
  app.option_defaults()->always_capture_default();
  app.add_option("--replicas", options.replicas, "replicas of the graph, one IPU each")
      ->check(CLI::Range(1, 16));
  app.add_option("--epochs", options.epochs, "passes over the training images")
      ->check(CLI::Range(1, 10000));
  app.add_option("--batch", options.batch, "images of a micro-batch on one replica")
      ->check(CLI::Range(1, 256));
  app.add_option("--accumulate", options.accumulate, "micro-batches of a step")
      ->check(CLI::Range(1, 256));
  app.add_option("--seed", options.seed,
                 "seed of the initial weights and of the order of the images");
  app.add_option("--device", options.device, "device to run on")
      ->check(CLI::IsMember({"ipu", "ipumodel"}));
  app.add_option("--topology", options.topology, "topology of the IPU-Links")
      ->check(CLI::IsMember({"mesh", "torus"}));
  app.add_option("--json", options.json, "file to write the results to");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

} // namespace digits_cnn
