#include "reader.hpp"

#include "text.hpp"

#include <array>
#include <charconv>

namespace copse::assembler {
namespace {

/// The characters at which a statement may end.
constexpr auto kMayEnd = [] {
  std::array<bool, 256> table{};
  for (const char c : {'\n', ';', '{', '}', '#', '/', '"'})
    table[static_cast<unsigned char>(c)] = true;
  return table;
}();

/// Replaces comments within lines by blanks, so that a statement is contiguous. Lines and columns
/// do not change, and an unterminated comment is kept.
std::string withBlanksForComments(std::string_view source) {
  std::string text(source);
  const auto lineEnd = [&](std::size_t from) {
    return std::min(text.find('\n', from), text.size());
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\' && i + 1 < text.size() && text[i + 1] != '\n' ? 1 : 0;
    } else if (text[i] == '#' || text.compare(i, 2, "//") == 0) {
      i = lineEnd(i);
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      if (end == std::string::npos)
        break;
      for (; i < end + 2; ++i)
        text[i] = text[i] == '\n' ? '\n' : ' ';
      --i;
    }
  }
  return text;
}

} // namespace

StatementReader::StatementReader(std::string_view source, const std::string &fileName,
                                 Diagnostics &diagnostics)
    : diagnostics_(diagnostics) {
  auto buffer = std::make_unique<Buffer>();
  if (source.find("/*") == std::string_view::npos) {
    buffer->text = source;
  } else {
    buffer->owned = withBlanksForComments(source);
    buffer->text = buffer->owned;
  }
  buffer->file = diagnostics.fileNamed(fileName);
  buffers_.push_back(std::move(buffer));
}

Location StatementReader::here(const Buffer &b) const {
  return {b.file, b.line, static_cast<std::uint32_t>(b.at - b.lineStart + 1), b.expansion};
}

void StatementReader::skipLine(Buffer &b) {
  const std::size_t end = b.text.find('\n', b.at);
  b.at = end == std::string_view::npos ? b.text.size() : end;
}

/// Parses a line that begins with '#': a line marker of the preprocessor (# 12 "file.S" 1), or a
/// comment.
void StatementReader::hashLine(Buffer &b) {
  const std::size_t start = b.at + 1;
  skipLine(b);
  std::string_view rest = trimmed(b.text.substr(start, b.at - start));
  if (rest.starts_with("line"))
    rest = trimmed(rest.substr(4));
  std::uint32_t line = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), line);
  const std::string_view name = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  const std::size_t quote = name.find('"', 1);
  if (error != std::errc{} || name.empty() || name.front() != '"' || quote == name.npos)
    return;
  b.file = diagnostics_.fileNamed(name.substr(1, quote - 1));
  b.line = line - 1; // the end of this line will be counted
}

/// \returns false at the end of the text
bool StatementReader::skipToStatement(Buffer &b) {
  bool isLineStart = b.at == b.lineStart;
  while (b.at < b.text.size()) {
    const char c = b.text[b.at];
    if (c == '\n') {
      ++b.line;
      b.lineStart = ++b.at;
      isLineStart = true;
    } else if (isSpace(c) || c == ';') {
      ++b.at;
    } else if (c == '#') {
      if (isLineStart)
        hashLine(b);
      else
        skipLine(b);
    } else if (c == '/' && b.text.substr(b.at, 2) == "//") {
      skipLine(b);
    } else if (c == '/' && b.text.substr(b.at, 2) == "/*") {
      // Terminated comments are blanks by now.
      diagnostics_.error(here(b), "this comment never ends");
      b.at = b.text.size();
    } else {
      return true;
    }
  }
  return false;
}

std::size_t StatementReader::statementEnd(const Buffer &b) const {
  const std::string_view text = b.text;
  bool isQuoted = false;
  for (std::size_t i = b.at; i < text.size(); ++i) {
    const char c = text[i];
    if (!kMayEnd[static_cast<unsigned char>(c)])
      continue;
    if (c == '\n')
      return i;
    if (c == '"')
      isQuoted = !isQuoted || text[i - 1] == '\\';
    else if (!isQuoted &&
             (c != '/' || (i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*'))))
      return i;
  }
  return text.size();
}

Statement StatementReader::next() {
  finished_.clear();
  while (true) {
    Buffer &b = *buffers_.back();
    if (skipToStatement(b)) {
      Statement s{Statement::Kind::Text, {}, here(b)};
      const char c = b.text[b.at];
      if (c == '{' || c == '}') {
        s.kind = c == '{' ? Statement::Kind::Open : Statement::Kind::Close;
        ++b.at;
        return s;
      }
      const std::size_t end = statementEnd(b);
      s.text = trimmed(b.text.substr(b.at, end - b.at));
      b.at = end;
      return s;
    }
    if (buffers_.size() == 1)
      return {Statement::Kind::End, {}, here(b)};
    buffers_.pop_back();
  }
}

void StatementReader::expand(std::string text, std::uint32_t file, std::uint32_t line,
                             std::uint32_t expansion) {
  constexpr std::size_t kMaxDepth = 200;
  if (buffers_.size() > kMaxDepth)
    throw StatementError(nullptr, "macros are nested more than 200 deep; does one use itself");
  auto buffer = std::make_unique<Buffer>();
  buffer->owned = std::move(text);
  buffer->text = buffer->owned;
  buffer->file = file;
  buffer->line = line;
  buffer->expansion = expansion;
  buffers_.push_back(std::move(buffer));
}

bool StatementReader::leaveExpansion() {
  if (buffers_.size() == 1)
    return false;
  finished_.push_back(std::move(buffers_.back()));
  buffers_.pop_back();
  return true;
}

} // namespace copse::assembler
