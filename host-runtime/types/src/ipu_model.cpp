#include "target_options.hpp"
#include "target_table.hpp"

#include "poplar/IPUModel.hpp"
#include "poplar/exceptions.hpp"
#include "types/environment.hpp"
#include "types/model_description.hpp"
#include "types/option_tables.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace copse::types {
namespace {

Architecture archOf(const std::string &version) {
  const auto arch = ipuArchNamed(version);
  if (!arch)
    throw poplar::invalid_machine_model("unknown IPU version '" + version +
                                        "'; there are ipu1, ipu2 and ipu21");
  return *arch;
}

void require(bool condition, const char *field, const char *rule) {
  if (!condition)
    throw poplar::invalid_machine_model(std::string("IPUModel::") + field + " " + rule);
}

void check(const poplar::IPUModel &m, std::uint32_t memoryBase) {
  require(m.numIPUs > 0, "numIPUs", "must be at least 1");
  require(m.tilesPerIPU > 0, "tilesPerIPU", "must be at least 1");
  require(m.tilesPerIPU <= UINT32_MAX / m.numIPUs, "tilesPerIPU", "times numIPUs is too large");
  require(m.numWorkerContexts > 0, "numWorkerContexts", "must be at least 1");
  require(m.memoryBytesPerTile > 0, "memoryBytesPerTile", "must be at least 1");
  require(m.memoryBytesPerTile <= (1u << 21) - memoryBase, "memoryBytesPerTile",
          "is beyond a tile's 21-bit addresses");
  require(m.tileClockFrequency > 0 && std::isfinite(m.tileClockFrequency), "tileClockFrequency",
          "must be positive");
  require(m.exchangeBytesPerCycle > 0, "exchangeBytesPerCycle", "must be at least 1");
  require(m.memcpyBytesPerCycle > 0, "memcpyBytesPerCycle", "must be at least 1");
  require(m.tilesPerSuperTile > 0, "tilesPerSuperTile", "must be at least 1");
  require(m.dataPathWidth >= 8, "dataPathWidth", "must be at least 8");
}

constexpr const char *kExecution = "copse.execution";
constexpr std::array kDeviceOptions{
    OptionSpec{kExecution, OptionKind::Word, "full", OptionEffect::Used, "full|modelled"}};

poplar::OptionFlags targetOptionsOf(const poplar::OptionFlags &options) {
  poplar::OptionFlags rest;
  for (const auto &[name, value] : options)
    if (name != kExecution)
      rest.set(name, value);
  return rest;
}

} // namespace

std::span<const OptionSpec> deviceOptionTable() { return kDeviceOptions; }

Execution executionOfEnvironment() {
  const std::string execution =
      requireEnvironment(wire::wordOfEnvironment("COPSE_EXECUTION", {"full", "modelled"}, "full"));
  return execution == "modelled" ? Execution::Modelled : Execution::Full;
}

Execution executionOf(const poplar::OptionFlags &options) {
  const auto found = options.find(kExecution);
  if (found == options.end())
    return executionOfEnvironment();
  poplar::OptionFlags own;
  own.set(found->first, found->second);
  const OptionReader reader("device option", kDeviceOptions, std::move(own));
  return reader.word(kExecution) == "modelled" ? Execution::Modelled : Execution::Full;
}

TargetDescription describeModel(const poplar::IPUModel &model, const poplar::OptionFlags &options,
                                bool accurateHalf) {
  const ArchEntry &entry = ipuArch(archOf(model.IPUVersion));
  check(model, entry.tile.memoryBase);
  TargetDescription d;
  d.targetType = poplar::TargetType::IPU_MODEL;
  d.arch = entry.arch;
  d.machineModel = entry.machineModel;
  d.numIPUs = model.numIPUs;
  d.tilesPerIPU = model.tilesPerIPU;
  d.accurateHalf = accurateHalf;
  d.compileIpuCode = model.compileIPUCode;
  d.syncDelays = model.relativeSyncDelay == poplar::IPUModel::RelativeSyncDelayType::AUTO;
  d.links.domainSize = kLargestLinkDomain;
  d.links = parseTargetOptions(targetOptionsOf(options), d.links);
  d.globalExchangeConstraints = model.globalExchangeConstraints;
  d.tile = entry.tile;
  d.tile.workers = model.numWorkerContexts;
  d.tile.bytesPerTile = model.memoryBytesPerTile;
  d.tile.memoryElementOffsets = model.memoryElementOffsets;
  d.tile.interleavedElement = model.interleavedMemoryElementIndex;
  d.tile.clockFrequency = model.tileClockFrequency;
  d.tile.dataPathBits = model.dataPathWidth;
  d.tile.exchangeBytesPerCycle = model.exchangeBytesPerCycle;
  d.tile.memcpyBytesPerCycle = model.memcpyBytesPerCycle;
  d.tile.minSyncDelay = model.minIPUSyncDelay;
  d.tile.globalSyncCycles = model.globalSyncCycles;
  d.tile.tilesPerExchangeBus = model.tilesPerSuperTile;
  d.tile.exchangeBusSharing = model.supportsSuperTileSendReceive;
  d.tile.convUnitsHalfHalf = model.fp16InFp16OutConvUnitsPerTile;
  d.tile.convUnitsHalfFloat = model.fp16InFp32OutConvUnitsPerTile;
  d.tile.convUnitsFloatFloat = model.fp32InFp32OutConvUnitsPerTile;
  d.tile.convInputLoadQuarter = model.fp8ConvUnitInputLoadElemsPerCycle;
  d.tile.convInputLoadHalf = model.fp16ConvUnitInputLoadElemsPerCycle;
  d.tile.convInputLoadFloat = model.fp32ConvUnitInputLoadElemsPerCycle;
  d.tile.convStepsQuarter = model.fp8ConvUnitMaxPipelineDepth;
  d.tile.convStepsHalf = model.fp16ConvUnitMaxPipelineDepth;
  d.tile.convStepsFloat = model.fp32ConvUnitMaxPipelineDepth;
  d.tile.convCoeffLoadBytes = model.convUnitCoeffLoadBytesPerCycle;
  return d;
}

} // namespace copse::types

