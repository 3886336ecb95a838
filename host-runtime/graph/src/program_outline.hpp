#pragma once

#include "graph/program_node.hpp"

#include <nlohmann/json.hpp>

namespace copse::graph {

struct Model;

/// Returns \p program as a tree for people and tools: its kind, name and details, and its
/// children's. A function is listed at each of its calls.
nlohmann::ordered_json outlineOf(const Model &model, const ProgramNode &program);

} // namespace copse::graph
