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

/// The operation that a plan's folds apply to two elements.
enum class Combination { Add, Multiply, Minimum, Maximum, And, Or, BitOr };

/// How a plan reduces.
struct Reduction {
  Combination combination = Combination::Add;
  unsigned divisor = 1; ///< applied to the sums
};

/// Adds a vertex on \p tile that combines \p into with each of the rows \p parts, in order.
/// \param into   shape [columns]
/// \param parts  [rows][columns], flat
void addCombine(poplar::Graph &graph, poplar::ComputeSet set, unsigned tile,
                const poplar::Tensor &into, const poplar::Tensor &parts, Combination combination);

/// Holds a replica's position in its group's ring on every tile that needs it. The constructor
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

/// Turns the plan of a collective into programs: the moves of a step become cross-replica copies,
/// and its folds become compute sets.
///
/// Life: construct, run() once for each plan; the programs are appended to the sequence.
class PlanProgram {
public:
  /// Keeps references to its arguments.
  PlanProgram(const Ring &ring, const Matrix &matrix, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext);

  void run(const Plan &plan, const Reduction &reduction);
  /// Sets the elements of rows [0, rows) to zero on all members but the one at \p position.
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

/// Returns ADD for operators that have no combination of their own.
Combination combinationOf(CollectiveOperator op);

/// Returns the unsigned type of equal size, because moves of elements do not depend on their type.
poplar::Type bitsOf(const poplar::Graph &graph, const poplar::Type &type);

} // namespace gcl
