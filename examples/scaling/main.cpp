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

std::string counted(unsigned number, const std::string &what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

std::string titleOf(const scaling::Options &options) {
  const std::string of = " of " + counted(options.ipusPerReplica, "IPU");
  std::string title = "'" + options.workload + "': ";
  switch (options.sweep) {
  case scaling::SweepKind::Replicas:
    title += std::string(options.strong ? "strong" : "weak") + " scaling over replicas" + of;
    break;
  case scaling::SweepKind::IpusPerReplica:
    title += counted(options.replicas, "IPU") + " as few or many replicas";
    break;
  case scaling::SweepKind::Batch:
  case scaling::SweepKind::Accumulation:
    title += counted(options.replicas, "replica") + of;
    break;
  }
  if (options.sweep != scaling::SweepKind::Batch)
    title += ", batch " + std::to_string(options.batch);
  return title + (options.device == "model-only" ? "; modelled without execution" : "");
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
