// transformer: a language model of characters learns a text, replicated and pipelined over IPUs,
// and writes one. README.md says what to see.
#include "options.hpp"
#include "report.hpp"
#include "training.hpp"

#include <cstdio>
#include <poplar/exceptions.hpp>
#include <stdexcept>

int main(int argc, char **argv) {
  transformer::Options options;
  int exitCode = 0;
  if (!transformer::parseOptions(argc, argv, options, exitCode))
    return exitCode;
  try {
    transformer::checkWritable(options.json); // before an hour of training, not after it
    const transformer::Text text = transformer::Text::fromFiles(options.text);
    options.model.shape.alphabet = text.alphabetSize();
    transformer::printHeader(text, options);
    const transformer::Results results =
        transformer::train(text, options, transformer::progressPrinter(options.steps));
    transformer::printResults(results);
    if (!options.json.empty())
      transformer::writeJson(results, options);
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
      throw std::runtime_error("standard output cannot be written");
  } catch (const poplar::graph_memory_allocation_error &error) {
    std::fprintf(stderr, "transformer: %s\ngive the model more tiles of each IPU: --tiles\n",
                 error.what());
    return 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "transformer: %s\n", error.what());
    return 1;
  }
  return 0;
}
