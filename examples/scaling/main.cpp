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

std::string titleOf(const scaling::Options &options) {
  std::string title = "'" + options.workload + "': ";
  if (options.sweep == scaling::SweepKind::Replicas)
    title += options.strong ? "strong scaling, " : "weak scaling, ";
  title += options.sweep == scaling::SweepKind::Replicas
               ? std::to_string(options.ipusPerReplica) + " IPUs per replica"
               : std::to_string(options.replicas) +
                     (options.sweep == scaling::SweepKind::IpusPerReplica ? " IPUs" : " replicas");
  return title + (options.device == "model-only" ? ", modelled without execution" : "");
}

void run(const scaling::Options &options) {
  // Before anything is computed: whether the results can be kept.
  std::ofstream csv = create(options.csv), svg = create(options.svg);
  const scaling::Sweep sweep = scaling::sweepOf(options);
  const auto all = scaling::runExperiment(options, sweep, std::cerr);
  writeCsv(csv, all);
  writeChart(svg, titleOf(options), sweep, all);
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
