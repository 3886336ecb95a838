#include "scale_runs.hpp"

#include "observed_program.hpp"
#include "report.hpp"

#include "wire/environment.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kFewestIpus = 16, kMostIpus = 1024;
constexpr std::chrono::milliseconds kLook{5}; ///< between looks at the running programs

std::string textOf(const fs::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A directory that is removed with the object.
class Scratch {
public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "copse-scale-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a directory in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  fs::path file(std::size_t point, const char *what) const {
    return path_ / (std::to_string(point) + what);
  }

private:
  fs::path path_;
};

/// Returns the JSON object of an environment variable with more entries.
std::string withEntries(const char *variable, const std::map<std::string, std::string> &entries) {
  const std::string before = wire::environmentVariable(variable);
  json object = json::parse(before.empty() ? "{}" : before, nullptr, false);
  if (!object.is_object())
    return before; // the program complains of it
  for (const auto &[name, value] : entries)
    object[name] = value;
  return object.dump();
}

/// Returns the IPUs that the program of a point must find.
std::string ipusFor(const ScalePoint &point) {
  const auto number = [&](const char *axis) {
    const std::string text = point.on(axis);
    return std::min<std::uint64_t>(text.empty() ? 1 : std::stoull(text), kMostIpus);
  };
  const std::uint64_t ipus = std::bit_ceil(number("replicas") * number("ipus"));
  return std::to_string(std::clamp(ipus, kFewestIpus, kMostIpus));
}

/// Writes a pod like the point's, with its number of hosts.
std::string podFileOf(const ScalePoint &point, const fs::path &file) {
  const std::string pod =
      point.on("pod").empty() ? wire::environmentVariable("COPSE_POD") : point.on("pod");
  if (pod.empty() || pod.find('/') != std::string::npos)
    throw WrongArguments("--hosts needs the name of a pod, with --pods or COPSE_POD");
  const json hosts{{"value", std::stoull(point.on("hosts"))},
                   {"unit", "hosts"},
                   {"source", "copse scale --hosts"}};
  std::ofstream(file) << json{
      {"name", pod + ", hosts " + point.on("hosts")}, {"like", pod}, {"hosts", hosts}};
  return file.string();
}

using Environment = std::map<std::string, std::string>;

Environment environmentFor(const ScalePoint &point, const Scratch &scratch, std::size_t number) {
  Environment environment{
      {"COPSE_COSTS", scratch.file(number, ".costs").string()},
      {"COPSE_PROGRESS", "0"},
      {"POPLAR_ENGINE_OPTIONS",
       withEntries("POPLAR_ENGINE_OPTIONS", {{"copse.executableCache", "on"}})}};
  if (wire::environmentVariable("COPSE_IPUS").empty())
    environment["COPSE_IPUS"] = ipusFor(point);
  std::map<std::string, std::string> target;
  if (!point.on("topology").empty())
    target["ipuLinkTopology"] = point.on("topology");
  if (!point.on("syncConfiguration").empty())
    target["syncConfiguration"] = point.on("syncConfiguration");
  if (!target.empty())
    environment["POPLAR_TARGET_OPTIONS"] = withEntries("POPLAR_TARGET_OPTIONS", target);
  if (!point.on("pod").empty())
    environment["COPSE_POD"] = point.on("pod");
  if (!point.on("hosts").empty())
    environment["COPSE_POD"] = podFileOf(point, scratch.file(number, ".json"));
  return environment;
}

/// Adds the runs of a point, as its program has reported them.
void addRuns(const fs::path &file, const std::string &program, ScalePoint &point) {
  std::ifstream lines(file);
  for (std::string text; std::getline(lines, text);) {
    const json line = json::parse(text);
    if (!program.empty() && line.at("program").dump() != program)
      continue;
    const double clock = line.at("clockHz").get<double>();
    const auto replicas = line.at("replicas").get<std::uint64_t>();
    if (point.runs > 0 && replicas != point.replicas)
      point.failure = "its runs are on " + std::to_string(point.replicas) + " and on " +
                      std::to_string(replicas) +
                      " replicas; let the program make one engine, or choose with --program";
    ++point.runs;
    point.programs[line.at("program").get<std::uint64_t>()] +=
        line.at("cycles").get<double>() / clock;
    point.ipus = std::max(point.ipus, line.at("ipus").get<std::uint64_t>());
    point.replicas = replicas;
    point.seconds += line.at("cycles").get<double>() / clock;
    for (std::size_t cost = 0; cost < kScaleCosts.size(); ++cost) {
      point.costs[cost] += line.at("costs").at(kScaleCosts[cost].key).get<double>() / clock;
      point.without[cost] += line.at("without").at(kScaleCosts[cost].key).get<double>() / clock;
    }
  }
  if (point.runs == 0)
    point.failure =
        "it has run no program " + program + (program.empty() ? "" : " ") + "on an IPU or IPUModel";
  const std::string asked = point.on("replicas");
  if (point.failure.empty() && !asked.empty() && asked != std::to_string(point.replicas))
    point.failure = "its runs are on " + std::to_string(point.replicas) +
                    " replicas, so it takes another number from its command line; use {ipus} or "
                    "{batch} for that number";
}

/// Returns the last number of a program's output that matches \p pattern; 0: there is none.
double figureIn(const std::string &output, const std::regex &pattern) {
  double figure = 0;
  for (std::sregex_iterator at(output.begin(), output.end(), pattern), end; at != end; ++at)
    if (at->size() > 1)
      figure = std::strtod((*at)[1].str().c_str(), nullptr);
  return figure;
}

