#include "scale.hpp"

#include "modelled_clock.hpp"
#include "report.hpp"
#include "scale_page.hpp"
#include "scale_points.hpp"
#include "scale_runs.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace copse::tools {
namespace {

void addList(CLI::App &command, const char *name, std::vector<std::string> &values,
             const char *what) {
  command.add_option(name, values, what)->delimiter(',')->allow_extra_args(false);
}

std::ofstream create(const std::filesystem::path &path) {
  std::ofstream file(path, std::ios::trunc);
  if (!file)
    throw std::runtime_error("cannot write '" + path.string() +
                             "'; choose another file with --output");
  return file;
}

void close(std::ofstream file, const std::filesystem::path &path) {
  if (!file.flush())
    throw std::runtime_error("cannot write all of '" + path.string() + "'");
  std::cout << path.string() << '\n';
}

} // namespace

void addScaleOptions(CLI::App &command, ScaleRequest &request) {
  command.add_option("--replicas", request.replicas,
                     "numbers that {} or {replicas} in the command stands for: 1,2,4,...,1024");
  command.add_option("--ipus", request.ipus, "numbers for {ipus}, or {} if only they are given");
  command.add_option("--batch", request.batch, "numbers for {batch}, or {} if only they are given");
  addList(command, "--topologies", request.topologies, "topologies of the IPU-Links: mesh,torus");
  addList(command, "--syncs", request.syncs,
          "sync configurations: intraReplicaAndAll,ipuAndAll,intraReplicaAndLadder");
  addList(command, "--pods", request.pods,
          "pods whose machines the modelled clock takes: pod16,...");
  addList(command, "--hosts", request.hosts, "numbers of hosts of the pods");
  command
      .add_option("--with", request.with,
                  "NAME=VALUE,...: values for {NAME}, one for each number of the list that is "
                  "swept, such as a size that grows with the number of IPUs")
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--samples", request.samples,
                  "samples that a run processes on one replica, for the throughput; one number, "
                  "or one for each number of the list that is swept")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber)
      ->default_str("1");
  command.add_flag("--strong", request.isStrong,
                   "a run processes --samples on all replicas together");
  command
      .add_option("--program", request.program,
                  "number of the program of the engine whose runs count; default: all runs")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--figure", request.figure,
                     "take the throughput from the program's output instead: a regular expression "
                     "whose first group is the number; the program runs with --clock modelled");
  command.add_option("--assume", request.assumptions, "as for copse run")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--jobs", request.jobs,
                     "points that run at one time; default: one on each processor");
  command.add_option("--timeout", request.timeout, "longest time of a point [s]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("-o,--output", request.output, "the page; the figures go to a .csv beside it")
      ->capture_default_str();
  command.add_option("command", request.command, "the program and its arguments")->required();
  command.positionals_at_end();
  command.prefix_command();
}

int scaleProgram(const ScaleRequest &request) {
  std::vector<ScalePoint> points = pointsOf(request);
  const std::filesystem::path page = request.output,
                              csv = std::filesystem::path(page).replace_extension(".csv");
  if (page == csv)
    throw WrongArguments("--output is the page; give it another ending than .csv");
  std::ofstream pageFile = create(page), csvFile = create(csv); // before anything is computed
  ::setenv("COPSE_EXECUTION", "modelled", 1);
  setAssumptions(request.assumptions);
  if (!request.figure.empty())
    setClocks({"modelled", "none", false}, request.command);
  runPoints(request, points);
  rate(points);
  writeScaleFigures(csvFile, points);
  writeScalePage(pageFile, request, points);
  close(std::move(csvFile), csv);
  close(std::move(pageFile), page);
  const bool isWhole =
      std::ranges::all_of(points, [](const ScalePoint &point) { return point.failure.empty(); });
  return isWhole ? 0 : 1;
}

} // namespace copse::tools
