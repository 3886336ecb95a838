#pragma once

#include "graph/model.hpp"
#include "poplar/Graph.hpp"
#include "types/engine_options.hpp"

#include <string>

/// The files that autoReport.* asks for when a graph is compiled, besides the profile.
namespace copse::profile {

/// The files of an engine: with a name it has a folder of its own in autoReport.directory, so that
/// engines of one program do not overwrite each other's.
types::ReportFiles filesOf(std::string engine, types::ReportFiles files);

/// A file of autoReport.directory, which is made if it is not there.
std::string reportPath(const types::ReportFiles &files, const char *name);

/// Where variables lie, as text; empty if nobody asks. debug.loweredVarDumpFile is the stronger.
std::string variableDumpPath(const types::EngineOptions &options);

/// serialized_graph.json of autoReport.outputSerializedGraph, and debug.cbor of
/// autoReport.outputDebugInfo where the program's options ask for it: DebugInfo objects of
/// libraries are not in that one, as they were made before.
/// \throws poplar::file_load_error
void writeGraphFiles(const types::ReportFiles &files, const poplar::Graph &graph,
                     const graph::Model &model);

} // namespace copse::profile