std::string lastLineOf(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

class PointRuns {
public:
  PointRuns(const ScaleRequest &request, std::vector<ScalePoint> &points)
      : request_(request), points_(points), waiting_(points.size()) {
    for (std::size_t i = 0; i < points.size(); ++i)
      waiting_[i] = i;
    if (request.figure.empty())
      return;
    try {
      pattern_ = std::regex(request.figure);
    } catch (const std::regex_error &error) {
      throw WrongArguments("--figure: '" + request.figure + "': " + error.what());
    }
  }

  void run() {
    const unsigned jobs =
        request_.jobs > 0 ? request_.jobs : std::max(1U, std::thread::hardware_concurrency());
    while (!waiting_.empty() || !running_.empty()) {
      while (running_.size() < jobs && startNext())
        ;
      std::this_thread::sleep_for(kLook);
      takeEnded();
    }
    if (const std::string programs = severalProgramsIn(points_); !programs.empty())
      std::cerr << "the runs are of several programs, of which --program counts one: " << programs
                << std::endl;
  }

private:
  struct Running {
    std::size_t point;
    Clock::time_point deadline;
    bool isLate = false;
  };

  /// Points with equal keys have one compiled program.
  static std::string keyOf(const ScalePoint &point) {
    std::string key = point.on("syncConfiguration");
    for (const std::string &word : point.command)
      key += '\0' + word;
    return key;
  }

  bool startNext() {
    const auto next = std::ranges::find_if(
        waiting_, [&](std::size_t point) { return !compiling_.contains(keyOf(points_[point])); });
    if (next == waiting_.end())
      return false;
    const std::size_t number = *next;
    waiting_.erase(next);
    const std::string key = keyOf(points_[number]);
    if (!compiled_.contains(key))
      compiling_.insert(key);
    start(number);
    return true;
  }

  void start(std::size_t number) {
    const Environment environment = environmentFor(points_[number], scratch_, number);
    const std::string out = scratch_.file(number, ".out"), err = scratch_.file(number, ".err");
    const pid_t pid = startProgram(points_[number].command, [&] {
      for (const auto &[name, value] : environment)
        ::setenv(name.c_str(), value.c_str(), 1);
      for (const auto &[descriptor, path] : {std::pair{1, out}, std::pair{2, err}}) {
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ::dup2(file, descriptor);
      }
    });
    running_[pid] = {number, Clock::now() + std::chrono::seconds(request_.timeout)};
  }

  void takeEnded() {
    for (auto at = running_.begin(); at != running_.end();) {
      auto &[pid, run] = *at;
      int status = 0;
      if (::waitpid(pid, &status, WNOHANG) == pid) {
        ended(run, status);
        at = running_.erase(at);
        continue;
      }
      if (!run.isLate && Clock::now() > run.deadline) {
        run.isLate = true;
        ::kill(pid, SIGKILL);
      }
      ++at;
    }
  }

  void ended(const Running &run, int status) {
    ScalePoint &point = points_[run.point];
    compiled_.insert(keyOf(point));
    compiling_.erase(keyOf(point));
    if (run.isLate)
      point.failure = "it has not ended within " + std::to_string(request_.timeout) +
                      " s; --timeout allows more";
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      point.failure = endOf(status) + lastWordsOf(run.point);
    else
      read(run.point);
    tell(point);
  }

  static std::string endOf(int status) {
    return WIFEXITED(status) ? "it ended with " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status)) + " ended it";
  }

  /// Returns the last lines that a program wrote: many name an error on stdout.
  std::string lastWordsOf(std::size_t point) const {
    std::string words;
    for (const char *const stream : {".err", ".out"})
      if (const std::string line = lastLineOf(textOf(scratch_.file(point, stream))); !line.empty())
        words += (words.empty() ? ": " : "; and on stdout: ") + line;
    return words;
  }

  void read(std::size_t number) {
    ScalePoint &point = points_[number];
    addRuns(scratch_.file(number, ".costs"), request_.program, point);
    if (!point.failure.empty())
      return;
    if (request_.figure.empty()) {
      const double replicas = request_.isStrong ? 1 : static_cast<double>(point.replicas);
      point.throughput = point.samples * static_cast<double>(point.runs) * replicas / point.seconds;
      return;
    }
    point.throughput = figureIn(textOf(scratch_.file(number, ".out")), pattern_);
    if (point.throughput <= 0)
      point.failure = "its output has no number above 0 that matches '" + request_.figure + "'";
  }

  void tell(const ScalePoint &point) {
    ++done_;
    std::cerr << '[' << done_ << '/' << points_.size() << "] " << point.name() << ": ";
    if (point.failure.empty())
      std::cerr << point.seconds * 1e3 / static_cast<double>(point.runs)
                << " ms per run, throughput " << point.throughput << std::endl;
    else
      std::cerr << "left out: " << point.failure << std::endl;
  }

  const ScaleRequest &request_;
  std::vector<ScalePoint> &points_;
  std::regex pattern_;
  Scratch scratch_;
  std::vector<std::size_t> waiting_; ///< points, in order
  std::map<pid_t, Running> running_;
  std::set<std::string> compiling_, compiled_; ///< keys
  std::size_t done_ = 0;
};

} // namespace

void runPoints(const ScaleRequest &request, std::vector<ScalePoint> &points) {
  PointRuns(request, points).run();
}

void rate(std::vector<ScalePoint> &points) {
  const std::string axis = chartAxisOf(points);
  std::map<std::string, double> first; // throughput of each series' first point, for one IPU
  for (ScalePoint &point : points) {
    if (!point.failure.empty())
      continue;
    const double ofIpu = point.throughput / static_cast<double>(point.ipus);
    point.efficiency = ofIpu / first.try_emplace(seriesOf(point, axis), ofIpu).first->second;
  }
}

} // namespace copse::tools
