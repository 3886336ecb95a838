#include "dependencies.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace copse::popc {
namespace {

bool exists(const std::string &path) { return ::access(path.c_str(), F_OK) == 0; }

bool beginsWithOneOf(std::string_view flag, const auto &prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return flag.starts_with(prefix); });
}

/// Returns true if the flags make the compiler read no files but headers, which its output names.
bool areKnown(const std::vector<std::string> &flags) {
  static constexpr std::array<std::string_view, 6> kWithValue{"-D",       "-U",      "-I",
                                                              "-isystem", "-iquote", "-include"};
  static constexpr std::array<std::string_view, 7> kPlain{"-std=", "-O", "-g",       "-W",
                                                          "-m",    "-f", "-pedantic"};
  static constexpr std::array<std::string_view, 8> kNot{
      "-Wp,", "-Wa,", "-Wl,", "-fplugin", "-fprofile", "-fauto-profile", "-fbranch", "-fmodule"};
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (std::find(kWithValue.begin(), kWithValue.end(), flags[i]) != kWithValue.end())
      ++i; // the value is a separate word
    else if (!beginsWithOneOf(flags[i], kWithValue) && flags[i] != "-w" &&
             (!beginsWithOneOf(flags[i], kPlain) || beginsWithOneOf(flags[i], kNot) ||
              flags[i].find('/') != std::string::npos))
      return false;
  }
  return true;
}

/// A line marker in preprocessed text, which gives the origin of the next line.
struct Marker {
  std::string file;
  bool enters = false, returns = false;
};

/// \returns nothing if \p line is no marker
std::optional<Marker> markerIn(std::string_view line) {
  const std::size_t open = line.find('"'), close = line.rfind('"');
  if (!line.starts_with("# ") || open == std::string_view::npos || close == open)
    return std::nullopt;
  Marker marker;
  for (std::size_t i = open + 1; i < close; ++i)
    marker.file += line[i] == '\\' && i + 1 < close ? line[++i] : line[i];
  const std::string_view flags = line.substr(close + 1);
  marker.enters = flags.starts_with(" 1");
  marker.returns = flags.starts_with(" 2");
  return marker;
}

std::string folderOf(const std::string &file) { return file.substr(0, file.rfind('/')); }

/// Returns the names that \p text asks for by __has_include or __has_include_next. Both are treated
/// alike, because all places are watched.
/// \returns nothing if a name is computed
std::optional<std::vector<std::string>> namesAskedFor(std::string_view text) {
  constexpr std::string_view kToken = "__has_include", kNext = "_next";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kToken); at != std::string_view::npos;
       at = text.find(kToken, at)) {
    at += kToken.size();
    at += text.substr(at).starts_with(kNext) ? kNext.size() : 0;
    at = text.find_first_not_of(" \t", at);
    if (at == std::string_view::npos || text[at] != '(')
      continue; // a question about the operator itself, or a comment
    const std::size_t open = text.find_first_not_of(" \t", at + 1);
    const char bracket = open == std::string_view::npos ? '\0' : text[open];
    if (bracket != '<' && bracket != '"')
      return std::nullopt;
    const std::size_t close = text.find(bracket == '<' ? '>' : '"', open + 1);
    if (close == std::string_view::npos)
      return std::nullopt;
    names.emplace_back(text.substr(open + 1, close - open - 1));
  }
  return names;
}

/// Repeats a compiler's search for includes, to find the paths at which it looked in vain.
class Search {
public:
  Search(const TranslationUnit &unit, const IncludeFolders &folders) : unit_(unit) {
    for (const std::string &folder : folders.searched)
      folders_.push_back(absolute(folder));
    for (const std::string &folder : folders.missing)
      result_.absent.insert(absolute(folder));
  }

  /// \returns false if the result depends on more than files
  bool follow(const std::string &expanded) {
    readMarkers(expanded);
    bool onlyFiles = readText(unit_.source, unit_.directory);
    const std::set<std::string> headers = result_.read; // a copy, as readText() adds headers
    for (auto header = headers.begin(); onlyFiles && header != headers.end(); ++header) {
      std::ifstream in(*header, std::ios::binary);
      onlyFiles = readText({std::istreambuf_iterator<char>(in), {}}, folderOf(*header));
    }
    return onlyFiles;
  }
  Dependencies result() && { return std::move(result_); }

private:
  static bool isNoFile(const std::string &name) { return name.starts_with('<'); }

  /// Makes a path absolute by joining the parts only, as the compiler does: `a/../b` need not be b.
  std::string absolute(const std::string &path) const {
    std::string whole = path.starts_with('/') ? path : unit_.directory + "/" + path;
    while (whole.size() > 1 && whole.ends_with('/'))
      whole.pop_back();
    return whole;
  }

  void readMarkers(const std::string &expanded) {
    std::vector<std::string> includers; // files that are currently being read
    for (std::size_t at = 0; at < expanded.size();) {
      const std::size_t end = std::min(expanded.find('\n', at), expanded.size());
      const auto marker = markerIn(std::string_view(expanded).substr(at, end - at));
      at = end + 1;
      if (!marker)
        continue;
      if (marker->returns && !includers.empty())
        includers.pop_back();
      if (!marker->enters)
        continue;
      // The source itself is read from standard input.
      const bool fromSource = includers.empty() || isNoFile(includers.back());
      if (!isNoFile(marker->file))
        include(absolute(marker->file),
                fromSource ? unit_.directory : folderOf(absolute(includers.back())));
      includers.push_back(marker->file);
    }
  }

  /// \param folder  folder of the including file, where names in quotes are looked up first
  void include(const std::string &file, const std::string &folder) {
    result_.read.insert(file);
    for (auto found = folders_.begin(); found != folders_.end(); ++found)
      if (file.starts_with(*found + "/")) {
        const std::size_t name = file.find_first_not_of('/', found->size());
        passBy(folder + "/" + file.substr(name));
        for (auto before = folders_.begin(); before != found; ++before)
          passBy(*before + "/" + file.substr(name));
      }
  }

  /// \returns false if the expansion of \p text, which lies in \p folder, depends on more than
  ///   files
  bool readText(const std::string &text, const std::string &folder) {
    for (const char *token :
         {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_embed", "#embed", "# embed"})
      if (text.find(token) != std::string::npos)
        return false;
    const auto names = namesAskedFor(text);
    for (const std::string &name : names.value_or(std::vector<std::string>())) {
      passBy(folder + "/" + name);
      for (const std::string &searched : folders_)
        passBy(searched + "/" + name);
    }
    return names.has_value();
  }

  /// Notes a path at which the compiler looked before it found the header. A file that exists there
  /// (#include_next) is watched like a header. Of a missing path, the topmost missing folder is
  /// watched.
  void passBy(std::string path) {
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error))
      result_.read.insert(path);
    if (exists(path))
      return;
    for (std::string folder = folderOf(path); !folder.empty() && !exists(folder);
         folder = folderOf(folder))
      path = folder;
    result_.absent.insert(path);
  }

  const TranslationUnit &unit_;
  std::vector<std::string> folders_;
  Dependencies result_;
};

} // namespace

std::optional<Dependencies> dependenciesOf(const TranslationUnit &unit,
                                           const ExpandedSource &expanded,
                                           const NativeCompiler &compiler) {
  if (!areKnown(unit.flags) || !areKnown(compiler.ownFlags()))
    return std::nullopt;
  if (!expanded.folders)
    return std::nullopt;
  Search search(unit, *expanded.folders);
  if (!search.follow(expanded.text))
    return std::nullopt;
  return std::move(search).result();
}

} // namespace copse::popc
