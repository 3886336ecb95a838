#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace transformer {

namespace {

void addTrainingOptions(CLI::App &app, Options &options) {
  app.add_option("--replicas", options.replicas,
                 "copies of the model; each learns a part of the text")
      ->check(CLI::Range(1, 16));
  app.add_option("--ipus-per-replica", options.model.stages, "IPUs that the blocks are spread over")
      ->check(CLI::Range(1, 16));
  app.add_option("--steps", options.steps, "updates of the parameters, a multiple of 10")
      ->check(CLI::Range(10, 1000000));
  app.add_option("--micro-batches", options.model.microBatches,
                 "of a step on one replica, whose gradients are added up")
      ->check(CLI::Range(1, 1024));
  app.add_option("--rate", options.rate, "highest rate of learning")->check(CLI::Range(1e-6, 1.0));
  app.add_option("--seed", options.model.seed,
                 "seed of the first parameters, of the excerpts, of dropout and of the sample");
}

void addModelOptions(CLI::App &app, Shape &shape) {
  app.add_option("--blocks", shape.blocks, "blocks of attention and feed-forward layers")
      ->check(CLI::Range(1, 64));
  app.add_option("--width", shape.width, "elements of an activation; a multiple of --heads")
      ->check(CLI::Range(4, 4096));
  app.add_option("--heads", shape.heads, "of attention")->check(CLI::Range(1, 64));
  app.add_option("--context", shape.context, "characters that a prediction may depend on")
      ->check(CLI::Range(4, 1024));
  app.add_option("--batch", shape.batch, "excerpts of a micro-batch")->check(CLI::Range(1, 256));
  app.add_option("--dropout", shape.dropout, "probability that an element is dropped")
      ->check(CLI::Range(0.0, 0.9));
}

void check(const Options &options) {
  const ModelOptions &model = options.model;
  if (model.shape.width % model.shape.heads != 0)
    throw CLI::ValidationError("--width", "must be a multiple of --heads");
  if (model.shape.blocks < model.stages)
    throw CLI::ValidationError("--ipus-per-replica",
                               "there must be a block for each IPU; see --blocks");
  if (options.steps % model.stepsPerRun != 0)
    throw CLI::ValidationError("--steps",
                               "must be a multiple of " + std::to_string(model.stepsPerRun));
  if (options.checkpoint && !std::getenv("COPSE_RBUFD") && !std::getenv("COPSE_CLUSTER"))
    throw CLI::ValidationError("--checkpoint", "no rbufd keeps remote buffers: start one and set "
                                               "COPSE_RBUFD to its endpoint, or use a cluster");
}

std::vector<std::string> shippedText() {
  std::vector<std::string> files;
  for (const char *const name :
       {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/cluster.md", "docs/codelets.md",
        "docs/environment.md", "docs/host-exchange.md", "docs/link-security.md", "docs/metrics.md",
        "docs/sync-groups.md", "docs/timing-model.md", "docs/tools.md"})
    files.push_back(std::string(TRANSFORMER_TEXT_DIR "/") + name);
  return files;
}

} // namespace

bool parseOptions(int argc, char **argv, Options &options, int &exitCode) {
  CLI::App app{"A transformer learns a text, character by character, on replicated and pipelined "
               "IPUs, and writes a text of its own.",
               "transformer"};
  app.option_defaults()->always_capture_default();
  addTrainingOptions(app, options);
  addModelOptions(app, options.model.shape);
  app.add_option("--tiles", options.model.tilesPerIpu, "tiles of each IPU that the model uses")
      ->check(CLI::Range(1, 1472));
  app.add_option("--device", options.device, "device to run on")
      ->check(CLI::IsMember({"ipu", "ipumodel", "cpu"}));
  app.add_option("--text", options.text, "files to learn, instead of Copse's documents");
  app.add_option("--sample", options.sample, "characters to write at the end")
      ->check(CLI::Range(0, 100000));
  app.add_option("--temperature", options.temperature,
                 "of the sample; lower ones keep closer to the likeliest characters")
      ->check(CLI::Range(0.05, 5.0));
  app.add_flag(
      "--checkpoint", options.checkpoint,
      "keep the training in rbufd; continue where an earlier run stopped, or if an IPU fails");
  app.add_option("--json", options.json, "file to write the results to");
  try {
    app.parse(argc, argv);
    check(options);
    if (options.text.empty())
      options.text = shippedText();
    if (options.checkpoint) // rows without a name end with the program
      ::setenv("COPSE_RBUFD_NAME", "transformer", 0);
    return true;
  } catch (const CLI::ParseError &error) {
    const int code = app.exit(error); // prints the help or what is wrong
    exitCode = code == 0 ? 0 : 2;
    return false;
  }
}

} // namespace transformer
