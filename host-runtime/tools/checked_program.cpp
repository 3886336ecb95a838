#include "checked_program.hpp"

#include "observed_program.hpp"
#include "report.hpp"

#include "disk_cache/private_directory.hpp"

#include <algorithm>
#include <cstdlib>
#include <fnmatch.h>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

namespace copse::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFound = 3; // exit code

/// Returns the names in \p request and in its files.
std::vector<std::string> suppressedNames(const CheckRequest &request) {
  std::vector<std::string> names = request.suppressed;
  for (const std::string &path : request.suppressFiles) {
    std::ifstream file(path);
    if (!file)
      throw std::runtime_error(path + ": the file of suppressed vertices cannot be read");
    for (std::string line; std::getline(file, line);) {
      line.erase(std::min(line.find('#'), line.size()));
      const auto begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
      if (begin != std::string::npos)
        names.push_back(line.substr(begin, end + 1 - begin));
    }
  }
  return names;
}

bool isSuppressed(const Json &finding, const std::vector<std::string> &patterns) {
  const std::string vertex = finding.value("vertex", "");
  return !vertex.empty() && std::ranges::any_of(patterns, [&](const std::string &pattern) {
    return ::fnmatch(pattern.c_str(), vertex.c_str(), 0) == 0;
  });
}

/// Returns a text that is equal for the same fault on all IPUs.
std::string identityOf(const Json &finding) {
  const bool isOfVertex = finding.contains("vertex");
  std::string identity;
  for (const char *const key : {"kind", "vertex", "source", "access"})
    identity += finding.value(key, "") + '\n';
  return isOfVertex ? identity : identity + finding.value("text", "");
}

/// The findings of all IPUs. Each fault is listed once, in the order of the first IPU that found
/// it.
class Findings {
public:
  void add(Json finding) {
    const auto [known, isNew] = numbers_.try_emplace(identityOf(finding), rows_.size());
    if (isNew)
      rows_.push_back(std::move(finding));
    else
      rows_[known->second]["times"] = rows_[known->second].value("times", std::uint64_t{0}) +
                                      finding.value("times", std::uint64_t{0});
  }
  const Rows &rows() const { return rows_; }

private:
  Rows rows_;
  std::map<std::string, std::size_t> numbers_;
};

/// Returns a finding as a line: "memory: add.cpp:12: ipu 0, tile 3: vertex 'Add' ...; 16 times".
std::string lineOf(const Json &finding) {
  std::string line = finding.value("kind", "") + ": ";
  if (const std::string source = finding.value("source", ""); !source.empty())
    line += source + ": ";
  line += "ipu " + std::to_string(finding.value("ipu", 0)) + ", tile " +
          std::to_string(finding.value("tile", 0));
  if (finding.contains("worker"))
    line += ", worker " + std::to_string(finding.value("worker", 0));
  line += ": " + finding.value("text", "");
  const auto times = finding.value("times", std::uint64_t{1});
  return times > 1 ? line + "; " + std::to_string(times) + " times" : line;
}

void write(std::ostream &out, const Rows &rows, const CheckRequest &request) {
  const std::size_t count = std::min<std::size_t>(rows.size(), request.most);
  if (request.json) {
    out << Json(std::vector<Json>(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count)))
               .dump(2, ' ', false, Json::error_handler_t::replace)
        << '\n';
    return;
  }
  for (std::size_t i = 0; i < count; ++i)
    out << lineOf(rows[i]) << '\n';
}

} // namespace

int checkProgram(const CheckRequest &request) {
  const std::vector<std::string> suppressed = suppressedNames(request);
  const disk_cache::PrivateDirectory folder; // where the IPUs leave their files
  ::setenv("COPSE_CHECK", folder.path().c_str(), 1);
  ::unsetenv("COPSE_CLUSTER"); // daemons of a cluster were started without it
  const int code = runProgram(request.command);
  Findings findings;
  const bool isChecked = forEachObject(folder.path(), ".findings.jsonl", [&](Json finding) {
    if (!isSuppressed(finding, suppressed))
      findings.add(std::move(finding));
  });
  if (!isChecked)
    std::cerr
        << "copse check: the program has loaded nothing on an IPU or a model of one; CPU "
           "devices, and executables that were compiled without copse check, are not checked\n";
  const Rows &rows = findings.rows();
  writeOutput(request.output, [&](std::ostream &out) { write(out, rows, request); });
  if (rows.empty()) {
    if (isChecked)
      std::cerr << "copse check: no faults\n";
    return code;
  }
  std::cerr << "copse check: " << rows.size() << (rows.size() == 1 ? " fault" : " faults");
  if (rows.size() > request.most)
    std::cerr << ", of which the first " << request.most << " are listed";
  std::cerr << '\n';
  return kFound;
}

} // namespace copse::tools
