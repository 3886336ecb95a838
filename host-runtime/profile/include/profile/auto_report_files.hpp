#pragma once

#include "graph/model.hpp"
#include "poplar/Graph.hpp"
#include "types/engine_options.hpp"

#include <string>

/// The files besides the profile that autoReport.* requests when a graph is compiled.
namespace copse::profile {

/// Returns the files of an engine. An engine with a name has its own folder in
/// autoReport.directory, so that the engines of a program do not overwrite each other's files.
types::ReportFiles filesOf(std::string engine, types::ReportFiles files);

/// Returns the path of a file in autoReport.directory, which is created if it does not exist.
std::string reportPath(const types::ReportFiles &files, const char *name);

/// Returns the path of the text file with the addresses of variables; empty if none is requested.
/// debug.loweredVarDumpFile takes precedence.
std::string variableDumpPath(const types::EngineOptions &options);

/// Writes serialized_graph.json for autoReport.outputSerializedGraph, and debug.cbor for
/// autoReport.outputDebugInfo if the program's options request it. That debug.cbor lacks the
/// DebugInfo objects of libraries, which were created earlier.
/// \throws poplar::file_load_error
void writeGraphFiles(const types::ReportFiles &files, const poplar::Graph &graph,
                     const graph::Model &model);

} // namespace copse::profile
