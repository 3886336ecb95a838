#include "codelets/native_compiler.hpp"

#include "codelets/arch.hpp"
#include "codelets/child_process.hpp"
#include "codelets/compiler_identity.hpp"
#include "codelets/popc.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <unistd.h>
#include <utility>

namespace copse::codelets {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::chrono::seconds kDeadline{600};

/// Our device headers: of the installation that this code was loaded from, else of the source tree.
std::string deviceHeaders() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void *>(&deviceHeaders), &info) != 0) {
    // A program's own name is what it was called by: no path, if it was found on the PATH.
    const std::string_view name = info.dli_fname;
    const bool isPath = name.find('/') != std::string_view::npos;
    std::error_code error;
    const fs::path self = fs::canonical(isPath ? name : "/proc/self/exe", error);
    const fs::path installed = self.parent_path().parent_path() / "include";
    if (!error && fs::exists(installed / "poplar" / "Vertex.hpp", error))
      return installed.string();
  }
  return COPSE_SOURCE_INCLUDE;
}

std::string cpuLevelHere() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v3"))
    return "x86-64-v3";
  return __builtin_cpu_supports("x86-64-v2") ? "x86-64-v2" : "x86-64";
#elif defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("fma");
  return v3 ? "x86-64-v3" : "x86-64-v2";
#else
  return "";
#endif
}

std::string environmentVariable(const char *name) {
  const char *value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// What to try as the compiler; who names one for codelets gets that or none.
Words candidates() {
  if (std::string chosen = environmentVariable("COPSE_CXX"); !chosen.empty())
    return {std::move(chosen)};
  Words names{"g++", "c++", "clang++"};
  if (std::string usual = environmentVariable("CXX"); !usual.empty())
    names.insert(names.begin(), std::move(usual));
  return names;
}

void append(Words &to, const Words &words) { to.insert(to.end(), words.begin(), words.end()); }

bool startsWith(const std::string &text, const char *prefix) { return text.rfind(prefix, 0) == 0; }

Words targetMacros(const TranslationUnit &unit) {
  const ArchTraits &traits = traitsOf(unit.arch);
  Words words{"-D__POPC__=1", "-D__COPSE_SLOT_BITS__=" + std::to_string(traits.slotBits)};
  if (traits.ipuArchVersion != 0)
    words.push_back("-D__IPU_ARCH_VERSION__=" + std::to_string(traits.ipuArchVersion));
  if (traits.ipuArchVersion != 0 && unit.nativeIpu)
    words.push_back("-D__IPU__=1");
  if (unit.builtinHalf)
    words.push_back("-D__COPSE_BUILTIN_HALF__=1");
  return words;
}

/// Everything that decides what the code means: for preprocessing and for compiling, as headers
/// look at it. Defaults stand first, so that the user's flags win; what modules rely on stands
/// last.
Words codeFlags(const TranslationUnit &unit, const std::string &cpuLevel) {
  // A short loop that does not start a fetch line may take half as long again; and with functions
  // anywhere, it depends on the code before it which loops do.
  Words words{"-O3", "-std=c++17", "-falign-functions=64", "-falign-loops=64"};
  append(words, targetMacros(unit));
  append(words, unit.flags);
  // Large frames are touched page by page: none steps over the page below a thread's stack.
  append(words, {"-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti",
                 "-ffp-contract=off", "-fno-threadsafe-statics", "-fstack-clash-protection"});
  if (!cpuLevel.empty())
    words.push_back("-march=" + cpuLevel);
  if (!cpuLevel.empty() && unit.builtinHalf)
    words.push_back("-mno-f16c"); // poplar/BuiltinHalf.hpp rounds
  return words;
}

/// Of a command line for C++, what assembly has a use for.
Words preprocessorFlags(const Words &flags) {
  static constexpr std::array kPrefixes{"-D", "-U", "-I", "-isystem", "-iquote", "-include"};
  Words kept;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string prefix : kPrefixes)
      if (startsWith(flags[i], prefix.c_str())) {
        kept.push_back(flags[i]);
        if (flags[i] == prefix && i + 1 < flags.size())
          kept.push_back(flags[++i]);
        break;
      }
  return kept;
}

