// digits: trains a two-layer perceptron on handwritten digits, replicated over IPUs. README.md says
// what to see.
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
    digits::printHeader(dataset, options);
    const digits::Results results =
        digits::train(dataset, options, digits::progressPrinter(options.epochs));
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
