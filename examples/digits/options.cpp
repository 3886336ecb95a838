#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <stdexcept>

namespace digits {

bool parseOptions(int argc, char **argv, Options &options, int &exitCode) {
  options.data = DIGITS_DATA_DIR;
  CLI::App app{"Trains a two-layer perceptron on handwritten digits, on replicated IPUs.",
               "digits"};
  app.option_defaults()->always_capture_default();
  app.add_option("--replicas", options.replicas, "replicas of the graph, one IPU each")
      ->check(CLI::Range(1, 16));
  app.add_option("--epochs", options.epochs, "passes over the training images")
      ->check(CLI::Range(1, 10000));
  app.add_option("--batch", options.batch, "images of one step on one replica")
      ->check(CLI::Range(1, 256));
  app.add_option("--seed", options.seed,
                 "seed of the initial weights and of the order of the images");
  app.add_option("--device", options.device, "device to run on")
      ->check(CLI::IsMember({"ipu", "ipumodel", "cpu"}));
  app.add_option("--topology", options.topology, "topology of the IPU-Links")
      ->check(CLI::IsMember({"mesh", "torus"}));
  app.add_flag("--checkpoint", options.checkpoint,
               "keep each epoch in rbufd; continue from the last one if an IPU fails or is lost,\n"
               "or if an earlier run did not finish");
  app.add_option("--data", options.data, "folder of digits.csv and codelets.cpp");
  app.add_option("--json", options.json, "file to write the results to");
  try {
    app.parse(argc, argv);
    if (options.checkpoint && !std::getenv("COPSE_RBUFD") && !std::getenv("COPSE_CLUSTER"))
      throw CLI::ValidationError("--checkpoint", "no rbufd keeps remote buffers: start one and set "
                                                 "COPSE_RBUFD to its endpoint, or use a cluster");
    if (options.checkpoint) // rows without a name end with the program
      ::setenv("COPSE_RBUFD_NAME", "digits", 0);
    return true;
  } catch (const CLI::ParseError &error) {
    const int code = app.exit(error); // prints the help or what is wrong
    exitCode = code == 0 ? 0 : 2;
    return false;
  }
}

void checkShared(const Options &options, const Instances &instances) {
  if (instances.areSeveral() && options.checkpoint)
    throw std::runtime_error("--checkpoint is for one host program: poprun has started several");
  if (instances.areSeveral() && options.device != "ipu")
    throw std::runtime_error("--device " + options.device +
                             ": several host programs share IPUs only; poprun has started several");
}

} // namespace digits
