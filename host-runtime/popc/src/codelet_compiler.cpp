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

std::string textOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
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

CodeletCompiler::CodeletCompiler(const CompilerJob &job, const TranslationUnit &unit,
                                 const std::string &source)
    : unit_(unit), folder_(folderForObjects()) {
  std::vector<std::string> words{whereProgramIs(), "folder=" + folder_->path().string()};
  words.insert(words.end(), job.settings.begin(), job.settings.end());
  for (const std::vector<std::string> *const list :
       {&job.preprocessor, &job.frontEnd, &job.simplifier, &job.generator}) {
    words.emplace_back("--");
    words.insert(words.end(), list->begin(), list->end());
  }
  program_ = std::make_unique<ChildProcess>(words, unit.directory);
  if (!job.preprocessor.empty())
    expand(source);
}

void CodeletCompiler::expand(const std::string &source) {
  ChildResult answer =
      program_->answer(std::to_string(source.size()) + "\n" + source, kCompileDeadline);
  expanded_.folders = includeFoldersIn(answer.errors);
  answer.errors = withoutVerbosity(answer.errors);
  constexpr std::size_t kEnd = 2; // a null, and whether the text depends on __IPU__
  const bool isWhole =
      answer.output.size() >= kEnd && answer.output[answer.output.size() - kEnd] == '\0';
  if (!isWhole) {
    const ChildResult end = program_->end("", kCompileDeadline);
    answer.errors += end.errors;
    answer.exitCode = end.exitCode;
  }
  checkSuccess(answer, kName, unit_);
  if (!isWhole)
    throw CompileError(unit_.path + ": " + kName + " has not expanded it");
  expanded_.testsIpu = answer.output.back() == 'i';
  answer.output.resize(answer.output.size() - kEnd);
  expanded_.text = std::move(answer.output);
}

void CodeletCompiler::end(const std::string &input) {
  checkSuccess(program_->end(input, kCompileDeadline), kName, unit_);
}

CompiledSource CodeletCompiler::compiledFrom(const std::string &text) {
  end(text);
  std::ifstream table(folder_->path() / "module.gp", std::ios::binary);
  std::vector<Module> modules = readGp(table, unit_.path);
  CompiledSource source{std::move(modules.at(0)), textOf(folder_->path() / "text")};
  std::vector<std::vector<std::byte>> objects;
  for (fs::path file = folder_->path() / "0.o"; fs::exists(file);
       file = folder_->path() / (std::to_string(objects.size()) + ".o"))
    objects.push_back(bytesOf(file));
  source.module.elf = packed(objects);
  return source;
}

std::string CodeletCompiler::assembly() {
  end("c");
  return textOf(folder_->path() / "assembly");
}

} // namespace copse::popc
