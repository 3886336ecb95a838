#pragma once

#include "graph/model.hpp"
#include "poplar/Graph.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace copse::graph {

struct GraphState;

/// What the vertices of a graph cost, as far as the user has said so. Made once per compilation:
/// the first estimator that is asked has the model's edges sorted by vertex. Keeps the graph's
/// state alive; the graph must not change meanwhile.
class Estimates {
public:
  explicit Estimates(const poplar::Graph &graph);
  ~Estimates();

  /// setPerfEstimate's, else what the estimator registered for the vertex's type says, else none.
  /// Passes on what the estimator throws.  Thread: one at a time.
  std::optional<PerfEstimate> of(std::uint32_t vertex) const;

private:
  struct Index;
  std::shared_ptr<const GraphState> state_;
  const Index &index() const;
  mutable std::unique_ptr<const Index> index_; ///< when an estimator was asked
};

} // namespace copse::graph
