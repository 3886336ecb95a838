#include "profile/report_data.hpp"

#include "poplar/exceptions.hpp"

#include <algorithm>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

namespace copse::profile {

using Json = nlohmann::json;

// nlohmann's own conversion by name: lists of these are then lists in the file.
static void to_json(Json &json, const MemoryBytes &m) {
  json = {m.plain,       m.interleaved,       m.overflowed,
          m.sharedPlain, m.sharedInterleaved, m.sharedOverflowed};
}
static void from_json(const Json &json, MemoryBytes &m) {
  m = {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5)};
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TileReport, bytes, bytesWithGaps, uses, vertices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ComputeSetReport, name, vertices)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProgramReport, type, name)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ComputeSetRun, computeSet, cyclesByTile, estimatedCyclesByTile)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StepReport, program, computeSets, kind, from, to)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetReport, type, replicas, ipus, tilesPerIpu, bytesPerTile,
                                   clockHz)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunRecord, program, name, from, to, firstStep, steps, complete,
                                   cyclesByKind)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockReport, tile, program, from, to)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReportData, poplarVersion, target, variables, edges, vertexTypes,
                                   tiles, computeSets, programs, hasExecution, runs, steps, blocks)

namespace {

constexpr const char *kFormat = "copse profile 2";

/// Every index must lead somewhere: the report's readers do not look again.
bool consistent(const ReportData &r) {
  const auto below = [](std::size_t limit) {
    return [limit](std::uint32_t i) { return i < limit; };
  };
  const auto knownTypes = [&](const auto &owner) {
    return std::all_of(owner.vertices.begin(), owner.vertices.end(), below(r.vertexTypes.size()));
  };
  const auto knownStep = [&](const StepReport &step) {
    return step.program < r.programs.size() && step.kind <= StepKind::Sync &&
           step.from <= step.to &&
           std::all_of(step.computeSets.begin(), step.computeSets.end(),
                       [&](const auto &run) { return run.computeSet < r.computeSets.size(); });
  };
  const auto knownBlock = [&](const BlockReport &b) {
    return b.program < r.programs.size() && b.tile < r.tiles.size();
  };
  const auto knownRun = [&](const RunRecord &run) {
    return (run.cyclesByKind.empty() || run.cyclesByKind.size() == clock::kStepKinds) &&
           run.firstStep <= r.steps.size() && run.steps <= r.steps.size() - run.firstStep;
  };
  const auto knownProgram = [](const ProgramReport &p) {
    return p.type >= pva::Program::Type::Sequence && p.type <= pva::Program::Type::Unknown;
  };
  return std::all_of(r.tiles.begin(), r.tiles.end(), knownTypes) &&
         std::all_of(r.computeSets.begin(), r.computeSets.end(), knownTypes) &&
         std::all_of(r.programs.begin(), r.programs.end(), knownProgram) &&
         std::all_of(r.runs.begin(), r.runs.end(), knownRun) &&
         std::all_of(r.steps.begin(), r.steps.end(), knownStep) &&
         std::all_of(r.blocks.begin(), r.blocks.end(), knownBlock);
}

} // namespace

void writeReport(std::ostream &out, const ReportData &report) {
  Json::to_cbor(Json{{"format", kFormat}, {"report", report}}, out);
}

ReportData readReport(std::istream &in, const std::string &nameForMessages) {
  try {
    const Json json = Json::from_cbor(in);
    if (json.at("format") == kFormat) {
      auto report = json.at("report").get<ReportData>();
      if (consistent(report))
        return report;
    }
  } catch (const Json::exception &) {
    // Whatever was wrong with the bytes: it is not a profile.
  }
  throw poplar::file_load_error("'" + nameForMessages +
                                "' is not a profile that this version can read");
}

} // namespace copse::profile
