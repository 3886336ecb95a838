// poplar_profile_summary: prints profiles as text.
//
// Source: guide, 8.2.2.
#include "report.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/exceptions.hpp>
#include <string>
#include <utility>

namespace {

struct Request {
  std::string graphProfile, executionProfile, profile; ///< paths; empty: not requested
  poplar::OptionFlags options;

  bool isEmpty() const {
    return graphProfile.empty() && executionProfile.empty() && profile.empty();
  }
};

void print(const Request &request) {
  if (!request.profile.empty())
    poplar::printProfileSummary(std::cout, request.profile, request.options);
  if (!request.graphProfile.empty())
    poplar::printGraphSummary(std::cout, request.graphProfile, request.options);
  if (!request.executionProfile.empty())
    poplar::printExecutionSummary(std::cout, request.executionProfile, request.options);
}

} // namespace

int main(int argc, char **argv) {
  Request request;
  CLI::App app("Prints a summary of a profile that a Poplar program has written");
  app.add_option("PROFILE", request.profile,
                 "profile.pop, a directory with one, or the JSON of Engine::getProfile()");
  app.add_option("--graph-profile", request.graphProfile, "file of the graph profile");
  app.add_option("--execution-profile", request.executionProfile, "file of the execution profile");
  const std::pair<const char *, const char *> switches[] = {
      {"--show-execution-steps", "showExecutionSteps"},
      {"--show-optimizations", "showOptimizations"},
      {"--show-per-ipu-memory-usage", "showPerIpuMemoryUsage"},
      {"--show-var-storage", "showVarStorage"}};
  for (const auto &[name, option] : switches)
    app.add_flag_callback(name,
                          [&request, option = option] { request.options.set(option, "true"); });
  app.add_flag_callback("--colours,--colors", [&] { request.options.set("colours", "true"); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return copse::tools::exitFor(app, error);
  }
  if (request.isEmpty()) {
    std::cerr << "poplar_profile_summary: name a profile.pop, or use --graph-profile FILE or "
                 "--execution-profile FILE\n";
    return 2;
  }
  try {
    print(request);
  } catch (const poplar::poplar_error &error) {
    std::cerr << "poplar_profile_summary: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