namespace poplar {

IPUModel::IPUModel(const char *version) : IPUVersion(version ? version : "") {
  const copse::types::ArchEntry &entry = copse::types::ipuArch(copse::types::archOf(IPUVersion));
  const copse::types::TileFigures &tile = entry.tile;
  tilesPerSuperTile = tile.tilesPerExchangeBus;
  tilesPerIPU = entry.tilesPerIPU;
  numWorkerContexts = tile.workers;
  memoryBytesPerTile = tile.bytesPerTile;
  memoryElementOffsets = tile.memoryElementOffsets;
  interleavedMemoryElementIndex = tile.interleavedElement;
  tileClockFrequency = tile.clockFrequency;
  exchangeBytesPerCycle = tile.exchangeBytesPerCycle;
  memcpyBytesPerCycle = tile.memcpyBytesPerCycle;
  minIPUSyncDelay = tile.minSyncDelay;
  globalSyncCycles = tile.globalSyncCycles;
  supportsSuperTileSendReceive = tile.exchangeBusSharing;
  dataPathWidth = tile.dataPathBits;
  fp16InFp16OutConvUnitsPerTile = tile.convUnitsHalfHalf;
  fp16InFp32OutConvUnitsPerTile = tile.convUnitsHalfFloat;
  fp32InFp32OutConvUnitsPerTile = tile.convUnitsFloatFloat;
  fp8ConvUnitInputLoadElemsPerCycle = tile.convInputLoadQuarter;
  fp16ConvUnitInputLoadElemsPerCycle = tile.convInputLoadHalf;
  fp32ConvUnitInputLoadElemsPerCycle = tile.convInputLoadFloat;
  fp8ConvUnitMaxPipelineDepth = tile.convStepsQuarter;
  fp16ConvUnitMaxPipelineDepth = tile.convStepsHalf;
  fp32ConvUnitMaxPipelineDepth = tile.convStepsFloat;
  convUnitCoeffLoadBytesPerCycle = tile.convCoeffLoadBytes;
}

bool operator==(const IPUModel &a, const IPUModel &b) {
  const auto fields = [](const IPUModel &m) {
    return std::tie(m.IPUVersion, m.numIPUs, m.tilesPerSuperTile, m.tilesPerIPU,
                    m.numWorkerContexts, m.memoryBytesPerTile, m.memoryElementOffsets,
                    m.interleavedMemoryElementIndex, m.instructionBytes, m.tileClockFrequency,
                    m.exchangeBytesPerCycle, m.memcpyBytesPerCycle, m.minIPUSyncDelay,
                    m.globalSyncCycles, m.relativeSyncDelay, m.supportsSuperTileSendReceive,
                    m.globalExchangeConstraints, m.dataPathWidth, m.fp16InFp16OutConvUnitsPerTile,
                    m.fp16InFp32OutConvUnitsPerTile, m.fp32InFp32OutConvUnitsPerTile,
                    m.fp8ConvUnitInputLoadElemsPerCycle, m.fp16ConvUnitInputLoadElemsPerCycle,
                    m.fp32ConvUnitInputLoadElemsPerCycle, m.fp8ConvUnitMaxPipelineDepth,
                    m.fp16ConvUnitMaxPipelineDepth, m.fp32ConvUnitMaxPipelineDepth,
                    m.convUnitCoeffLoadBytesPerCycle, m.compileIPUCode);
  };
  return fields(a) == fields(b);
}
bool operator!=(const IPUModel &a, const IPUModel &b) { return !(a == b); }

} // namespace poplar
