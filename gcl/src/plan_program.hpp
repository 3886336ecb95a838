#pragma once

#include "matrix.hpp"
#include "plan.hpp"
#include "ring.hpp"

#include <gcl/CollectiveTypes.hpp>
#include <map>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace gcl {

/// The operation of a plan's folds on two elements.
enum class Combination { Add, Multiply, Minimum, Maximum, And, Or, BitOr };

/// How a plan reduces.
struct Reduction {
  Combination combination = Combination::Add;
  unsigned divisor = 1; ///< of the sums
};

/// Adds a vertex that combines \p into, on \p tile, with each of the rows \p parts, one after the
/// other.
/// \param into   shape [columns]
/// \param parts  [rows][columns], flat
void addCombine(poplar::Graph &graph, poplar::ComputeSet set, unsigned tile,
                const poplar::Tensor &into, const poplar::Tensor &parts, Combination combination);

/// Where a replica stands in its group's ring, on every tile that needs to know. The constructor
/// appends the steps that compute it.
class Positions {
public:
  /// \param tiles  ascending
  Positions(poplar::Graph &graph, const Ring &ring, const std::vector<unsigned> &tiles,
            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
  /// \returns UNSIGNED_INT, shape {}, on \p tile
  const poplar::Tensor &on(unsigned tile) const { return onTile_.at(tile); }

private:
  std::map<unsigned, poplar::Tensor> onTile_;
};

/// Turns plans into programs.
class PlanProgram {
public:
  /// Keeps references to its arguments.
  PlanProgram(const Ring &ring, const Matrix &matrix, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext);

  void run(const Plan &plan, const Reduction &reduction);
  /// Elements of rows [0, rows) become zero on all members but the one at \p position.
  void zeroUnlessAt(unsigned position, std::size_t rows);
  void square(std::size_t rows);

private:
  void reorder(const std::vector<unsigned> &blocks, unsigned members);
  void move(const std::vector<Move> &moves);
  void fold(const std::vector<Fold> &folds, Combination combination);
  void divide(unsigned divisor);
  void execute(poplar::ComputeSet set);
  poplar::ComputeSet computeSet(const std::string &name);
  poplar::VertexRef addVertex(poplar::ComputeSet set, const std::string &type, unsigned tile,
                              std::size_t elements, unsigned instructionsForWord);
  std::size_t beginOf(Part part) const;
  std::size_t endOf(Part part) const;

  const Ring &ring_;
  const Matrix &matrix_;
  poplar::Graph &graph_;
  poplar::program::Sequence &prog_;
  poplar::DebugContext debugContext_;
  Positions positions_;
};

Combination combinationOf(CollectiveOperator op); ///< ADD for those that are not combined otherwise

/// The unsigned type of the same size: what moves elements does not care about their type.
poplar::Type bitsOf(const poplar::Graph &graph, const poplar::Type &type);

} // namespace gcl
