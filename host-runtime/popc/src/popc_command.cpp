#include "popc/popc_command.hpp"

#include "completed_modules.hpp"
#include "source_text.hpp"

#include "popc/arch.hpp"
#include "popc/popc.hpp"
#include "poplar/VersionString.hpp"
#include "types/copse_version.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>

namespace copse::popc {
namespace {

constexpr const char *kHelp = R"(usage: popc [options] -o <output.gp> <input>...

Compiles codelets (.cpp, .c, tile assembly .S; - is standard input) to one .gp file for
Graph::addCodelets(). .gp files among the inputs are added to the output. C++ sources are compiled
separately and linked together.

  -o <file>          output; default: the name of the first input with the ending .gp
  --target <list>    targets, separated by commas (--list-targets prints them); default: those of
                     cpu, ipu1 and ipu2 that the codelets compile for. Also as JSON: ["ipu2",
                     {"name": "ipu2:slow", "arch": "ipu2", "compile-flags": ["-O0"]}], where the
                     last is a variant, which the .gp file holds and no graph uses.
                     Where C++ has other branches for other processors than IPUs, the .gp file
                     also holds these: variant "ipu2:model", for graphs of an IPUModel
  -D<macro>[=value]  define a macro           -U<macro>   undefine it
  -I<path>           search for headers here  -std=<dialect>  default: c++17
  -O0 .. -O3         optimisation; default: -O3
  -g                 debugging information
  -W<warning>        passed to the C++ compiler, as are all other flags
  -c                 accepted, without effect: a .gp file always holds compiled codelets
  -S, --S            write assembly instead: the code that stands for the tile's on this machine;
                     of tile assembly, the text behind the preprocessor. Default output: .s
  -E                 write the preprocessed sources instead; default: to standard output
  --no-sources       leave out the sources, from which copse check compiles the codelets again
  -msupervisor       for IPU targets: define __SUPERVISOR__
  -U__IPU__          for IPU targets: compile the branches that sources have for other processors
  --list-targets     print the targets and end
  --version, --help  print the version or this text and end

Examples:
  popc codelets.cpp                          to codelets.gp, for the targets that it compiles for
  popc --target ipu2,cpu -o all.gp a.cpp b.cpp vertex.S
  popc -o all.gp one.gp other.gp             puts what both have into one file

The compiler is $COPSE_CXX, else the clang of the LLVM that popc is built with.
)";

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Code for a target that is compiled in another way, and its name.
struct Variant {
  std::string name;
  Architecture arch;
  std::vector<std::string> flags;
};

struct Command {
  std::optional<SourceText> text; ///< written instead of a .gp file
  std::vector<std::string> inputs;
  std::string output;
  bool keepsSources = true;
  CompileOptions options;
  std::vector<Variant> variants;
};

Architecture targetNamed(const std::string &name) {
  const auto arch = archNamed(name);
  if (!arch)
    throw UsageError("unknown target '" + name + "'; there are " + targetList());
  return *arch;
}

void addTarget(Architecture arch, std::vector<Architecture> &targets) {
  if (std::ranges::find(targets, arch) == targets.end())
    targets.push_back(arch);
}

std::vector<Architecture> targetsNamed(const std::string &list) {
  std::vector<Architecture> targets;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');)
    addTarget(targetNamed(name), targets);
  return targets;
}

/// Reads the targets from a JSON list, whose elements are names of targets or objects.
/// \throws UsageError
void chooseFromJson(const std::string &list, Command &command) {
  using nlohmann::json;
  try {
    for (const json &target : json::parse(list)) {
      const std::string name = target.is_string() ? target : target.at("name");
      const std::string arch = target.is_string() ? name : target.value("arch", name);
      if (name == arch)
        addTarget(targetNamed(arch), command.options.targets);
      else
        command.variants.push_back(
            {name, targetNamed(arch), target.value("compile-flags", std::vector<std::string>{})});
    }
  } catch (const json::exception &error) {
    throw UsageError("--target '" + list + "' is no list of targets: " + error.what());
  }
}

/// Returns true for flags of the C++ compiler whose argument is the next word.
bool takesArgument(const std::string &flag) {
  static const std::vector<std::string> kFlags{"-D", "-U", "-I", "-isystem", "-iquote", "-include"};
  return std::find(kFlags.begin(), kFlags.end(), flag) != kFlags.end();
}

class CommandLine {
public:
  explicit CommandLine(const std::vector<std::string> &words) : words_(words) {}

  Command parse() {
    command_.options.targets = targetsNamed(kDefaultTargets);
    command_.options.whereverItCompiles = true;
    command_.options.mayLackSymbols = true;
    command_.options.withIpuModelCode = true;
    while (at_ < words_.size())
      takeWord(words_[at_++]);
    if (command_.inputs.empty())
      throw UsageError("no input files");
    if (command_.output.empty() && command_.text != SourceText::Preprocessed)
      command_.output = defaultOutput();
    return std::move(command_);
  }

private:
  void takeWord(const std::string &word) {
    if (word == "-o")
      command_.output = argumentOf(word);
    else if (word == "--target" || word == "-target")
      chooseTargets(argumentOf(word));
    else if (word.starts_with("--target=") || word.starts_with("-target="))
      chooseTargets(word.substr(word.find('=') + 1));
    else if (word == "-c")
      return; // a .gp file holds compiled codelets anyway
    else if (word == "-S" || word == "--S")
      command_.text = SourceText::Assembly;
    else if (word == "-E")
      command_.text = SourceText::Preprocessed;
    else if (word == "--no-sources")
      command_.keepsSources = false;
    else if (word == "-" || !word.starts_with("-"))
      command_.inputs.push_back(word);
    else
      takeFlag(word);
  }

