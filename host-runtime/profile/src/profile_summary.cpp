#include "execution_summary.hpp"
#include "graph_summary.hpp"

#include "poplar/Engine.hpp"
#include "poplar/exceptions.hpp"
#include "profile/profile_data.hpp"
#include "profile/profile_values.hpp"
#include "profile/summary_options.hpp"
#include "types/nested_data.hpp"
#include "types/profile_json.hpp"

#include <fstream>
#include <istream>
#include <ostream>

/// Prints summaries of profiles for people. Source: guide, 8.2.
namespace poplar {

using copse::profile::executionProfileOf;
using copse::profile::graphProfileOf;
using copse::profile::Page;
using copse::profile::parseReportOptions;

namespace {

/// The two parts of a profile as values.
struct Profile {
  ProfileValue graph, execution = ProfileValue::Map{};
};

[[noreturn]] void refuse(const std::string &path) {
  throw file_load_error("'" + path + "' is neither a profile.pop nor a profile as JSON");
}

/// Parses a file that serializeToJSON() wrote: one part, or both parts as Engine::getProfile()
/// returns them.
Profile parseProfile(std::istream &file, const std::string &path) {
  nlohmann::json json;
  try {
    json = copse::types::parseJson(file);
  } catch (const nlohmann::json::exception &) {
    refuse(path);
  }
  if (!json.is_object())
    refuse(path);
  const ProfileValue value = copse::types::fromJson(json);
  if (json.contains("graphProfile") && json.contains("executionProfile"))
    return {value["graphProfile"], value["executionProfile"]};
  return {value, value};
}

Profile readProfile(const std::string &fileOrDirectory) {
  const std::string path = copse::profile::profileIn(fileOrDirectory);
  std::ifstream file = copse::profile::openProfile(path);
  file >> std::ws;
  if (file.peek() == '{')
    return parseProfile(file, path);
  file.seekg(0);
  const copse::profile::ReportData report = copse::profile::readReport(file, path);
  return {graphProfileOf(report), executionProfileOf(report)};
}

} // namespace

void printGraphSummary(std::ostream &out, const ProfileValue &graph, const OptionFlags &flags) {
  const auto options = parseReportOptions(flags);
  Page page(out, options);
  copse::profile::printGraph(page, graph, options);
}

void printExecutionSummary(std::ostream &out, const ProfileValue &, const ProfileValue &execution,
                           const OptionFlags &flags) {
  const auto options = parseReportOptions(flags);
  Page page(out, options);
  copse::profile::printExecution(page, execution, options);
}

void printProfileSummary(std::ostream &out, const ProfileValue &graph,
                         const ProfileValue &execution, const OptionFlags &flags) {
  printGraphSummary(out, graph, flags);
  printExecutionSummary(out, graph, execution, flags);
}

void printGraphSummary(std::ostream &out, const std::string &path, const OptionFlags &flags) {
  printGraphSummary(out, readProfile(path).graph, flags);
}

void printExecutionSummary(std::ostream &out, const std::string &path, const OptionFlags &flags) {
  printExecutionSummary(out, ProfileValue(), readProfile(path).execution, flags);
}

void printProfileSummary(std::ostream &out, const std::string &path, const OptionFlags &flags) {
  const Profile profile = readProfile(path);
  printProfileSummary(out, profile.graph, profile.execution, flags);
}

} // namespace poplar
