#pragma once

#include "poplar/GlobalExchange.hpp"
#include "poplar/Target.hpp"
#include "poplar/TargetType.hpp"
#include "types/architecture.hpp"
#include "wire/ids.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace copse::types {

using wire::SyncConfiguration;

/// The figures of one tile and its exchange. target_table.cpp has the values.
struct TileFigures {
  std::uint32_t workers = 1;
  std::uint32_t bytesPerTile = 0;
  std::uint32_t memoryBase = 0; ///< first populated address of a tile
  std::uint32_t slotBits = 21;  ///< a tile's address space has 2^slotBits bytes
  std::vector<std::uint32_t> memoryElementOffsets{0};
  std::uint32_t interleavedElement = 0; ///< index of the first interleaved memory element

  double clockFrequency = 1e9; ///< [Hz]
  std::uint32_t dataPathBits = 64;
  std::uint32_t atomicStoreBytes = 4;
  std::uint32_t maxRepeatCount = 0xFFFF;
  std::uint32_t strideBits = 10;
  std::uint32_t exchangeBytesPerCycle = 4;
  std::uint32_t memcpyBytesPerCycle = 8;
  std::uint32_t minSyncDelay = 0, maxSyncDelay = 0, globalSyncCycles = 0; ///< [cycles]
  std::uint32_t tilesPerExchangeBus = 2;
  bool exchangeBusSharing = true;

  std::uint32_t weightsPerConvUnitHalf = 16, weightsPerConvUnitFloat = 8;
  /// Elements per cycle
  std::uint32_t convInputLoadQuarter = 8, convInputLoadHalf = 4, convInputLoadFloat = 2;
  /// The steps in which a unit takes the inputs for all of its weights, by the type of its sums;
  /// for halves if the inputs are quarters.
  std::uint32_t convStepsQuarter = 4, convStepsHalf = 4, convStepsFloat = 4;
  std::uint32_t convCoeffLoadBytes = 16; ///< per cycle
  std::uint32_t convUnitsHalfHalf = 8, convUnitsHalfFloat = 8, convUnitsFloatFloat = 8;

  friend bool operator==(const TileFigures &, const TileFigures &) = default;
  friend auto operator<=>(const TileFigures &, const TileFigures &) = default;
};

/// How the IPUs of a target are connected: the target options.
struct LinkOptions {
  SyncConfiguration syncConfiguration = SyncConfiguration::IntraReplicaAndAll;
  poplar::IpuLinkTopology topology = poplar::IpuLinkTopology::Mesh;
  poplar::IpuLinkConfiguration configuration = poplar::IpuLinkConfiguration::Default;
  std::uint32_t domainSize = 0; ///< number of IPUs in a link domain
  /// Number of IPUs of one host program; 0: each host of the pod runs one.
  std::uint32_t instanceSize = 0;
  bool gatewayMode = false;
  std::string gatewayMultiReadServiceTable;

  friend bool operator==(const LinkOptions &, const LinkOptions &) = default;
  friend auto operator<=>(const LinkOptions &, const LinkOptions &) = default;
};

/// Everything that a Target contains, and what only the compiler and the devices need.
struct TargetDescription {
  poplar::TargetType targetType = poplar::TargetType::CPU;
  Architecture arch = Architecture::Cpu;
  std::string system; ///< "IPU-POD16"; empty if the target was made from an architecture
  /// File of configs/ without ".json": "gc2", "gc200", "bow"; empty for a CPU.
  std::string machineModel;
  /// The pod that its cluster names; empty: none does. Not kept in files.
  std::string pod;
  std::uint32_t numIPUs = 1; ///< per replica
  std::uint32_t tilesPerIPU = 1;
  bool accurateHalf = true;
  std::uint32_t halfBytes = 2;
  bool compileIpuCode = true; ///< false: an IPUModel with portable codelets (no __IPU__)
  bool syncDelays = true; ///< false: the modelled clock ignores them (IPUModel::relativeSyncDelay)
  TileFigures tile;
  LinkOptions links;
  /// If empty, the constraints of the machine model apply.
  std::vector<poplar::GlobalExchangeConstraint> globalExchangeConstraints;

  std::uint32_t numTiles() const { return numIPUs * tilesPerIPU; }
  friend bool operator==(const TargetDescription &, const TargetDescription &) = default;
  friend auto operator<=>(const TargetDescription &, const TargetDescription &) = default;
};

/// \throws poplar::poplar_error if \p target is default-constructed
const TargetDescription &describe(const poplar::Target &target);
poplar::Target makeTarget(TargetDescription description);

} // namespace copse::types
