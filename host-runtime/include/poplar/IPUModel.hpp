#pragma once

#include "poplar/Device.hpp"
#include "poplar/GlobalExchange.hpp"
#include "poplar/OptionFlags.hpp"

#include <limits>
#include <string>
#include <vector>

namespace poplar {

/// A description of IPUs that run inside this process. Change what you like, then createDevice();
/// the model itself is not needed after that.  Source: guide, chapter 2.
struct IPUModel {
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  /// The figures of one IPU of an architecture.
  /// \throws invalid_machine_model if \p version is none
  explicit IPUModel(const char *version = "ipu2");

  /// \param options          of the target, and copse.execution: `full`, or `modelled` for a device
  ///   that takes a program's modelled cycles and executes nothing (docs/timing-model.md)
  /// \param accurateHalf     true 16-bit arithmetic; halves have 2 bytes either way
  /// \param deviceManagerId  what Device::getId() says
  /// \throws invalid_machine_model if the figures make no machine
  Device createDevice(const OptionFlags &options = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  std::string IPUVersion;
  unsigned numIPUs = 1;
  unsigned tilesPerSuperTile;
  unsigned tilesPerIPU;
  unsigned numWorkerContexts;
  unsigned memoryBytesPerTile;
  std::vector<unsigned> memoryElementOffsets; ///< from the start of tile memory [bytes]
  unsigned interleavedMemoryElementIndex;
  unsigned instructionBytes = 4;

  double tileClockFrequency; ///< [Hz]
  unsigned exchangeBytesPerCycle;
  unsigned memcpyBytesPerCycle;
  unsigned minIPUSyncDelay;  ///< [cycles]
  unsigned globalSyncCycles; ///< [cycles]
  RelativeSyncDelayType relativeSyncDelay = RelativeSyncDelayType::AUTO;
  bool supportsSuperTileSendReceive;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints; ///< none: as on hardware

  unsigned dataPathWidth; ///< [bits]
  unsigned fp16InFp16OutConvUnitsPerTile;
  unsigned fp16InFp32OutConvUnitsPerTile;
  unsigned fp32InFp32OutConvUnitsPerTile;
  unsigned fp8ConvUnitInputLoadElemsPerCycle;
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  unsigned fp8ConvUnitMaxPipelineDepth; ///< of an architecture with quarters
  unsigned fp16ConvUnitMaxPipelineDepth;
  unsigned fp32ConvUnitMaxPipelineDepth;
  unsigned convUnitCoeffLoadBytesPerCycle;

  /// True: sources of codelets are compiled with __IPU__, as for an IPU. False: they are compiled
  /// without it, as for other processors (guide, 3.4). The option has no effect on .gp files.
  bool compileIPUCode = true;
};

bool operator==(const IPUModel &a, const IPUModel &b);
bool operator!=(const IPUModel &a, const IPUModel &b);

} // namespace poplar
