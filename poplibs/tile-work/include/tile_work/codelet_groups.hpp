#pragma once

#include <poplar/Graph.hpp>
#include <string>

namespace copse::tile_work {

/// Adds one of a library's files of compiled codelets to \p graph, unless the graph already has it.
///
/// The files lie in poplibs/<library>/<group>.gp beside the shared library that this is linked
/// into.
/// \param probe  one of the group's vertex types, as Graph::hasCodelet takes it
/// \throws poplar::file_load_error if there is no such file
void addCodeletGroup(poplar::Graph &graph, const std::string &library, const std::string &group,
                     const std::string &probe);

} // namespace copse::tile_work
