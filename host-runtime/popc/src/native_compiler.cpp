#include "popc/native_compiler.hpp"

#include "codelet_compiler.hpp"
#include "compiler_identity.hpp"
#include "cpu_level.hpp"
#include "object_linker.hpp"
#include "own_prefix.hpp"

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

/// Returns the source behind a line that gives its path for messages.
std::string withItsName(const TranslationUnit &unit) {
  return "#line 1 " + quoted(unit.path) + "\n" + unit.source;
}

ChildResult runCompiler(const Words &arguments, const std::string &input,
                        const TranslationUnit &unit) {
  ChildResult result = runChild(arguments, input, unit.directory, kCompileDeadline);
  checkSuccess(result, arguments.front(), unit);
  return result;
}

/// Returns the line that declares a function that may be tile code; empty if there is none.
std::string declarationOf(const std::string &symbol, const std::vector<CompiledObject> &objects) {
  const std::string name = "@" + symbol + "(";
  for (const CompiledObject &object : objects)
    for (const std::string &line : object.declarations)
      if (line.find(name) != std::string::npos)
        return line + "\n";
  return "";
}

} // namespace

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

Words NativeCompiler::deviceFlags(const TranslationUnit &unit) const {
  Words flags = deviceHeaderFlags();
  append(flags, targetMacros(unit));
  return flags;
}

Words NativeCompiler::preprocessing(const TranslationUnit &unit) const {
  const bool isC = isInC(unit.path);
  Words arguments = ownFlags();
  append(arguments, codeFlags(unit, cpuLevel_));
  // With Microsoft's extensions, clang expands macros in pragmas (#pragma unroll STEPS), which it
  // cannot do later.
  append(arguments, {"-fms-extensions", "-fno-asm-blocks"});
  append(arguments, deviceHeaderFlags());
  if (!isC)
    append(arguments, {"-include", kHeadersOfCodelets});
  append(arguments, {"-iquote", fs::path(unit.path).parent_path().string(), "-E", "-x",
                     isC ? "c" : "c++", "-"});
  return arguments;
}

std::string NativeCompiler::expanded(const TranslationUnit &unit) const {
  return begin(unit)->expanded().text;
}

std::unique_ptr<CodeletCompiler> NativeCompiler::begin(const TranslationUnit &unit) const {
  return std::make_unique<CodeletCompiler>(jobFromSource(unit), unit, withItsName(unit));
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
  return runCompiler(arguments, withItsName(unit), unit).output;
}

Words NativeCompiler::frontEnd(const TranslationUnit &unit) const {
  Words arguments = ownFlags();
  std::ranges::copy_if(codeFlags(unit, cpuLevel_), std::back_inserter(arguments),
                       [](const auto &flag) { return !startsWith(flag, "-save-temps"); });
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
  return arguments;
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

CompilerJob NativeCompiler::job(const TranslationUnit &unit) const {
  return {settings(unit),
          {},
          frontEnd(unit),
          simplifier(unit),
          generator(codeFlags(unit, cpuLevel_), unit)};
}

CompilerJob NativeCompiler::jobFromSource(const TranslationUnit &unit) const {
  CompilerJob job = this->job(unit);
  job.preprocessor = preprocessing(unit);
  job.settings.push_back("builtins=" + include_ + "/poplar/Vertex.hpp");
  job.settings.push_back("info=slotBits=" + std::to_string(traitsOf(unit.arch).slotBits) +
                         ";cpu=" + cpuLevel_);
  return job;
}

CompiledObject NativeCompiler::compileAgain(const std::string &text,
                                            const TranslationUnit &unit) const {
  Module module = CodeletCompiler(job(unit), unit).compiledFrom(text).module;
  return {unit.path, std::move(module.elf), std::move(module.declarations)};
}

std::string NativeCompiler::assembly(const TranslationUnit &unit) const {
  CompilerJob job = jobFromSource(unit);
  job.settings.emplace_back("write=assembly");
  return CodeletCompiler(job, unit, withItsName(unit)).assembly();
}

LinkedObjects NativeCompiler::link(const std::vector<CompiledObject> &objects,
                                   const Words &flags) const {
  try {
    return {linked(objects, clang_.command, flags), {}};
  } catch (const LinkError &error) {
    std::string declarations;
    Words others; // symbols that cannot be functions of tile code
    for (const std::string &symbol : error.missing)
      if (const std::string line = declarationOf(symbol, objects); !line.empty())
        declarations += line;
      else
        others.push_back(symbol);
    if (declarations.empty() || !others.empty())
      throw LinkError(error.what(), others);
    const TranslationUnit unit; // for a CPU, so that calls count no cycles
    std::vector<CompiledObject> all = objects;
    const CompilerJob job{
        {"source=<calls of tile code>"}, {}, {}, {}, generator({"-O2", "-fPIC"}, unit)};
    Module added = CodeletCompiler(job, unit).compiledFrom(declarations).module;
    all.push_back({added.name, std::move(added.elf), {}});
    return {linked(all, clang_.command, flags), error.missing};
  }
}

} // namespace copse::popc
