#pragma once

#include "graph/program_node.hpp"

#include <nlohmann/json.hpp>

namespace copse::graph {

struct Model;

/// \p program as a tree, for people and tools: its kind, name and details, and the same of the
/// programs in it. A function is listed at each call of it.
nlohmann::ordered_json outlineOf(const Model &model, const ProgramNode &program);

} // namespace copse::graph
