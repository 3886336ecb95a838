#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace copse::compiler {

/// Rows of numbers in one flat array: row i lists the items that belong to i.
class Grouping {
public:
  /// \p keyOf(item) is the row of each of \p items items; a row keeps the order of its items.
  template <class KeyOf>
  Grouping(std::size_t rows, std::size_t items, KeyOf keyOf) : first_(rows + 1, 0) {
    for (std::size_t item = 0; item < items; ++item)
      ++first_[keyOf(item) + 1];
    for (std::size_t row = 0; row < rows; ++row)
      first_[row + 1] += first_[row];
    items_.resize(items);
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t item = 0; item < items; ++item)
      items_[next[keyOf(item)]++] = static_cast<std::uint32_t>(item);
  }
  std::span<const std::uint32_t> operator[](std::size_t row) const {
    return {items_.data() + first_[row], first_[row + 1] - first_[row]};
  }

  std::size_t rows() const { return first_.size() - 1; }

private:
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> items_;
};

/// Finds the items of each vertex and compute set, which the model stores in flat arrays in the
/// order of the calls.
struct VertexIndex {
  /// Indexes all vertices.
  explicit VertexIndex(const graph::Model &model)
      : VertexIndex(model, std::vector<bool>(model.computeSets.size(), true)) {}
  /// \param executed  for each compute set, whether a program executes it; the others get no
  ///   vertices
  VertexIndex(const graph::Model &model, const std::vector<bool> &executed)
      : edges(model.vertices.size(), model.edges.size(),
              [&](std::size_t i) { return model.edges[i].vertex; }),
        values(model.vertices.size(), model.fieldValues.size(),
               [&](std::size_t i) { return model.fieldValues[i].vertex; }),
        sizes(model.vertices.size(), model.fieldSizes.size(),
              [&](std::size_t i) { return model.fieldSizes[i].vertex; }),
        vertices(model.computeSets.size() + 1, model.vertices.size(), [&](std::size_t i) {
          const std::uint32_t set = model.vertices[i].computeSet;
          return executed[set] ? set : model.computeSets.size();
        }) {}
  /// Calls \p f for each vertex of a compute set that is executed.
  void visitVertices(const auto &f) const {
    for (std::size_t set = 0; set + 1 < vertices.rows(); ++set)
      for (const std::uint32_t vertex : vertices[set])
        f(vertex);
  }

  Grouping edges;  ///< edges of a vertex: indices into Model::edges
  Grouping values; ///< values of a vertex: indices into Model::fieldValues
  Grouping sizes;  ///< sizes of a vertex: indices into Model::fieldSizes
  /// Vertices of a compute set: indices into Model::vertices. The last row has the vertices of
  /// compute sets that are never executed.
  Grouping vertices;
};

/// Returns the vertices of a compute set ordered by tile, and on each tile by the order of calls.
std::vector<std::uint32_t> verticesByTile(const graph::Model &model, const VertexIndex &index,
                                          std::uint32_t computeSet);

} // namespace copse::compiler
