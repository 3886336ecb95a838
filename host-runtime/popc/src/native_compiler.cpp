#include "popc/native_compiler.hpp"

#include "codelet_compiler.hpp"
#include "compiler_identity.hpp"
#include "cpu_level.hpp"
#include "inline_assembly.hpp"
#include "object_linker.hpp"
#include "own_builtins.hpp"
#include "own_prefix.hpp"
#include "tile_calls.hpp"
#include "tile_pointers.hpp"

#include "popc/arch.hpp"
#include "popc/child_process.hpp"
#include "popc/popc.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Returns the folder of the device headers: in the installation that contains this code, else in
/// the source tree.
std::string deviceHeaders() {
  std::error_code error;
  if (const auto prefix = ownPrefix();
      prefix && fs::exists(*prefix / "include" / "poplar" / "Vertex.hpp", error))
    return (*prefix / "include").string();
  return COPSE_SOURCE_INCLUDE;
}

void append(Words &to, const Words &words) { to.insert(to.end(), words.begin(), words.end()); }

bool has(const Words &flags, const char *flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

bool startsWith(const std::string &text, const char *prefix) { return text.rfind(prefix, 0) == 0; }

/// The header that precedes each source in C++. It is found by the normal search for headers,
/// because a program may be in another place than the folder of device headers.
constexpr const char *kHeadersOfCodelets = "poplar/CodeletHeaders.hpp";

/// The flag that makes functions of the source the supervisor's by default.
const std::string kSupervisorFlag = "-msupervisor";

Words targetMacros(const TranslationUnit &unit) {
  const ArchTraits &traits = traitsOf(unit.arch);
  Words words{"-D__POPC__=1", "-D__COPSE_SLOT_BITS__=" + std::to_string(traits.slotBits)};
  if (traits.ipuArchVersion != 0)
    append(words,
           {"-D__IPU_ARCH_VERSION__=" + std::to_string(traits.ipuArchVersion), "-D__IPU__=1"});
  if (traits.ipuArchVersion != 0 &&
      std::ranges::find(unit.flags, kSupervisorFlag) != unit.flags.end())
    words.emplace_back("-D__SUPERVISOR__=1");
  return words;
}

/// Returns true for flags that only the tile's compiler has.
bool isOfTilesCompiler(const std::string &flag) {
  return flag == kSupervisorFlag || flag == "-mworker" || flag == "-mno-supervisor";
}

/// Returns true for dialects of C++, which do not apply to the sources in C of a command line.
bool isDialectOfCpp(const std::string &flag) {
  return startsWith(flag, "-std=c++") || startsWith(flag, "-std=gnu++");
}

/// Returns all flags that decide what the code means, for preprocessing and compiling alike,
/// because headers test them. Defaults come first, so that the user's flags override them; flags
/// that modules rely on come last.
Words codeFlags(const TranslationUnit &unit, const std::string &cpuLevel) {
  const bool isC = isInC(unit.path);
  // A short loop that does not begin at a fetch line may take half as long again. Without aligned
  // functions, the preceding code would decide which loops do.
  Words words{"-O3", isC ? "-std=gnu17" : "-std=c++17", "-falign-functions=64", "-falign-loops=64"};
  append(words, targetMacros(unit));
  std::ranges::copy_if(unit.flags, std::back_inserter(words), [&](const auto &flag) {
    return !isOfTilesCompiler(flag) && !(isC && isDialectOfCpp(flag));
  });
  // Without any optimisation, copies of fields look like fields (poplar/TileAddress.hpp).
  std::replace(words.begin(), words.end(), std::string("-O0"), std::string("-O1"));
  // Large frames are touched page by page, so that no frame can skip the guard page of a thread's
  // stack. The tile has no errno.
  append(words,
         {"-fPIC", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off",
          "-fno-threadsafe-statics", "-fstack-clash-protection", "-fno-math-errno"});
  // On a tile a pointer fits into an unsigned, and sources cast it to check alignment. Clang
  // permits this cast here only as an extension of Microsoft's; the other extensions are switched
  // off.
  if (traitsOf(unit.arch).ipuArchVersion != 0)
    append(words, {"-fms-extensions", "-fno-asm-blocks"});
  if (has(unit.flags, kCheckedFlag))
    words.emplace_back("-gline-tables-only");
  if (has(unit.flags, kDebuggedFlag))
    append(words, {"-g", "-fstandalone-debug"});
  append(words, processorFlags(cpuLevel));
  return words;
}

/// Returns the flags that also apply to assembly.
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

/// Switches off warnings about popc's changes to a source. The source is compiled from expanded
/// text, in which clang warns of more. The switches follow the user's flags.
const Words kSilenced{"-Wno-gnu-line-marker",
                      "-Wno-unused-command-line-argument",
                      "-Wno-pragma-system-header-outside-header",
                      "-Wno-pragma-once-outside-header",
                      "-Wno-pass-failed",
                      "-Wno-unknown-pragmas",
                      "-Wno-pointer-to-int-cast",    // harmless on a tile
                      "-Wno-unknown-attributes",     // [[poplar::constraint]]
                      "-Wno-unevaluated-expression", // kinds of assembly operands
                      "-Wno-override-module"};

/// Returns the flags that decide how LLVM's text becomes code.
Words codeGeneratorFlags(const Words &flags) {
  static constexpr std::array kPrefixes{"-O", "-f", "-m", "-g"};
  Words kept;
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(kept), [](const auto &flag) {
    return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                       [&](const char *prefix) { return startsWith(flag, prefix); });
  });
  return kept;
}

