#include "source_lines.hpp"

namespace copse::popc {
namespace {

using std::string;
using std::string_view;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Returns the reference behind \p key, such as "!12" of "..., scope: !12, ...".
string_view referenceBehind(string_view text, string_view key) {
  const std::size_t at = text.find(key);
  if (at == string_view::npos || at + key.size() >= text.size() || text[at + key.size()] != '!')
    return {};
  std::size_t end = at + key.size() + 1;
  while (end < text.size() && isDigit(text[end]))
    ++end;
  return text.substr(at + key.size(), end - at - key.size());
}

string_view numberBehind(string_view text, string_view key) {
  const std::size_t at = text.find(key);
  if (at == string_view::npos)
    return {};
  std::size_t end = at + key.size();
  while (end < text.size() && isDigit(text[end]))
    ++end;
  return text.substr(at + key.size(), end - at - key.size());
}

string_view quotedBehind(string_view text, string_view key) {
  const std::size_t at = text.find(key);
  if (at == string_view::npos)
    return {};
  const std::size_t begin = at + key.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

} // namespace

SourceLines::SourceLines(string_view module, string_view headers) : headers_(headers) {
  for (std::size_t at = module.find("\n!"); at != string_view::npos;
       at = module.find("\n!", at + 1)) {
    const string_view line = module.substr(at + 1, module.find('\n', at + 1) - at - 1);
    const std::size_t equals = line.find(" = ");
    if (equals != string_view::npos && line.size() > 1 && isDigit(line[1]))
      nodes_.emplace(line.substr(0, equals), line.substr(equals + 3));
  }
}

/// Returns the node that \p text refers to behind \p key, or an empty text.
string_view SourceLines::node(string_view text, string_view key) const {
  const auto found = nodes_.find(referenceBehind(text, key));
  return found == nodes_.end() ? string_view{} : found->second;
}

/// Returns the path of a "!DIFile", whose name is relative if the compiler runs in a parent folder
/// of the source.
string SourceLines::pathIn(string_view file) const {
  const string name(quotedBehind(file, "filename: \"")),
      folder(quotedBehind(file, "directory: \""));
  const bool isWhole = name.empty() || folder.empty() || name.front() == '/' || name.front() == '<';
  return isWhole ? name : folder + "/" + name;
}

/// Returns true for sources of the user. Popc's own code comes from files in angle brackets.
bool SourceLines::isOfUser(string_view path) const {
  return !path.empty() && path.front() != '<' && !path.starts_with(headers_);
}

string SourceLines::of(string_view instruction) const {
  string_view location = node(instruction, "!dbg ");
  if (location.find("!DISubprogram(") != string_view::npos) {
    const string path = pathIn(node(location, "file: "));
    return isOfUser(path) ? path + ":" + string(numberBehind(location, ", line: ")) : "";
  }
  for (; !location.empty(); location = node(location, "inlinedAt: ")) {
    const string_view line = numberBehind(location, "line: ");
    const string path = pathIn(node(node(location, "scope: "), "file: "));
    if (isOfUser(path) && line != "0")
      return path + ":" + string(line);
  }
  return {};
}

} // namespace copse::popc
