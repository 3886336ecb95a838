#include "object_linker.hpp"

#include "popc/child_process.hpp"
#include "popc/demangled.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <system_error>

namespace copse::popc {
namespace {

/// Returns the source of the first object that \p text names.
std::string sourceIn(const std::string &text, const std::vector<std::string> &sources) {
  const std::size_t end = text.find(".o:");
  if (end == std::string::npos)
    return "";
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9')
    --begin;
  const auto number = static_cast<std::size_t>(std::atoi(text.substr(begin, end - begin).c_str()));
  return begin == end || number >= sources.size() ? "" : sources[number];
}

/// Returns the quoted text of a linker's message behind \p words.
std::string symbolBehind(const std::string &line, const std::string &words) {
  const std::size_t at = line.find(words);
  if (at == std::string::npos)
    return "";
  const std::size_t open = line.find_first_of("`'", at + words.size() - 1);
  const std::size_t close = line.rfind('\'', line.find("; ", at));
  return open == std::string::npos || close == std::string::npos || close <= open
             ? ""
             : line.substr(open + 1, close - open - 1);
}

/// Returns each missing symbol once, or nothing if the messages report other errors, too.
std::vector<std::string> missingIn(const std::string &messages) {
  std::vector<std::string> missing;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("multiple definition of `") != std::string::npos)
      return {};
    std::string symbol = symbolBehind(line, "undefined reference to `");
    if (!symbol.empty() && std::ranges::find(missing, symbol) == missing.end())
      missing.push_back(std::move(symbol));
  }
  return missing;
}

/// The size before each object. Objects stay on this machine, so that its byte order does not
/// matter.
using ObjectSize = std::uint64_t;

std::vector<std::span<const std::byte>> unpacked(std::span<const std::byte> code) {
  std::vector<std::span<const std::byte>> objects;
  while (code.size() >= sizeof(ObjectSize)) {
    ObjectSize size = 0;
    std::memcpy(&size, code.data(), sizeof size);
    code = code.subspan(sizeof size);
    objects.push_back(code.first(std::min<std::size_t>(size, code.size())));
    code = code.subspan(objects.back().size());
  }
  return objects;
}

bool isForLinker(const std::string &flag) {
  return flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-Wl,");
}

/// Links by the linker itself, and only with the libraries of C, which takes a fifth of the time.
/// \returns false if this fails, or if flags may ask for more: clang has to tell the linker then
bool isLinkedWithoutClang(const std::vector<std::string> &files, const std::string &result,
                          const std::vector<std::string> &clang,
                          const std::vector<std::string> &flags) {
  if (clang.size() != 1 || std::ranges::any_of(flags, isForLinker))
    return false;
  std::vector<std::string> arguments{
      "ld", "-shared", "--eh-frame-hdr", "--hash-style=gnu", "-z", "defs", "-o", result};
  arguments.insert(arguments.end(), files.begin(), files.end());
  arguments.insert(arguments.end(), {"-lm", "-lc"});
  const ChildResult answer = runChild(arguments, "", "", kCompileDeadline);
  return answer.exitCode == 0 && answer.errors.empty();
}

} // namespace

std::unique_ptr<disk_cache::PrivateDirectory> folderForObjects() {
  try {
    return std::make_unique<disk_cache::PrivateDirectory>();
  } catch (const std::system_error &error) {
    throw CompileError(error.what());
  }
}

std::vector<std::byte> bytesOf(const std::filesystem::path &file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto *data = reinterpret_cast<const std::byte *>(text.data());
  return {data, data + text.size()};
}

std::vector<std::byte> packed(const std::vector<std::vector<std::byte>> &objects) {
  std::vector<std::byte> code;
  for (const auto &object : objects) {
    const ObjectSize size = object.size();
    const auto *bytes = reinterpret_cast<const std::byte *>(&size);
    code.insert(code.end(), bytes, bytes + sizeof size);
    code.insert(code.end(), object.begin(), object.end());
  }
  return code;
}

std::string explainedByLinker(const std::string &messages,
                              const std::vector<std::string> &sources) {
  std::string text, lastSource;
  std::istringstream lines(messages);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t other = line.find("; "); // then follow other places of the symbol
    if (const std::string source = sourceIn(line.substr(0, other), sources); !source.empty())
      lastSource = source;
    std::string said;
    if (const std::string missing = symbolBehind(line, "undefined reference to `");
        !missing.empty()) {
      said = lastSource + ": error: undefined symbol '" + demangled(missing) +
             "': no source of this .gp file defines it\n";
    } else if (const std::string twice = symbolBehind(line, "multiple definition of `");
               !twice.empty()) {
      said = lastSource + ": error: duplicate symbol '" + demangled(twice) +
             "': " + sourceIn(other == std::string::npos ? "" : line.substr(other), sources) +
             " defines it, too\n";
    }
    if (text.find(said) == std::string::npos)
      text += said;
  }
  return text.empty() ? messages : text;
}

std::vector<std::byte> linked(const std::vector<CompiledObject> &objects,
                              const std::vector<std::string> &clang,
                              const std::vector<std::string> &flags) {
  const auto folder = folderForObjects();
  const std::string result = (folder->path() / "codelets.so").string();
  std::vector<std::string> files, sources;
  for (const CompiledObject &object : objects) {
    for (const std::span<const std::byte> elf : unpacked(object.code)) {
      const auto file = folder->path() / (std::to_string(sources.size()) + ".o");
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char *>(elf.data()),
                 static_cast<std::streamsize>(elf.size()));
      files.push_back(file.string());
      sources.push_back(object.source);
    }
  }
  if (isLinkedWithoutClang(files, result, clang, flags))
    return bytesOf(result);
  std::vector<std::string> arguments = clang;
  arguments.insert(arguments.end(),
                   {"-shared", "-static-libgcc", "-Wl,-z,defs", "-Wl,--no-demangle", "-o", result});
  arguments.insert(arguments.end(), files.begin(), files.end());
  std::ranges::copy_if(flags, std::back_inserter(arguments), isForLinker);
  const ChildResult answer = runChild(arguments, "", "", kCompileDeadline);
  if (answer.exitCode != 0)
    throw LinkError(explainedByLinker(answer.errors, sources), missingIn(answer.errors));
  return bytesOf(result);
}

} // namespace copse::popc