/// Returns the flags for simplifying LLVM's text. They do not depend on this machine, so that all
/// machines get identical text.
Words simplifierFlags(const Words &flags) {
  Words kept;
  for (const std::string &flag : codeGeneratorFlags(flags))
    if (!startsWith(flag, "-m") && !startsWith(flag, "-O"))
      kept.push_back(flag);
  append(kept, {"-O2", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"});
  return kept;
}

bool isOfIpu(const TranslationUnit &unit) { return traitsOf(unit.arch).ipuArchVersion != 0; }

/// Returns true if the unit's halves have 16 bits: on IPU targets, and on CPU targets with the flag
/// for it.
bool hasShortHalves(const TranslationUnit &unit) {
  return isOfIpu(unit) || has(unit.flags, kAccurateHalfFlag);
}

std::string quoted(const std::string &text) {
  std::string literal = "\"";
  for (char c : text)
    literal += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
  return literal + "\"";
}

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Returns the place of \p word if only blanks separate it from \p end.
std::optional<std::size_t> wordBefore(const std::string &text, std::size_t end,
                                      std::string_view word) {
  while (end > 0 && isBlank(text[end - 1]))
    --end;
  if (end < word.size() || std::string_view(text).substr(end - word.size(), word.size()) != word)
    return std::nullopt;
  return end - word.size();
}

/// Returns the beginning of the `target(` or `gnu::target(` whose argument is at \p argument.
std::optional<std::size_t> targetBefore(const std::string &text, std::size_t argument) {
  const auto open = wordBefore(text, argument, "(");
  if (!open)
    return std::nullopt;
  auto target = wordBefore(text, *open, "__target__");
  if (!target)
    target = wordBefore(text, *open, "target");
  if (!target)
    return std::nullopt;
  for (const std::string_view scope : {"gnu::", "clang::"})
    if (const auto scoped = wordBefore(text, *target, scope))
      return scoped;
  return target;
}

/// Removes attributes that only a tile's compiler knows, such as target("supervisor"), and that are
/// errors for clang. Lines keep their numbers.
std::string withoutTileAttributes(std::string text) {
  for (const std::string attribute : {"\"supervisor\"", "\"worker\""})
    for (std::size_t at = text.find(attribute); at != std::string::npos;
         at = text.find(attribute, at + attribute.size())) {
      const auto begin = targetBefore(text, at);
      const std::size_t close = text.find(')', at);
      if (!begin || close == std::string::npos)
        continue;
      std::replace_if(
          text.begin() + static_cast<std::ptrdiff_t>(*begin),
          text.begin() + static_cast<std::ptrdiff_t>(close + 1), [](char c) { return c != '\n'; },
          ' ');
    }
  return text;
}

ChildResult runCompiler(const Words &arguments, const std::string &input,
                        const TranslationUnit &unit) {
  ChildResult result = runChild(arguments, input, unit.directory, kCompileDeadline);
  checkSuccess(result, arguments.front(), unit);
  return result;
}

/// Returns the symbols that cannot be functions of tile code.
Words withoutTileCalls(const Words &missing, const Words &declarations) {
  Words others;
  for (const std::string &symbol : missing)
    if (!tileCalls({symbol}, declarations))
      others.push_back(symbol);
  return others;
}

} // namespace

bool isInC(const std::string &path) { return path.ends_with(".c"); }

NativeCompiler::NativeCompiler()
    : clang_(chooseClang()), cpuLevel_(cpuLevelForCodelets()), include_(deviceHeaders()) {}

Words NativeCompiler::deviceHeaderFlags() const {
  // The vendor's popc also finds Poplar's headers by names without their folder.
  Words flags{"-isystem", include_, "-isystem", include_ + "/poplar"};
  // The C++ library looks for C's headers in folders behind its own (#include_next). A folder that
  // is named here comes before them.
  if (fs::path(include_).lexically_normal() == "/usr/include")
    flags.erase(flags.begin(), flags.begin() + 2);
  return flags;
}

Words NativeCompiler::preprocessing(const TranslationUnit &unit) const {
  const bool isC = isInC(unit.path);
  Words arguments = clang_.command;
  append(arguments, codeFlags(unit, cpuLevel_));
  // With Microsoft's extensions, clang expands macros in pragmas (#pragma unroll STEPS), which it
  // cannot do later.
  append(arguments, {"-fms-extensions", "-fno-asm-blocks"});
  append(arguments, deviceHeaderFlags());
  if (!isC)
    append(arguments, {"-include", kHeadersOfCodelets});
  append(arguments, {"-iquote", fs::path(unit.path).parent_path().string(), "-E", "-v", "-x",
                     isC ? "c" : "c++", "-"});
  return arguments;
}

ExpandedSource NativeCompiler::preprocess(const TranslationUnit &unit) const {
  const std::string marker = "#line 1 " + quoted(unit.path) + "\n";
  const Words arguments = preprocessing(unit);
  ChildResult result = runChild(arguments, marker + unit.source, unit.directory, kCompileDeadline);
  auto folders = includeFoldersIn(result.errors);
  result.errors = withoutVerbosity(result.errors);
  checkSuccess(result, arguments.front(), unit);
  return {withOwnBuiltins(withoutTileAttributes(std::move(result.output))), std::move(folders)};
}

Words NativeCompiler::processorFlags() const { return popc::processorFlags(cpuLevel_); }

Words NativeCompiler::ownFlags() const {
  Words flags;
  std::ranges::copy_if(clang_.command, std::back_inserter(flags), [](const auto &word) {
    // Other words are programs: "ccache clang++".
    return word.starts_with('-') || word.starts_with('@');
  });
  return flags;
}

std::string NativeCompiler::identity() const {
  return include_ + "\n" + compilerIdentity(clang_.command);
}

std::string NativeCompiler::preprocessAssembly(const TranslationUnit &unit) const {
  Words arguments = clang_.command;
  // Undefines this machine's macros, which may be names in the source.
  append(arguments, {"-Ulinux", "-Uunix", "-Ui386"});
  append(arguments, targetMacros(unit));
  append(arguments, preprocessorFlags(unit.flags));
  append(arguments, deviceHeaderFlags());
  append(arguments, {"-iquote", fs::path(unit.path).parent_path().string(), "-E", "-x",
                     "assembler-with-cpp", "-"});
  const std::string marker = "#line 1 " + quoted(unit.path) + "\n";
  return runCompiler(arguments, marker + unit.source, unit).output;
}

std::string NativeCompiler::llvmText(const std::string &expanded,
                                     const TranslationUnit &unit) const {
  Words arguments = clang_.command;
  append(arguments, codeFlags(unit, cpuLevel_));
  // Each operation of halves rounds its result, as on the tile.
  append(arguments, {"-Xclang", "-ffloat16-excess-precision=none"});
  if (!isInC(unit.path))
    arguments.emplace_back("-fno-access-control");
  append(arguments, kSilenced);
  // On the tile a half becomes a float at no cost, but clang would warn of each.
  if (hasShortHalves(unit))
    arguments.emplace_back("-Wno-double-promotion");
  append(arguments, {"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-x",
                     isInC(unit.path) ? "cpp-output" : "c++-cpp-output", "-o", "-", "-"});
  return runCompiler(arguments, expanded, unit).output;
}

/// Returns LLVM text in which inline assembly has become calls.
ModuleWithAssembly NativeCompiler::llvmTextOfTile(const std::string &expanded,
                                                  const TranslationUnit &unit) const {
  const SourceWithAssembly source = withTileAssembly(expanded, isInC(unit.path));
  auto module =
      withInlineAssembly(withTilePointers(llvmText(source.text, unit)), source, unit.arch);
  *unit.messages << module.warnings;
  return module;
}

ModuleWithAssembly NativeCompiler::module(const std::string &expanded,
                                          const TranslationUnit &unit) const {
  return isOfIpu(unit) ? llvmTextOfTile(expanded, unit)
                       : ModuleWithAssembly{llvmText(expanded, unit), {}, {}, {}};
}

Words NativeCompiler::settings(const TranslationUnit &unit) const {
  Words words{"source=" + unit.path, "arch=" + std::string(traitsOf(unit.arch).name)};
  if (hasShortHalves(unit))
    words.emplace_back(isOfIpu(unit) ? "arithmetic=program" : "arithmetic=saturating");
  if (has(unit.flags, kUncountedFlag))
    words.emplace_back("counted=no");
  if (has(unit.flags, kCheckedFlag))
    words.push_back("checks=" + include_);
  if (has(unit.flags, kDebuggedFlag))
    words.emplace_back("debugged=yes");
  return words;
}

Words NativeCompiler::simplifier(const TranslationUnit &unit) const {
  Words arguments = ownFlags();
  append(arguments, simplifierFlags(codeFlags(unit, cpuLevel_)));
  append(arguments, kSilenced);
  append(arguments, {"-S", "-emit-llvm", "-x", "ir", "-o", "-", "-"});
  return arguments;
}

Words NativeCompiler::generator(const Words &flags, const TranslationUnit &unit) const {
  Words arguments = ownFlags();
  append(arguments, codeGeneratorFlags(flags));
  if (has(unit.flags, kDebuggedFlag))
    arguments.emplace_back("-O1"); // no vectors, and most variables stay visible
  append(arguments, kSilenced);
  // The count of a loop is a product, which LLVM computes outside of the loop only if it considers
  // it cheap.
  append(arguments, {"-mllvm", "-scev-cheap-expansion-budget=16"});
  // Loops of unknown count that do not vectorise gain nothing from unrolling here, which takes a
  // fifth of the compiler's time.
  append(arguments, {"-mllvm", "-unroll-runtime=false"});
  append(arguments, {"-c", "-x", "ir", "-o", "-", "-"});
  return arguments;
}

CompiledObject NativeCompiler::compile(const std::string &expanded,
                                       const TranslationUnit &unit) const {
  ModuleWithAssembly module = this->module(expanded, unit);
  CompiledObject object = CodeletCompiler().objectOf(
      module.text, {settings(unit), simplifier(unit), generator(codeFlags(unit, cpuLevel_), unit)},
      unit);
  object.uses = std::move(module.uses);
  object.supervisorPlaces = std::move(module.supervisorPlaces);
  return object;
}

std::string NativeCompiler::assembly(const std::string &expanded,
                                     const TranslationUnit &unit) const {
  return CodeletCompiler().assemblyOf(
      module(expanded, unit).text,
      {settings(unit), simplifier(unit), generator(codeFlags(unit, cpuLevel_), unit)}, unit);
}

LinkedObjects NativeCompiler::link(const std::vector<CompiledObject> &objects,
                                   const Words &flags) const {
  try {
    return {linked(objects, clang_.command, flags), {}};
  } catch (const LinkError &error) {
    Words declarations;
    for (const CompiledObject &object : objects)
      append(declarations, object.declarations);
    const auto calls =
        error.missing.empty() ? std::nullopt : tileCalls(error.missing, declarations);
    if (!calls)
      throw LinkError(error.what(), withoutTileCalls(error.missing, declarations));
    const TranslationUnit unit; // for a CPU, so that calls count no cycles
    std::vector<CompiledObject> all = objects;
    all.push_back(CodeletCompiler().objectOf(
        *calls, {{"source=<calls of tile code>"}, {}, generator({"-O2", "-fPIC"}, unit)}, unit));
    return {linked(all, clang_.command, flags), error.missing};
  }
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
              "-include",
              kHeadersOfCodelets};
  append(words, deviceHeaderFlags());
  append(words, targetMacros(unit));
  // Paths become absolute, because libclang's own -working-directory changes the folder of the
  // whole process.
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

} // namespace copse::popc
