// How a replicated program scales: see README.md.
#include "chart.hpp"
#include "experiment.hpp"
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace {

std::ofstream create(const std::string &path) {
  std::ofstream file(path, std::ios::trunc);
  if (!file)
    throw std::runtime_error("cannot write '" + path + "'");
  return file;
}

void close(std::ofstream file, const std::string &path) {
  if (!file.flush())
    throw std::runtime_error("cannot write all of '" + path + "'");
}

void run(const scaling::Options &options) {
  // Before anything is computed: whether the results can be kept.
  std::ofstream csv = create(options.csv), svg = create(options.svg);
  const auto all = scaling::runExperiment(options, std::cerr);
  writeCsv(csv, all);
  const std::string title = "Weak scaling of '" + options.workload +
                            "': " + std::to_string(options.kibibytes) + " KiB and " +
                            std::to_string(options.cycles) + " cycles per replica and step";
  writeChart(svg, title, all);
  close(std::move(csv), options.csv);
  close(std::move(svg), options.svg);
  std::cout << "wrote " << options.csv << " and " << options.svg << '\n';
}

} // namespace

int main(int argc, char **argv) {
  const scaling::Options options = scaling::readOptions(argc, argv);
  try {
    run(options);
    return EXIT_SUCCESS;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "scaling: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
