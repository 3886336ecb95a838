#pragma once

#include "graph/state.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace copse::graph {

// The names of registers with an effect on tiles (wire::TileRegisters).
inline constexpr char kFloatingPointRegisters[] = "floatingPointBehaviour";
inline constexpr char kSeedRegisters[] = "hwSeeds";

/// Registers as programs see them: words that exist once on every tile, whichever graph refers to
/// them.
///
/// The registers are a variable of the top-level graph, which is created when it is first needed.
class RegisterVariables {
public:
  /// \param initial  words of all tiles at load, used when the variable is created
  RegisterVariables(poplar::Graph &graph, std::string name, std::uint32_t wordsPerTile,
                    const std::vector<std::uint32_t> &initial);

  /// Returns the number of tiles of the top-level graph of one replica.
  static std::uint32_t allTiles(const poplar::Graph &graph);

  /// Returns a tensor of \p graph, shape {tiles, words per tile}, that \p prog fills.
  poplar::Tensor read(poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
  /// Makes \p prog set the registers to \p values, a tensor returned by read().
  void write(poplar::program::Sequence &prog, const poplar::Tensor &values,
             const poplar::DebugContext &debugContext);
  /// Makes \p prog set word \p word of every tile.
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
