#pragma once

#include "graph/state.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace copse::graph {

// Names of registers that have a meaning to the tiles (wire::TileRegisters).
inline constexpr char kFloatingPointRegisters[] = "floatingPointBehaviour";
inline constexpr char kSeedRegisters[] = "hwSeeds";

/// Words that every tile has once, whatever graph speaks of it: how programs see registers.
///
/// They are a variable of the top-level graph, made when it is first needed.
class RegisterVariables {
public:
  /// \param initial  words of all tiles at load, used when the variable is made
  RegisterVariables(poplar::Graph &graph, std::string name, std::uint32_t wordsPerTile,
                    const std::vector<std::uint32_t> &initial);

  /// Tiles of the top-level graph of one replica.
  static std::uint32_t allTiles(const poplar::Graph &graph);

  /// A tensor of \p graph, shape {tiles, words of each}, that \p prog fills.
  poplar::Tensor read(poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
  /// \p prog sets the registers to \p values, as read() gave them.
  void write(poplar::program::Sequence &prog, const poplar::Tensor &values,
             const poplar::DebugContext &debugContext);
  /// \p prog sets word \p word of every tile.
  void fill(poplar::program::Sequence &prog, std::uint32_t word, std::uint32_t value,
            const poplar::DebugContext &debugContext);

private:
  poplar::Tensor rows() const;
  poplar::Tensor onAllReplicas(const poplar::Tensor &t) const;
  poplar::Tensor tensor(View view) const;

  poplar::Graph &graph_;
  std::shared_ptr<GraphState> state_;
  std::uint32_t replication_;
  VariableId variable_;
};

} // namespace copse::graph
