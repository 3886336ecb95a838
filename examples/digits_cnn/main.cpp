// digits_cnn: trains a small convolutional network on handwritten digits, replicated over IPUs. All
// operations are PopLibs calls. README.md says what to see.
#include "../digits/report.hpp"
#include "options.hpp"
#include "training.hpp"

#include <cstdio>
#include <stdexcept>

int main(int argc, char **argv) {
  const digits_cnn::Options options = digits_cnn::readOptions(argc, argv);
  try {
    digits::checkWritable(options.json);
    const digits::Dataset dataset = digits::readDataset(DIGITS_DATA_DIR "/digits.csv");
    digits::printHeader(dataset, options);
    const digits::Results results =
        digits_cnn::train(dataset, options, digits::progressPrinter(options.epochs));
    digits::printResults(results);
    if (!options.json.empty())
      digits::writeJson(results, options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "digits_cnn: %s\n", error.what());
    return 1;
  }
  return 0;
}
