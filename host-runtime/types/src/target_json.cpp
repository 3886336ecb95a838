#include "types/target_json.hpp"

#include <stdexcept>

using nlohmann::json;

// nlohmann's own conversion by member name.
namespace poplar {

static void to_json(json &j, const GlobalExchangeFlow &flow) { j = {flow.src, flow.dst}; }
static void to_json(json &j, const GlobalExchangeConstraint &constraint) {
  j = {{"bandwidth", constraint.bandwidth}, {"flows", constraint.flows}};
}

} // namespace poplar

namespace copse::types {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    TileFigures, workers, bytesPerTile, memoryBase, slotBits, memoryElementOffsets,
    interleavedElement, clockFrequency, dataPathBits, atomicStoreBytes, maxRepeatCount, strideBits,
    exchangeBytesPerCycle, memcpyBytesPerCycle, minSyncDelay, maxSyncDelay, globalSyncCycles,
    tilesPerExchangeBus, exchangeBusSharing, weightsPerConvUnitHalf, weightsPerConvUnitFloat,
    convInputLoadQuarter, convInputLoadHalf, convInputLoadFloat, convStepsQuarter, convStepsHalf,
    convStepsFloat, convCoeffLoadBytes, convUnitsHalfHalf, convUnitsHalfFloat, convUnitsFloatFloat)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LinkOptions, syncConfiguration, topology, configuration,
                                   domainSize, instanceSize, gatewayMode,
                                   gatewayMultiReadServiceTable)

namespace {

std::vector<poplar::GlobalExchangeConstraint> constraintsFrom(const json &list) {
  std::vector<poplar::GlobalExchangeConstraint> constraints;
  for (const json &constraint : list) {
    std::vector<poplar::GlobalExchangeFlow> flows;
    for (const json &flow : constraint.at("flows"))
      flows.emplace_back(flow.at(0).get<unsigned>(), flow.at(1).get<unsigned>());
    constraints.emplace_back(constraint.at("bandwidth").get<double>(), std::move(flows));
  }
  return constraints;
}

/// Checks an enumerator; \p last is the greatest one.
template <class E> void require(E value, E last) {
  if (static_cast<int>(value) < 0 || static_cast<int>(value) > static_cast<int>(last))
    throw std::out_of_range("an unknown enumerator");
}

void check(const TargetDescription &target) {
  require(target.arch, Architecture::Ipu21);
  require(target.targetType, poplar::TargetType::CPU);
  require(target.links.syncConfiguration, SyncConfiguration::IntraReplicaAndLadder);
  require(target.links.topology, poplar::IpuLinkTopology::Torus);
  require(target.links.configuration, poplar::IpuLinkConfiguration::SlidingWindow);
  const bool sensible = target.numIPUs > 0 && target.tilesPerIPU > 0 &&
                        target.tilesPerIPU <= UINT32_MAX / target.numIPUs &&
                        target.tile.workers > 0 && target.tile.slotBits < 64;
  if (!sensible)
    throw std::out_of_range("a target that cannot be");
}

} // namespace

json targetToJson(const TargetDescription &target) {
  return {{"targetType", target.targetType},
          {"arch", target.arch},
          {"system", target.system},
          {"machineModel", target.machineModel},
          {"numIPUs", target.numIPUs},
          {"tilesPerIPU", target.tilesPerIPU},
          {"accurateHalf", target.accurateHalf},
          {"halfBytes", target.halfBytes},
          {"compileIpuCode", target.compileIpuCode},
          {"syncDelays", target.syncDelays},
          {"tile", target.tile},
          {"links", target.links},
          {"globalExchangeConstraints", target.globalExchangeConstraints}};
}

TargetDescription targetFromJson(const json &j) {
  TargetDescription target;
  j.at("targetType").get_to(target.targetType);
  j.at("arch").get_to(target.arch);
  j.at("system").get_to(target.system);
  j.at("machineModel").get_to(target.machineModel);
  j.at("numIPUs").get_to(target.numIPUs);
  j.at("tilesPerIPU").get_to(target.tilesPerIPU);
  j.at("accurateHalf").get_to(target.accurateHalf);
  j.at("halfBytes").get_to(target.halfBytes);
  j.at("compileIpuCode").get_to(target.compileIpuCode);
  j.at("syncDelays").get_to(target.syncDelays);
  j.at("tile").get_to(target.tile);
  j.at("links").get_to(target.links);
  target.globalExchangeConstraints = constraintsFrom(j.at("globalExchangeConstraints"));
  check(target);
  return target;
}

} // namespace copse::types
