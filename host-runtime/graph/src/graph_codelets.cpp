#include "graph_impl.hpp"

#include "popc/arch.hpp"
#include "popc/native_compiler.hpp"
#include "popc/popc.hpp"
#include "popc/recompiled_module.hpp"
#include "poplar/Graph.hpp"
#include "types/checked_run.hpp"
#include "types/debugged_run.hpp"
#include "types/target_description.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

namespace poplar {

using copse::graph::Model;
using copse::popc::Architecture;
using copse::popc::CompileOptions;
using copse::popc::Module;

namespace {

/// Returns true if accesses are checked; CPU targets have no tile memory to check.
bool isChecked(const Model &model) {
  return model.arch != Architecture::Cpu && copse::types::isCheckedRun();
}

bool isDebugged(const Model &model) {
  return model.arch != Architecture::Cpu && copse::types::isDebuggedRun();
}

CompileOptions optionsFor(const copse::graph::GraphState &state, StringRef flags) {
  const Model &model = state.model;
  CompileOptions options;
  if (!copse::types::describe(state.target).compileIpuCode) {
    options.flags.emplace_back(copse::popc::kPortableFlag);
  }
  for (std::string &flag : copse::popc::splitFlags(flags)) {
    options.flags.push_back(std::move(flag));
  }
  if (model.arch == Architecture::Cpu && model.halfBytes == 2) {
    options.flags.emplace_back(copse::popc::kAccurateHalfFlag);
  }
  if (isChecked(model)) {
    options.flags.emplace_back(copse::popc::kCheckedFlag);
  }
  if (isDebugged(model)) {
    options.flags.emplace_back(copse::popc::kDebuggedFlag);
  }
  options.targets = {model.arch};
  return options;
}

/// Runs \p compile, which returns modules for the graph's target, and turns its failures into
/// Poplar's exceptions, with \p what as prefix.
template <typename Compile>
std::vector<Module> compiled(const std::string &what, std::ostream *output, Compile compile) {
  try {
    std::vector<Module> modules = compile();
    copse::popc::checkComplete(modules);
    return modules;
  } catch (const copse::popc::CompileError &error) {
    if (output) {
      *output << error.what();
    }
    throw graph_program_compilation_error("addCodelets of " + what + ":\n" + error.what());
  } catch (const copse::popc::FileError &error) {
    throw file_load_error("addCodelets of " + what + ": " + error.what());
  }
}

/// Adds \p modules, which must be for the graph's target. An existing vertex type is not replaced.
void addModules(Model &model, std::vector<Module> modules, const std::string &what) {
  if (modules.empty()) {
    throw file_load_error("addCodelets of " + what +
                          ": it has no codelets for the graph's target; compile it with popc "
                          "--target for that architecture");
  }
  for (Module &module : modules) {
    module.sources.clear(); // executables do not need them
    const auto index = static_cast<std::uint32_t>(model.modules.size());
    model.modules.push_back(std::make_shared<const Module>(std::move(module)));
    for (const auto &type : model.modules.back()->vertices) {
      const auto id = static_cast<std::uint32_t>(model.vertexTypes.size());
      if (model.vertexTypeByName.emplace(type.name, id).second) {
        model.vertexTypes.push_back(type);
        model.vertexTypeModule.push_back(index);
      }
    }
  }
}

bool isPrecompiled(const std::string &path, CodeletFileType type) {
  return type == CodeletFileType::Object ||
         (type == CodeletFileType::Auto && std::filesystem::path(path).extension() == ".gp");
}

/// \returns the modules for the graph's target. An IPUModel prefers modules made for one, because
///   Poplar's own model runs CPU code, for which libraries declare other fields.
std::vector<Module> chosenFrom(std::vector<Module> modules, const copse::graph::GraphState &state) {
  const Architecture arch = state.model.arch;
  const bool ofIpuModel = state.target.getTargetType() == TargetType::IPU_MODEL;
  const auto isForIpuModel = [&](const Module &module) {
    return module.variant == copse::popc::ipuModelVariant(arch);
  };
  std::erase_if(modules, [&](const Module &module) {
    const bool isChosen =
        module.variant.empty() || (ofIpuModel && isForIpuModel(module) && module.missing.empty());
    return module.arch != arch || !isChosen;
  });
  std::ranges::stable_partition(modules, isForIpuModel);
  return modules;
}

/// Prepares a precompiled module for `copse check` or `copse debug`.
Module asObserved(Module module, const std::string &name, const Model &model) {
  const bool checked = isChecked(model);
  if (!checked && !isDebugged(model)) {
    return module;
  }
  if (copse::popc::hasSources(module)) {
    return checked ? copse::popc::withChecks(std::move(module))
                   : copse::popc::withDebugInformation(std::move(module));
  }
  if (!module.elf.empty()) {
    std::cerr << (checked ? "copse check: " : "copse debug: ") << name << " has no sources: "
              << (checked ? "accesses of its codelets in C++ are not checked"
                          : "its codelets in C++ have no source lines and fields to look at")
              << "; compile it again without --no-sources\n";
  }
  return module;
}

/// Returns the modules in a `.gp` file for the graph's target.
std::vector<Module> readPrecompiled(std::istream &in, const std::string &name,
                                    const copse::graph::GraphState &state) {
  std::vector<Module> modules = chosenFrom(copse::popc::readGp(in, name, state.model.arch), state);
  for (Module &module : modules) {
    module = asObserved(std::move(module), name, state.model);
  }
  return modules;
}

std::vector<Module> readPrecompiledFile(const std::string &path,
                                        const copse::graph::GraphState &state) {
  if (const std::string why = copse::wire::whyUnreadable(path); !why.empty())
    throw copse::popc::FileError("cannot open the file: " + why);
  std::ifstream in(path, std::ios::binary);
  return readPrecompiled(in, path, state);
}

/// \returns false if it was added before
bool remember(copse::graph::GraphState &state, const std::string &source) {
  return state.codeletSources.insert(source).second;
}

std::string keyOf(const std::string &path, StringRef flags) {
  std::string key = std::filesystem::absolute(path).lexically_normal().string();
  key.push_back('\0');
  return key.append(std::string(flags));
}

void addFile(copse::graph::GraphState &state, const std::string &path, CodeletFileType type,
             StringRef flags, std::ostream *output) {
  const std::string what = "'" + path + "'";
  const std::string key = keyOf(path, flags);
  if (state.codeletSources.count(key) != 0) {
    return;
  }
  auto modules = compiled(what, output, [&] {
    return isPrecompiled(path, type)
               ? readPrecompiledFile(path, state)
               : chosenFrom(copse::popc::compileFile(path, optionsFor(state, flags)), state);
  });
  addModules(state.model, std::move(modules), what);
  remember(state, key);
}

/// Adds several files like popc, which links the C++ sources among them with each other.
void addFiles(copse::graph::GraphState &state, ArrayRef<std::string> paths, StringRef flags) {
  std::vector<std::string> fresh;
  std::string what;
  for (const std::string &path : paths) {
    if (state.codeletSources.count(keyOf(path, flags)) != 0) {
      continue;
    }
    fresh.push_back(path);
    what += (what.empty() ? "'" : ", '") + path + "'";
  }
  if (fresh.empty()) {
    return;
  }
  auto modules = compiled(what, nullptr, [&] {
    return chosenFrom(copse::popc::compileFiles(fresh, optionsFor(state, flags)), state);
  });
  addModules(state.model, std::move(modules), what);
  for (const std::string &path : fresh) {
    remember(state, keyOf(path, flags));
  }
}

/// Returns a source's name among compiled sources, under which a debugger finds the text.
std::string nameOfSource(const std::string &text, CodeletFileType type) {
  const std::string ending =
      getExtensionFromFileType(type == CodeletFileType::Auto ? CodeletFileType::CppSource : type);
  if (!copse::types::isDebuggedRun()) {
    return "stringstream" + ending;
  }
  std::string name = "stringstream-" + std::to_string(std::hash<std::string>()(text)) + ending;
  const std::filesystem::path folder = copse::types::debuggedSources();
  std::error_code ignored; // without the text, a debugger shows no lines
  std::filesystem::create_directories(folder, ignored);
  std::ofstream(folder / name) << text;
  return name;
}

void addSource(copse::graph::GraphState &state, std::stringstream &source, CodeletFileType type,
               StringRef flags, std::ostream *output) {
  const std::string text{std::istreambuf_iterator<char>(source), std::istreambuf_iterator<char>()};
  const std::string what = "a stringstream";
  const std::string key = '\0' + text + '\0' + std::string(flags);
  if (state.codeletSources.count(key) != 0) {
    return;
  }
  if (type == CodeletFileType::IrSource) {
    throw graph_program_compilation_error(
        "addCodelets of " + what + ": only C++, C, assembly and .gp text can be added this way");
  }
  auto modules = compiled(what, output, [&] {
    if (type == CodeletFileType::Object) {
      std::istringstream in(text);
      return readPrecompiled(in, what, state);
    }
    return copse::popc::compileSource(text, nameOfSource(text, type), optionsFor(state, flags));
  });
  addModules(state.model, std::move(modules), what);
  remember(state, key);
}

} // namespace

bool Graph::addCodelets(StringRef fileName, CodeletFileType type, StringRef compileFlags,
                        StringRef) {
  addFile(*impl().state, fileName, type, compileFlags, nullptr);
  return true;
}

bool Graph::addCodelets(StringRef fileName, CodeletFileType type, StringRef compileFlags,
                        std::ostream &compileOutput, StringRef) {
  addFile(*impl().state, fileName, type, compileFlags, &compileOutput);
  return true;
}

void Graph::addCodelets(std::stringstream &source, StringRef compileFlags, CodeletFileType type,
                        StringRef) {
  addSource(*impl().state, source, type, compileFlags, nullptr);
}

void Graph::addCodelets(std::stringstream &source, StringRef compileFlags,
                        std::ostream &compileOutput, CodeletFileType type, StringRef) {
  addSource(*impl().state, source, type, compileFlags, &compileOutput);
}

void Graph::addCodeletPlaceholder(std::stringstream &json, StringRef) {
  const auto described = nlohmann::json::parse(json, nullptr, false);
  if (!described.is_object()) {
    throw parse_error("addCodeletPlaceholder: the text is no JSON object");
  }
  const auto codelets = described.find("codelets");
  if (codelets != described.end() && !codelets->empty()) {
    throw graph_object_creation_error(
        "addCodeletPlaceholder: the text describes " + std::to_string(codelets->size()) +
        " codelets without code, which cannot be run; call addCodelets with their sources");
  }
}

bool Graph::addCodelets(ArrayRef<std::string> fileNames, StringRef compileFlags, StringRef) {
  addFiles(*impl().state, fileNames, compileFlags);
  return true;
}

} // namespace poplar
