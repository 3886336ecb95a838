#pragma once

#include "wire/image.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

/// The meaning of VertexRecord::cycles: either an estimate, or a flag that the vertex's code counts
/// its cycles at run time (wire/codelet_abi.hpp, kCycleOffsetSymbol).
namespace copse::wire {

inline constexpr std::uint32_t kCountedFlag = 0x80000000, kMostEstimatedCycles = kCountedFlag - 1;

/// Returns the record of a vertex with an estimate.
/// \param cycles  is reduced to the largest estimate that a record can represent
constexpr std::uint32_t estimatedRecord(std::uint64_t cycles) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(cycles, kMostEstimatedCycles));
}
/// Returns the record of a vertex that counts its cycles.
/// \param guess  used for planning before the vertex has run
constexpr std::uint32_t countedRecord(std::uint64_t guess) {
  return kCountedFlag | estimatedRecord(guess);
}

/// The cycles of one IPU's vertices in their last run, for the compute sets whose cycles only a run
/// can tell: by compute set, shape [ComputeSet::vertices] [tile cycles].
using MeasuredCycles = std::map<std::uint32_t, std::vector<std::uint64_t>>;

constexpr bool isCounted(std::uint32_t record) { return (record & kCountedFlag) != 0; }
/// Returns true if only a run tells the cycles of \p vertex: its code counts them, or is tile code.
inline bool isMeasured(const VertexRecord &vertex, const std::vector<CodeletFunction> &functions) {
  return isCounted(vertex.cycles) || isTileCode(functions[vertex.function].kind);
}
inline bool hasMeasuredVertices(const Image &image) {
  return std::ranges::any_of(image.computeSets, [&](const ComputeSet &set) {
    return std::ranges::any_of(set.vertices, [&](const VertexRecord &vertex) {
      return isMeasured(vertex, image.functions);
    });
  });
}
/// Returns true if a call occupies all workers of its tile instead of one.
inline bool occupiesAllWorkers(const CodeletFunction &function) {
  return function.multiVertex || function.kind == CodeKind::Supervisor ||
         function.kind == CodeKind::NativeSupervisor;
}
/// Returns the estimate, or the guess for a counted vertex.
constexpr std::uint32_t expectedCycles(std::uint32_t record) {
  return record & kMostEstimatedCycles;
}

} // namespace copse::wire
