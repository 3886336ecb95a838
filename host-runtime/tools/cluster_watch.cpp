#include "cluster_watch.hpp"

#include "report.hpp"

#include <cstdint>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>

namespace copse::tools {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Returns how many bytes each IPU has sent over its links.
std::map<std::uint64_t, std::uint64_t> linkBytes(const Json &status) {
  std::map<std::uint64_t, std::uint64_t> bytes;
  for (const Json &link : status["links"])
    bytes[link["ipu"]] += link["bytes_sent"].get<std::uint64_t>();
  return bytes;
}

/// Returns a rate with two digits after the point.
std::string rate(double amount, std::chrono::duration<double> time, double unit) {
  std::ostringstream text;
  text.setf(std::ios::fixed);
  text.precision(2);
  text << amount / time.count() / unit;
  return text.str();
}

/// Returns how much a counter has grown. Counters restart when an ipud is started, or a link
/// configured, again.
double growth(std::uint64_t before, std::uint64_t after) {
  return after >= before ? static_cast<double>(after - before) : static_cast<double>(after);
}

constexpr double kMega = 1e6;
// Moves a terminal's cursor to the first line; clears the rest of the line; clears the rest of the
// screen.
constexpr const char *kHome = "\x1b[H", *kClearLine = "\x1b[K\n", *kClearBelow = "\x1b[J";

void printInPlace(const std::string &text, std::ostream &out) {
  out << kHome;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out << line << kClearLine;
  out << kClearBelow << std::flush;
}

} // namespace

std::vector<Json> activityBetween(const Json &before, const Json &after,
                                  std::chrono::duration<double> time) {
  const auto linksBefore = linkBytes(before), linksAfter = linkBytes(after);
  const auto bytesOf = [](const auto &links, std::uint64_t ipu) {
    const auto found = links.find(ipu);
    return found == links.end() ? 0 : found->second;
  };
  std::vector<Json> rows;
  for (std::size_t i = 0; i < after["ipus"].size(); ++i) {
    const Json &ipu = after["ipus"][i], &was = before["ipus"][i];
    const std::uint64_t number = ipu["ipu"];
    Json row{{"ipu", number}, {"state", ipu["state"]}, {"holder", ipu["holder"]}};
    const bool isSame = ipu["pid"] == was["pid"] && ipu["state"] != "silent";
    const auto grown = [&](const char *name) {
      return growth(before["activity"][i][name], after["activity"][i][name]);
    };
    const auto put = [&](const char *name, double amount, double unit) {
      row[name] = isSame ? rate(amount, time, unit) : "";
    };
    put("runs/s", grown("runs"), 1);
    put("steps/s", grown("steps"), 1);
    put("Mcycles/s", grown("modelled_cycles"), kMega);
    put("links MB/s", growth(bytesOf(linksBefore, number), bytesOf(linksAfter, number)), kMega);
    put("from host MB/s", grown("bytes_from_host"), kMega);
    put("to host MB/s", grown("bytes_to_host"), kMega);
    rows.push_back(std::move(row));
  }
  return rows;
}

void watchCluster(const std::function<Json()> &status, const WatchOptions &options,
                  std::ostream &out) {
  Json before = status();
  auto then = Clock::now();
  for (unsigned shown = 0; options.count == 0 || shown < options.count; ++shown) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
    Json after = status();
    const auto now = Clock::now();
    std::ostringstream text;
    print(text, activityBetween(before, after, now - then), false);
    if (after.contains("rbufd"))
      text << "\nrbufd: " << after["rbufd"]["state"].get<std::string>() << '\n';
    if (options.inPlace)
      printInPlace(text.str(), out);
    else
      out << text.str() << std::endl;
    before = std::move(after);
    then = now;
  }
}

} // namespace copse::tools
