#include "profile/auto_report_files.hpp"

#include "graph/serialization.hpp"
#include "poplar/exceptions.hpp"
#include "types/debug_streamer.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace copse::profile {

namespace {

void writeSerializedGraph(const std::string &path, const poplar::Graph &graph) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  graph.serialize(file, poplar::SerializationFormat::JSON);
  if (!file.flush())
    throw poplar::file_load_error("the graph '" + path +
                                  "' cannot be written; see autoReport.directory");
}

/// Writes one context for each named thing of the graph.
void writeDebugInfo(const std::string &path, const graph::Model &model) {
  types::DebugStreamer file(path, poplar::DebugSerializationFormat::CBOR);
  std::uint64_t id = 0;
  const auto write = [&](const char *category, const std::string &name, nlohmann::json context) {
    context["id"] = ++id;
    context["parentId"] = 0;
    context["layer"] = "poplar";
    context["category"] = category;
    file.write(std::move(context), name, {});
  };
  for (const graph::Variable &variable : model.variables)
    if (!variable.name.empty())
      write(variable.constant ? "constant" : "variable", variable.name,
            {{"elementType", graph::serializedName(variable.type)}, {"shape", variable.shape}});
  for (const graph::ComputeSetDef &set : model.computeSets)
    if (!set.name.empty())
      write("computeset", set.name, nlohmann::json::object());
}

} // namespace

types::ReportFiles filesOf(std::string engine, types::ReportFiles files) {
  std::ranges::replace(engine, '/', '_');
  if (!engine.empty())
    files.directory = (std::filesystem::path(files.directory) / engine).string();
  return files;
}

std::string reportPath(const types::ReportFiles &files, const char *name) {
  std::error_code failed; // opening the file reports the failure
  std::filesystem::create_directories(files.directory, failed);
  return (std::filesystem::path(files.directory) / name).string();
}

std::string variableDumpPath(const types::EngineOptions &options) {
  if (!options.variableDumpFile.empty() || !options.reports.loweredVariables)
    return options.variableDumpFile;
  return reportPath(options.reports, "vars.txt");
}

void writeGraphFiles(const types::ReportFiles &files, const poplar::Graph &graph,
                     const graph::Model &model) {
  if (files.serializedGraph)
    writeSerializedGraph(reportPath(files, "serialized_graph.json"), graph);
  // If libraries have described their operations, the file is written at the end of the process.
  if (files.graphDebugInfo || (files.debugInfo && !types::hasDebugInfo()))
    writeDebugInfo(reportPath(files, "debug.cbor"), model);
}

} // namespace copse::profile
