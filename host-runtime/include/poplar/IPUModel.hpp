#pragma once

#include "poplar/Device.hpp"
#include "poplar/GlobalExchange.hpp"
#include "poplar/OptionFlags.hpp"

#include <limits>
#include <string>
#include <vector>

namespace poplar {

/// Describes IPUs that run inside this process, for tests and for machines that do not exist.
/// Change any field, then call createDevice(); the model itself is not needed after that. See User
/// guide, 2.
///
/// \code
/// IPUModel model("ipu2");  model.numIPUs = 2;  model.tilesPerIPU = 16;
/// Device device = model.createDevice();
/// \endcode
struct IPUModel {
  /// The ways to model how far tiles are from the sync logic.
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  /// Makes a model with the figures of one IPU of an architecture.
  /// \param version  "ipu1", "ipu2" (the default) or "ipu21"
  /// \throws invalid_machine_model if \p version is something else
  explicit IPUModel(const char *version = "ipu2");

  /// Makes a device, which is attached at once and runs in this process.
  /// \param options          target options, and copse.execution: `full` (the default), or
  ///   `modelled` for a device that takes a program's modelled cycles and executes nothing
  ///   (docs/timing-model.md)
  /// \param accurateHalf     default false; true: 16-bit arithmetic. Halves have 2 bytes either way
  /// \param deviceManagerId  the number that Device::getId() returns
  /// \throws invalid_machine_model if the figures do not describe a possible machine
  /// \throws invalid_option if an option or its value is unknown
  Device createDevice(const OptionFlags &options = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  /// The architecture that the model was made for.
  std::string IPUVersion;
  /// The number of IPUs.
  unsigned numIPUs = 1;
  /// The number of tiles that share an exchange bus.
  unsigned tilesPerSuperTile;
  /// The number of tiles of each IPU.
  unsigned tilesPerIPU;
  /// The number of workers of a tile.
  unsigned numWorkerContexts;
  /// The size of a tile's memory [bytes].
  unsigned memoryBytesPerTile;
  /// The first byte of each memory element, from the start of tile memory [bytes].
  std::vector<unsigned> memoryElementOffsets;
  /// The index of the first interleaved memory element.
  unsigned interleavedMemoryElementIndex;
  /// The size of an instruction [bytes].
  unsigned instructionBytes = 4;

  /// The clock of the tiles [Hz].
  double tileClockFrequency;
  /// The data that a tile receives in one cycle [bytes].
  unsigned exchangeBytesPerCycle;
  /// The data that a tile copies within its memory in one cycle [bytes].
  unsigned memcpyBytesPerCycle;
  /// The shortest time of a sync within an IPU [cycles].
  unsigned minIPUSyncDelay;
  /// The time of a sync between IPUs [cycles].
  unsigned globalSyncCycles;
  /// How far tiles are from the sync logic.
  RelativeSyncDelayType relativeSyncDelay = RelativeSyncDelayType::AUTO;
  /// True if tiles can share an exchange bus.
  bool supportsSuperTileSendReceive;
  /// The limits of exchange between IPUs; empty: as on hardware.
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;

  /// The width of one load [bits].
  unsigned dataPathWidth;
  /// The number of units that take halves and give halves.
  unsigned fp16InFp16OutConvUnitsPerTile;
  /// The number of units that take halves and give floats.
  unsigned fp16InFp32OutConvUnitsPerTile;
  /// The number of units that take floats and give floats.
  unsigned fp32InFp32OutConvUnitsPerTile;
  /// The number of quarters that are loaded in one cycle.
  unsigned fp8ConvUnitInputLoadElemsPerCycle;
  /// The number of halves that are loaded in one cycle.
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  /// The number of floats that are loaded in one cycle.
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  /// The number of quarters that a unit takes for one output, on an architecture that has quarters.
  unsigned fp8ConvUnitMaxPipelineDepth;
  /// The number of halves that a unit takes for one output.
  unsigned fp16ConvUnitMaxPipelineDepth;
  /// The number of floats that a unit takes for one output.
  unsigned fp32ConvUnitMaxPipelineDepth;
  /// The weights that are loaded in one cycle [bytes].
  unsigned convUnitCoeffLoadBytesPerCycle;

  /// True (the default): sources of codelets are compiled with __IPU__, as for an IPU. False: they
  /// are compiled without it, as for other processors. .gp files are not affected. See User guide,
  /// 3.4.
  bool compileIPUCode = true;
};

///@{

/// Compares all fields.
bool operator==(const IPUModel &a, const IPUModel &b);
bool operator!=(const IPUModel &a, const IPUModel &b);
///@}

} // namespace poplar
