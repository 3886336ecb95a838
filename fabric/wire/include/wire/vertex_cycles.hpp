#pragma once

#include "wire/image.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

/// The meaning of VertexRecord::cycles: an estimate, or that the vertex's code counts what it takes as
/// it runs (wire/codelet_abi.hpp, kCycleOffsetSymbol).
namespace copse::wire {

inline constexpr std::uint32_t kCountedFlag = 0x80000000, kMostEstimatedCycles = kCountedFlag - 1;

/// \param cycles  larger estimates than a record can hold become the largest
constexpr std::uint32_t estimatedRecord(std::uint64_t cycles) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(cycles, kMostEstimatedCycles));
}
/// \param guess  for those who must plan before the vertex has run
constexpr std::uint32_t countedRecord(std::uint64_t guess) {
  return kCountedFlag | estimatedRecord(guess);
}

/// Cycles of one IPU's vertices when they ran last, of those compute sets for which only a run shows
/// them: by compute set, shape [ComputeSet::vertices] [tile cycles].
using MeasuredCycles = std::map<std::uint32_t, std::vector<std::uint64_t>>;

constexpr bool isCounted(std::uint32_t record) { return (record & kCountedFlag) != 0; }
/// Whether only a run shows what a vertex takes: its code counts, or is tile code.
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
/// Whether a call takes all workers of its tile, and not one.
inline bool occupiesAllWorkers(const CodeletFunction &function) {
  return function.multiVertex || function.kind == CodeKind::Supervisor ||
         function.kind == CodeKind::NativeSupervisor;
}
/// The estimate, or the guess.
constexpr std::uint32_t expectedCycles(std::uint32_t record) {
  return record & kMostEstimatedCycles;
}

} // namespace copse::wire
