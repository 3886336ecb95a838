#include "call_paths.hpp"

#include "program_tree.hpp"

#include <algorithm>
#include <limits>

namespace copse::compiler {

using graph::ProgramNode;

namespace {

/// The limit for the cost of a walk over all calls of one function [steps].
constexpr std::uint64_t kMostSteps = 1 << 17;

/// The length of a function or program, and its calls.
struct Body {
  std::uint64_t steps = 0;
  std::vector<std::uint32_t> calls; ///< one entry for each call
};

Body bodyOf(const graph::ProgramPtr &program) {
  Body body;
  visitNodes(program, [&](const ProgramNode &node) {
    ++body.steps;
    if (const auto *call = graph::as<graph::kind::Call>(node))
      body.calls.push_back(call->function);
  });
  return body;
}

std::uint64_t limited(std::uint64_t a, std::uint64_t b) {
  return std::min(a + b, std::numeric_limits<std::uint64_t>::max() / 4);
}

} // namespace

std::vector<bool> functionsToFollow(const graph::Model &model,
                                    std::span<const graph::ProgramPtr> programs) {
  const std::size_t functions = model.functions.size();
  std::vector<Body> bodies;
  bodies.reserve(functions);
  for (const graph::ProgramPtr &function : model.functions)
    bodies.push_back(bodyOf(function));
  // The number of paths from a program's start into each function.
  std::vector<std::uint64_t> paths(functions, 0);
  for (const graph::ProgramPtr &program : programs)
    for (const std::uint32_t f : bodyOf(program).calls)
      ++paths[f];
  // A function exists before it can be called, so callers come after their callees.
  std::vector<bool> follow(functions, false);
  for (std::size_t f = functions; f-- > 0;) {
    follow[f] =
        paths[f] <= 1 || paths[f] <= kMostSteps / std::max<std::uint64_t>(bodies[f].steps, 1);
    for (const std::uint32_t callee : bodies[f].calls)
      paths[callee] = limited(paths[callee], follow[f] ? paths[f] : 1);
  }
  return follow;
}

} // namespace copse::compiler