/// Warnings of this compiler that are none of a codelet's, behind the user's flags: sources that
/// say -Werror are written for the tile's compiler, a clang.
Words silenced(bool isClang, const Words &userFlags) {
  // Vertex classes are never constructed, so every const field would be told of.
  Words words{"-Wno-attributes", "-Wno-uninitialized", "-Wno-unknown-pragmas"};
  if (isClang) {
    // It warns of what it finds in its own preprocessed text, and of flags that are used up by
    // then.
    append(words, {"-Wno-gnu-line-marker", "-Wno-unused-command-line-argument"});
    return words;
  }
  // What only g++ has, or has in -Wall.
  append(words, {"-Wno-maybe-uninitialized", "-Wno-class-memaccess", "-Wno-stringop-overflow",
                 "-Wno-stringop-overread", "-Wno-array-bounds", "-Wno-nonnull", "-Wno-psabi",
                 "-Wno-implicit-fallthrough"});
  const auto asks = [&](const char *flag) {
    return std::find(userFlags.begin(), userFlags.end(), flag) != userFlags.end();
  };
  if (!asks("-Wextra") && !asks("-W") && !asks("-Wsign-compare"))
    words.push_back("-Wno-sign-compare");
  return words;
}

std::string quoted(const std::string &text) {
  std::string literal = "\"";
  for (char c : text)
    literal += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
  return literal + "\"";
}

/// Attributes that only a tile's compiler knows; the system's takes them for errors.
std::string withoutTileAttributes(std::string text) {
  for (const std::string attribute : {"\"supervisor\"", "\"worker\""}) {
    for (std::size_t at = text.find(attribute); at != std::string::npos;
         at = text.find(attribute, at)) {
      const std::size_t begin = text.rfind("__attribute__", at);
      const std::size_t end = text.find(")))", at);
      if (begin == std::string::npos || end == std::string::npos || at - begin > 64 ||
          text.substr(begin, at - begin).find("target") == std::string::npos) {
        at += attribute.size();
        continue;
      }
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(begin),
                text.begin() + static_cast<std::ptrdiff_t>(end + 3), ' ');
    }
  }
  return text;
}