  void chooseTargets(const std::string &list) {
    command_.options.whereverItCompiles = false;
    command_.options.targets.clear();
    command_.variants.clear();
    if (list.starts_with("["))
      chooseFromJson(list, command_);
    else
      command_.options.targets = targetsNamed(list);
    if (command_.options.targets.empty() && command_.variants.empty())
      throw UsageError("--target needs a list, such as " + targetList());
  }

  void takeFlag(const std::string &flag) {
    if (flag == "--emit-llvm" || flag == "-emit-llvm")
      throw UsageError(flag +
                       ": codelets become native code of this machine, so there is no code of "
                       "the tile's for LLVM; leave it out for a .gp file");
    if (flag.starts_with("--"))
      throw UsageError("unknown option '" + flag + "'");
    command_.options.flags.push_back(flag);
    if (takesArgument(flag))
      command_.options.flags.push_back(argumentOf(flag));
  }

  const std::string &argumentOf(const std::string &option) {
    if (at_ == words_.size())
      throw UsageError(option + " needs an argument");
    return words_[at_++];
  }

  std::string defaultOutput() const {
    const std::string &first = command_.inputs.front();
    if (first == "-" || first.ends_with(".gp"))
      throw UsageError("-o <output> is needed here");
    return first.substr(0, first.find_last_of('.')) + (command_.text ? ".s" : ".gp");
  }

  const std::vector<std::string> &words_;
  std::size_t at_ = 0;
  Command command_;
};

bool isGiven(const std::vector<std::string> &arguments, const char *option) {
  return std::ranges::find(arguments, option) != arguments.end();
}

std::vector<std::string> sourcesAmong(std::vector<std::string> inputs) {
  std::erase_if(inputs, [](const std::string &input) { return input.ends_with(".gp"); });
  return inputs;
}

std::vector<Module> compiledVariant(const Variant &variant, const Command &command) {
  if (isGiven(command.inputs, "-"))
    throw UsageError("- for '" + variant.name + "': variants of targets are compiled from files");
  CompileOptions options = command.options;
  options.targets = {variant.arch};
  options.withIpuModelCode = false;
  options.flags.insert(options.flags.end(), variant.flags.begin(), variant.flags.end());
  std::vector<Module> modules = compileFiles(sourcesAmong(command.inputs), options);
  for (Module &module : modules)
    module.variant = variant.name;
  return modules;
}

std::vector<Module> compileInputs(const Command &command, std::istream &in) {
  if (!isGiven(command.inputs, "-"))
    return compileFiles(command.inputs, command.options);
  if (command.inputs.size() > 1)
    throw UsageError("- stands for the only input");
  return compileSource({std::istreambuf_iterator<char>(in), {}}, "stdin.cpp", command.options);
}

std::vector<Source> readSources(const Command &command, std::istream &in) {
  if (isGiven(command.inputs, "-"))
    return {{{std::istreambuf_iterator<char>(in), {}}, "stdin.cpp"}};
  const std::vector<std::string> paths = sourcesAmong(command.inputs);
  if (paths.size() != command.inputs.size())
    throw UsageError("a .gp file has no text; copse objdump writes the tile code of one");
  return sourcesIn(paths, command.options.directory);
}

/// \param out  used if the command names no file
void writeText(const Command &command, std::istream &in, std::ostream &out) {
  const std::string text = textOf(readSources(command, in), command.options, *command.text);
  if (command.output.empty()) {
    out << text;
    return;
  }
  std::ofstream file(command.output, std::ios::binary);
  file << text;
  if (!file.flush())
    throw FileError(command.output + ": cannot be written");
}

void build(const Command &command, std::istream &in, std::ostream &messages) {
  std::vector<Module> modules = compileInputs(command, in);
  for (const Variant &variant : command.variants)
    std::ranges::move(compiledVariant(variant, command), std::back_inserter(modules));
  if (!command.variants.empty())
    complete(modules); // also between code of a variant and .gp files that have it
  tellMissing(modules, messages);
  if (!command.keepsSources)
    for (Module &module : modules)
      if (module.missing.empty())
        module.sources.clear();
  std::ofstream out(command.output, std::ios::binary);
  writeGp(out, modules);
  if (!out.flush())
    throw FileError(command.output + ": cannot be written");
}

} // namespace

int runPopc(const std::vector<std::string> &arguments, std::istream &in, std::ostream &out,
            std::ostream &err) {
  if (isGiven(arguments, "--help")) {
    out << kHelp;
    return 0;
  }
  if (isGiven(arguments, "--version")) {
    // Programs' scripts take the third word for the version of Poplar, and the text in parentheses
    // for that of the SDK.
    out << "POPLAR version " << poplar::versionString() << "\n" << types::copseVersion() << "\n";
    return 0;
  }
  if (isGiven(arguments, "--list-targets")) {
    out << targetList() << "\n";
    return 0;
  }
  try {
    const Command command = CommandLine(arguments).parse();
    if (command.text)
      writeText(command, in, out);
    else
      build(command, in, err);
    return 0;
  } catch (const UsageError &e) {
    err << "popc: " << e.what() << "\nTry popc --help\n";
    return 2;
  } catch (const std::exception &e) {
    err << e.what() << "\n";
    return 1;
  }
}

} // namespace copse::popc
