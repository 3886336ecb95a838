#pragma once

#include "compiler/placement.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace copse::compiler {

/// Replaces the estimate of a vertex whose code counts its own cycles.
inline constexpr std::uint64_t kCountedByCode = ~std::uint64_t{0};

/// Returns the cycles of one vertex if there is an estimate, or kCountedByCode.
using CycleEstimate = std::function<std::optional<std::uint64_t>(std::uint32_t vertex)>;

/// The steps of Execute(cs): an exchange into buffers, the compute set, and an exchange back.
struct LoweredComputeSet {
  std::optional<std::uint32_t> before, after; ///< index of the exchange, equal on every IPU
  bool beforeExternal = false, afterExternal = false;
};

class VertexMemory;

/// Lowers all compute sets once everything that they use has an address: their vertices with
/// states, and the exchanges that fill and drain the buffers of their edges.
class ComputeSetLowering {
public:
  ComputeSetLowering(const graph::Model &model, const VertexIndex &index,
                     const Placement &placement, const VertexMemory &memory)
      : model_(model), index_(index), placement_(placement), memory_(memory) {}

  /// Adds compute sets, vertex states and exchanges to \p images, shape [ipus].
  /// \param functionOf  the number of the codelet function, by vertex type
  std::vector<LoweredComputeSet> emit(std::vector<wire::Image> &images,
                                      const std::vector<std::uint32_t> &functionOf,
                                      const CycleEstimate &estimate) const;

private:
  LoweredComputeSet emitExchanges(std::uint32_t computeSet, std::vector<wire::Image> &images) const;
  bool readsRegisters(std::uint32_t computeSet) const;
  std::vector<std::vector<wire::Region>> writtenBy(std::uint32_t computeSet) const;
  std::uint32_t cyclesOf(std::uint32_t vertex, std::optional<std::uint64_t> given) const;
  void emitVertices(std::uint32_t computeSet, std::vector<wire::Image> &images,
                    const std::vector<std::uint32_t> &functionOf,
                    const CycleEstimate &estimate) const;

  const graph::Model &model_;
  const VertexIndex &index_;
  const Placement &placement_;
  const VertexMemory &memory_;
};

} // namespace copse::compiler