/// A file for the compiler's output that is gone when we are.
class TemporaryFile {
public:
  TemporaryFile() {
    std::string name = (fs::temp_directory_path() / "copse-codelet-XXXXXX").string();
    const int fd = ::mkstemp(name.data());
    if (fd < 0)
      throw CompileError("cannot make a temporary file in " + fs::temp_directory_path().string());
    ::close(fd);
    path_ = name;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  const fs::path &path() const { return path_; }
  std::vector<std::byte> bytes() const {
    std::ifstream in(path_, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto *data = reinterpret_cast<const std::byte *>(text.data());
    return {data, data + text.size()};
  }

private:
  fs::path path_;
};

/// Tile instructions within native code: the assembler's words for it help nobody.
std::string hintFor(const std::string &errors, const TranslationUnit &unit) {
  const bool asmOfTile = errors.find("no such instruction") != std::string::npos ||
                         errors.find("invalid instruction mnemonic") != std::string::npos;
  if (!asmOfTile)
    return "";
  return unit.nativeIpu
             ? "instructions of the tile cannot stand in native code: without --native-ipu "
               "the source takes the branch that it has for where __IPU__ is not defined\n"
             : "instructions of the tile cannot stand in native code: guard them with "
               "__IPU__, or put them into a .S file\n";
}

ChildResult runCompiler(const Words &arguments, const std::string &input,
                        const TranslationUnit &unit) {
  ChildResult result = runChild(arguments, input, unit.directory, kDeadline);
  if (result.exitCode != 0)
    throw CompileError(result.errors.empty()
                           ? unit.path + ": the compiler '" + arguments.front() +
                                 "' ended with code " + std::to_string(result.exitCode)
                           : result.errors + hintFor(result.errors, unit));
  std::cerr << result.errors; // warnings
  return result;
}

} // namespace

NativeCompiler::NativeCompiler() : cpuLevel_(cpuLevelHere()), include_(deviceHeaders()) {
  for (const std::string &candidate : candidates()) {
    command_ = splitFlags(candidate);
    if (command_.empty())
      continue;
    Words query = command_;
    query.push_back("--version");
    const ChildResult answer = runChild(query, "", "", kDeadline);
    if (answer.exitCode == 0) {
      version_ = candidate + ": " + answer.output;
      return;
    }
  }
  if (const std::string chosen = environmentVariable("COPSE_CXX"); !chosen.empty())
    throw CompileError("COPSE_CXX: '" + chosen + "' is no C++ compiler that can be run");
  throw CompileError("codelets need a C++ compiler: install g++, or name one in COPSE_CXX");
}

Words NativeCompiler::preprocessing(const TranslationUnit &unit) const {
  Words arguments = command_;
  append(arguments, codeFlags(unit, cpuLevel_));
  append(arguments, {"-isystem", include_, "-iquote", fs::path(unit.path).parent_path().string(),
                     "-E", "-x", "c++", "-"});
  return arguments;
}

std::string NativeCompiler::preprocess(const TranslationUnit &unit) const {
  const std::string marker = "#line 1 " + quoted(unit.path) + "\n";
  return withoutTileAttributes(runCompiler(preprocessing(unit), marker + unit.source, unit).output);
}

std::optional<IncludeFolders> NativeCompiler::includeFolders(const TranslationUnit &unit) const {
  Words arguments = preprocessing(unit);
  arguments.push_back("-v");
  const ChildResult result = runChild(arguments, "", unit.directory, kDeadline);
  return result.exitCode == 0 ? includeFoldersIn(result.errors) : std::nullopt;
}

Words NativeCompiler::ownFlags() const {
  Words flags;
  std::copy_if(command_.begin(), command_.end(), std::back_inserter(flags), [](const auto &word) {
    return word.starts_with('-') || word.starts_with('@'); // else a program: "ccache g++"
  });
  return flags;
}

std::string NativeCompiler::identity() const {
  return include_ + "\n" + compilerIdentity(command_);
}

std::string NativeCompiler::preprocessAssembly(const TranslationUnit &unit) const {
  TranslationUnit forTile = unit;
  forTile.nativeIpu = true; // this is code of the tile itself
  Words arguments = command_;
  // This machine's own macros, which may be names in the source.
  append(arguments, {"-Ulinux", "-Uunix", "-Ui386"});
  append(arguments, targetMacros(forTile));
  append(arguments, preprocessorFlags(unit.flags));
  append(arguments, {"-isystem", include_, "-iquote", fs::path(unit.path).parent_path().string(),
                     "-E", "-x", "assembler-with-cpp", "-"});
  const std::string marker = "#line 1 " + quoted(unit.path) + "\n";
  return runCompiler(arguments, marker + unit.source, unit).output;
}

std::vector<std::byte> NativeCompiler::compile(const std::string &expanded,
                                               const TranslationUnit &unit) const {
  const TemporaryFile object;
  Words arguments = command_;
  append(arguments, codeFlags(unit, cpuLevel_));
  append(arguments, {"-shared", "-static-libgcc", "-fno-access-control"});
  append(arguments, silenced(version_.find("clang") != std::string::npos, unit.flags));
  append(arguments, {"-x", "c++-cpp-output", "-o", object.path().string(), "-"});
  runCompiler(arguments, expanded, unit);
  return object.bytes();
}

std::vector<std::string> NativeCompiler::parserArguments(const TranslationUnit &unit) const {
  Words words{"-x",
              "c++",
              "-std=c++17",
              "-w",
              "-ferror-limit=0",
              "-fno-access-control",
              "-fno-exceptions",
              "-fno-rtti",
              "-isystem",
              include_};
  append(words, targetMacros(unit));
  // Paths become absolute: libclang's own -working-directory moves the whole process there.
  const auto absolute = [&](const std::string &path) {
    const fs::path whole = fs::path(unit.directory) / path;
    return fs::exists(whole) ? whole.string() : path;
  };
  static constexpr std::array kWithPath{"-I", "-isystem", "-iquote", "-include"};
  static constexpr std::array kWithText{"-D", "-U", "-std="};
  for (std::size_t i = 0; i < unit.flags.size(); ++i) {
    const std::string &flag = unit.flags[i];
    const auto begins = [&](const char *prefix) { return startsWith(flag, prefix); };
    const auto path = std::find_if(kWithPath.begin(), kWithPath.end(), begins);
    const auto text = std::find_if(kWithText.begin(), kWithText.end(), begins);
    if (path == kWithPath.end() && text == kWithText.end())
      continue;
    const std::string prefix = path != kWithPath.end() ? *path : *text;
    std::string value = flag.substr(prefix.size());
    const bool apart = value.empty() && i + 1 < unit.flags.size();
    if (apart)
      value = unit.flags[++i];
    if (path != kWithPath.end())
      value = absolute(value);
    append(words, apart ? Words{prefix, value} : Words{prefix + value});
  }
  return words;
}

} // namespace copse::codelets
