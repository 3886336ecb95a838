#include "manifest.hpp"

#include "disk_cache/digest.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace copse::popc {
namespace {

using Time = std::chrono::system_clock::time_point;

constexpr std::string_view kFirstLine = "copse manifest 2\n";
/// The third line.
constexpr std::string_view kTestsIpu = "tests __IPU__", kIgnoresIpu = "ignores __IPU__";
/// The longest step of a file system's clock, which is a tick of the kernel at most.
constexpr std::chrono::milliseconds kStep{20};

std::string fileOf(const std::string &sourceKey) { return sourceKey + ".manifest"; }

/// \returns nothing if \p path is no readable file
std::optional<std::string> hashOf(const std::string &path) {
  std::error_code error; // opening a FIFO would wait for a writer
  std::ifstream in;
  if (std::filesystem::is_regular_file(path, error))
    in.open(path, std::ios::binary);
  if (!in.is_open())
    return std::nullopt;
  // Files are read in blocks, because a source has hundreds of headers and every lookup hashes all
  // of them.
  std::array<char, 1 << 14> block;
  std::string bytes;
  while (in.read(block.data(), block.size()) || in.gcount() != 0)
    bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
  return in.bad() ? std::nullopt : std::optional(disk_cache::sha256(bytes));
}

/// \returns true if \p path has not been changed since \p begun. Programs cannot set this time
///   back.
bool isOlder(const std::string &path, Time begun) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  const auto changed = std::chrono::seconds(status.st_ctim.tv_sec) +
                       std::chrono::nanoseconds(status.st_ctim.tv_nsec);
  return changed < begun.time_since_epoch() - kStep;
}

bool isAbsent(const std::string &path) { return ::access(path.c_str(), F_OK) != 0; }

/// Returns true if a line, `absent PATH` or `HASH PATH`, still holds.
bool holds(const std::string &line) {
  const std::size_t space = line.find(' ');
  if (space == std::string::npos)
    return false;
  const std::string says = line.substr(0, space), path = line.substr(space + 1);
  return says == "absent" ? isAbsent(path) : hashOf(path) == says;
}

} // namespace

std::optional<Manifests::Entry> Manifests::find(const std::string &sourceKey) const {
  auto text = files_.find(fileOf(sourceKey));
  if (!text || !text->starts_with(kFirstLine))
    return std::nullopt;
  std::istringstream lines(text->substr(kFirstLine.size()));
  std::string moduleKey, ipu;
  std::getline(lines, moduleKey);
  std::getline(lines, ipu);
  if (ipu != kTestsIpu && ipu != kIgnoresIpu)
    return std::nullopt;
  for (std::string line; std::getline(lines, line);)
    if (!holds(line))
      return std::nullopt;
  return Entry{moduleKey, ipu == kTestsIpu};
}

void Manifests::keep(const std::string &sourceKey, const Entry &entry,
                     const Dependencies &dependencies, Time begun) const {
  const auto inOneLine = [](const std::string &path) {
    return path.find('\n') == std::string::npos;
  };
  std::string text = std::string(kFirstLine) + entry.moduleKey + "\n" +
                     std::string(entry.testsIpu ? kTestsIpu : kIgnoresIpu) + "\n";
  for (const std::string &path : dependencies.absent) {
    if (!inOneLine(path) || !isAbsent(path))
      return;
    text += "absent " + path + "\n";
  }
  for (const std::string &path : dependencies.read) {
    const auto hash = hashOf(path);
    if (!hash || !inOneLine(path) || !isOlder(path, begun))
      return;
    text += *hash + " " + path + "\n";
  }
  files_.keep(fileOf(sourceKey), [&](std::ostream &out) { out << text; });
}

} // namespace copse::popc
