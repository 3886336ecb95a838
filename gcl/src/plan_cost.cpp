#include "plan_cost.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gcl {
namespace {

std::uint64_t divideUp(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Returns the cycles of a compute set whose vertices take \p instructions for each 8 bytes.
std::uint64_t vertexCycles(std::uint64_t bytes, unsigned instructions, const PlanSetting &setting,
                           const FabricModel &model) {
  constexpr std::uint64_t kVertexInstructions = 14;
  const std::uint64_t words = divideUp(divideUp(bytes, setting.tiles), 8);
  return model.computeCycles(kVertexInstructions + divideUp(words, model.workers) * instructions);
}

std::uint64_t bytesOf(Part part, std::uint64_t rowBytes) {
  return part == Part::All         ? rowBytes
         : part == Part::FirstHalf ? rowBytes / 2
                                   : divideUp(rowBytes, 2);
}

} // namespace

PlanCost costOf(const Plan &plan, const PlanSetting &setting, const FabricModel &model) {
  PlanCost cost;
  // Most steps of a ring send equal bytes the same way, so that one cost serves all.
  std::map<std::vector<std::pair<unsigned, std::uint64_t>>, PlanCost> exchanges;
  for (const Step &step : plan.steps) {
    if (!step.reorders.empty())
      cost.cycles += vertexCycles(setting.rowBytes * plan.members, 3, setting, model);
    for (std::size_t i = 0; i < step.copies.size(); ++i)
      cost.cycles +=
          model.exchangeCycles +
          divideUp(setting.rowBytes, std::uint64_t{setting.tiles} * model.memcpyBytesPerCycle);
    if (!step.moves.empty()) {
      std::vector<std::pair<unsigned, std::uint64_t>> sent;
      for (const Move &move : step.moves)
        sent.emplace_back(move.shift, bytesOf(move.part, setting.rowBytes));
      std::ranges::sort(sent); // which move comes first makes no difference
      const auto [known, isNew] = exchanges.try_emplace(sent);
      if (isNew) {
        Traffic traffic(model);
        for (const auto &[shift, bytes] : sent)
          setting.ring.visitShift(shift, [&, size = bytes](unsigned from, unsigned to) {
            for (unsigned ipu = 0; ipu < setting.ipusPerReplica; ++ipu)
              traffic.add(from * setting.ipusPerReplica + ipu, to * setting.ipusPerReplica + ipu,
                          size);
          });
        known->second = {model.syncCycles() + traffic.cycles(), traffic.busiestBytes()};
      }
      cost.cycles += known->second.cycles;
      cost.busiestLinkBytes += known->second.busiestLinkBytes;
    }
    std::uint64_t folding = 0;
    for (const Fold &fold : step.folds)
      folding = std::max(folding, vertexCycles(bytesOf(fold.part, setting.rowBytes), 3 * fold.rows,
                                               setting, model));
    cost.cycles += folding;
  }
  return cost;
}

} // namespace gcl
