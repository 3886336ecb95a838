#include "codelet_compiler.hpp"

#include "object_linker.hpp"
#include "own_prefix.hpp"

#include "popc/child_process.hpp"
#include "popc/popc.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <system_error>

namespace copse::popc {
namespace {

namespace fs = std::filesystem;

constexpr const char *kName = "codelet-compiler";

std::string whereProgramIs() {
  if (const auto prefix = ownPrefix())
    if (std::error_code error; fs::exists(*prefix / "lib" / "copse" / kName, error))
      return (*prefix / "lib" / "copse" / kName).string();
  return COPSE_CODELET_COMPILER;
}

/// Returns a hint for tile instructions in code of a CPU target, because the assembler's own
/// message does not help.
std::string hintFor(const std::string &errors) {
  const bool asmOfTile = errors.find("no such instruction") != std::string::npos ||
                         errors.find("invalid instruction mnemonic") != std::string::npos;
  return asmOfTile ? "instructions of the tile cannot stand in native code: guard them with "
                     "__IPU__, or put them into a .S file\n"
                   : "";
}

/// Reads a line of the program's output, "KEY VALUE".
void take(const std::string &line, CompiledObject &object, std::size_t &objects) {
  const std::size_t blank = line.find(' ');
  const std::string key = line.substr(0, blank), value = line.substr(blank + 1);
  if (key == "definition")
    object.definitions.push_back(value);
  else if (key == "declaration")
    object.declarations.push_back(value);
  else if (key == "objects")
    objects = std::stoul(value);
}

} // namespace

void checkSuccess(const ChildResult &result, const std::string &program,
                  const TranslationUnit &unit) {
  if (result.exitCode != 0)
    throw CompileError(result.errors.empty()
                           ? unit.path + ": the compiler '" + program + "' ended with code " +
                                 std::to_string(result.exitCode)
                           : result.errors + hintFor(result.errors));
  *unit.messages << result.errors; // warnings
}

CodeletCompiler::CodeletCompiler() : program_(whereProgramIs()) {}

std::string CodeletCompiler::output(const std::string &llvmText, const Job &job,
                                    const TranslationUnit &unit) const {
  std::vector<std::string> words{program_};
  words.insert(words.end(), job.settings.begin(), job.settings.end());
  for (const std::vector<std::string> *const list : {&job.simplifier, &job.generator}) {
    words.emplace_back("--");
    words.insert(words.end(), list->begin(), list->end());
  }
  ChildResult result = runChild(words, llvmText, unit.directory, kCompileDeadline);
  checkSuccess(result, program_, unit);
  return std::move(result.output);
}

CompiledObject CodeletCompiler::objectOf(const std::string &llvmText, Job job,
                                         const TranslationUnit &unit) const {
  const auto folder = folderForObjects();
  job.settings.push_back("folder=" + folder->path().string());
  CompiledObject object{unit.path, {}, {}};
  std::size_t count = 0;
  std::istringstream lines(output(llvmText, job, unit));
  for (std::string line; std::getline(lines, line);)
    take(line, object, count);
  std::vector<std::vector<std::byte>> objects;
  for (std::size_t i = 0; i < count; ++i)
    objects.push_back(bytesOf(folder->path() / (std::to_string(i) + ".o")));
  object.code = packed(objects);
  return object;
}

std::string CodeletCompiler::assemblyOf(const std::string &llvmText, Job job,
                                        const TranslationUnit &unit) const {
  const auto folder = folderForObjects();
  job.settings.push_back("folder=" + folder->path().string());
  job.settings.emplace_back("write=assembly");
  output(llvmText, job, unit);
  std::ifstream in(folder->path() / "assembly", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace copse::popc
