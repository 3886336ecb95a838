#pragma once

#include "graph/model.hpp"
#include "poplar/Graph.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace copse::graph {

struct GraphState;

/// The costs of a graph's vertices, as far as the user has given them. Create one object per
/// compilation: the first call of an estimator sorts the model's edges by vertex. Keeps the graph's
/// state alive; the graph must not change meanwhile.
class Estimates {
public:
  /// \param ignoresSet  true: estimates of setPerfEstimate have no effect
  explicit Estimates(const poplar::Graph &graph, bool ignoresSet = false);
  ~Estimates();

  /// Returns the estimate of setPerfEstimate, else of the estimator registered for the vertex's
  /// type, else nothing. Passes on exceptions of the estimator.
  ///
  /// Thread: one at a time.
  std::optional<PerfEstimate> of(std::uint32_t vertex) const;

private:
  struct Index;
  std::shared_ptr<const GraphState> state_;
  bool ignoresSet_;
  const Index &index() const;
  mutable std::unique_ptr<const Index> index_; ///< created by the first call of an estimator
};

} // namespace copse::graph
