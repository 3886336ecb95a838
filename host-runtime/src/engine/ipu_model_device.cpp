#include "engine/device_impl.hpp"
#include "values/target_description.hpp"

#include "poplar/IPUModel.hpp"
#include "poplar/exceptions.hpp"

namespace poplar {

namespace {

void checkFigures(const IPUModel &model) {
  if (model.numIPUs == 0 || model.tilesPerIPU == 0 || model.numWorkerContexts == 0 ||
      model.memoryBytesPerTile == 0 || !(model.tileClockFrequency > 0))
    throw invalid_machine_model(
        "IPUModel: numIPUs, tilesPerIPU, numWorkerContexts, memoryBytesPerTile and "
        "tileClockFrequency must all be above 0");
}

} // namespace

Device IPUModel::createDevice(const OptionFlags &options, bool accurateHalf,
                              unsigned deviceManagerId) const {
  checkFigures(*this);
  copse::values::TargetDescription description =
      copse::values::describe(Target::createIPUTarget(numIPUs, IPUVersion, options));
  description.targetType = TargetType::IPU_MODEL;
  description.tilesPerIPU = tilesPerIPU;
  description.accurateHalf = accurateHalf;
  description.syncDelays = relativeSyncDelay == RelativeSyncDelayType::AUTO;
  description.globalExchangeConstraints = globalExchangeConstraints;
  copse::values::TileFigures &tile = description.tile;
  tile.workers = numWorkerContexts;
  tile.bytesPerTile = memoryBytesPerTile;
  tile.memoryElementOffsets = memoryElementOffsets;
  tile.interleavedElement = interleavedMemoryElementIndex;
  tile.clockFrequency = tileClockFrequency;
  tile.dataPathBits = dataPathWidth;
  tile.exchangeBytesPerCycle = exchangeBytesPerCycle;
  tile.memcpyBytesPerCycle = memcpyBytesPerCycle;
  tile.minSyncDelay = minIPUSyncDelay;
  tile.globalSyncCycles = globalSyncCycles;
  tile.tilesPerExchangeBus = tilesPerSuperTile;
  tile.exchangeBusSharing = supportsSuperTileSendReceive;
  tile.convUnitsHalfHalf = fp16InFp16OutConvUnitsPerTile;
  tile.convUnitsHalfFloat = fp16InFp32OutConvUnitsPerTile;
  tile.convUnitsFloatFloat = fp32InFp32OutConvUnitsPerTile;
  tile.convCoeffLoadBytes = convUnitCoeffLoadBytesPerCycle;
  return Device(copse::engine::makeLocalDevice(deviceManagerId,
                                               copse::values::makeTarget(std::move(description))));
}

} // namespace poplar
