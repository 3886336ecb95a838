// digits: trains a two-layer perceptron on handwritten digits, replicated over IPUs. README.md says
// what to see.
#include "instances.hpp"
#include "options.hpp"
#include "report.hpp"
#include "training.hpp"

#include <cstdio>
#include <stdexcept>

int main(int argc, char **argv) {
  digits::Options options;
  int exitCode = 0;
  if (!digits::parseOptions(argc, argv, options, exitCode))
    return exitCode;
  try {
    digits::checkWritable(options.json); // before an hour of training, not after it
    const digits::Dataset dataset = digits::readDataset(options.data + "/digits.csv");
    const digits::Instances instances(options.replicas);
    options.replicas = instances.replicas();
    digits::checkShared(options, instances);
    if (!instances.isFirst()) { // the first one speaks for all
      digits::train(dataset, options, instances, digits::silence());
      return 0;
    }
    digits::printHeader(dataset, options);
    const digits::Results results =
        digits::train(dataset, options, instances,
                      digits::progressPrinter(options.epochs, !instances.areSeveral()));
    digits::printResults(results);
    if (!options.json.empty())
      digits::writeJson(results, options);
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw std::runtime_error("standard output cannot be written");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "digits: %s\n", error.what());
    return 1;
  }
  return 0;
}
