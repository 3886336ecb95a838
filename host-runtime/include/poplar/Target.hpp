#pragma once

#include "poplar/GlobalExchange.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/TargetType.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeConversion.hpp"
#include "poplar/TypeLimits.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace copse {
namespace types {
struct TargetDescription;
struct TargetAccess; // how libpoplar itself makes and reads targets
} // namespace types
} // namespace copse

namespace poplar {

/// How IPU-Links join the IPUs.  Source: guide, 2.7.1.
enum class IpuLinkTopology {
  Mesh,
  Torus,
  Line ///< of later releases; no system here is one
};
/// Routing of data over IPU-Links; all values are accepted, Default is used.
enum class IpuLinkConfiguration { Default, BarleyTwist, SlidingWindow };

/// A description of the machine that a graph is made for, not the machine itself. Immutable, and
/// cheap to copy.
class Target {
public:
  Target(); ///< none; only to be assigned to

  /// \param accurateHalf  half is IEEE binary16; else a float, of 4 bytes
  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);

  /// \param systemType  an architecture ("ipu1", "ipu2", "ipu21") or a system ("IPU-POD16", ...)
  /// \param options     target options; POPLAR_TARGET_OPTIONS overrides them
  /// \throws invalid_option; poplar_error if the system is not known, or if there are more tiles
  /// than an IPU has
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags &options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags &options = {});
  /// All IPUs of a system ("IPU-POD16": 16); one IPU of an architecture.
  static Target createIPUTarget(StringRef systemType, const OptionFlags &options = {});

  /// The same hardware with fewer IPUs or fewer tiles.
  /// \throws poplar_error if this target has fewer
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  TargetType getTargetType() const;
  /// The system's name; empty if the target was made from an architecture.
  StringRef getTargetSystemString() const;
  /// "ipu1", "ipu2" or "ipu21".
  /// \throws poplar_error for a CPU
  StringRef getTargetArchString() const;

  unsigned getNumIPUs() const; ///< of one replica
  unsigned getTilesPerIPU() const;
  unsigned getNumTiles() const;
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  std::size_t getMemoryBytes() const; ///< of all tiles

  /// Of one element on a tile and in host transfers [bytes].
  /// \throws type_error
  std::size_t getTypeSize(const Type &type) const;
  /// Elements of one data-path word, at least 1.
  unsigned getVectorWidth(const Type &type) const;
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  unsigned getQuarterVectorWidth() const;

  // Limits of a type as std::numeric_limits has them, T a number type of the host.
  // \throws type_error if \p type is no number; overflow_error if a limit does not fit an integer T
  TypeLimits getTypeLimits(const Type &type) const;
  template <typename T> T getTypeLimitsMaxAs(const Type &type) const {
    return getTypeLimits(type).maxAs<T>();
  }
  template <typename T> T getTypeLimitsMinAs(const Type &type) const {
    return getTypeLimits(type).minAs<T>();
  }
  template <typename T> T getTypeLimitsLowestAs(const Type &type) const {
    return getTypeLimits(type).lowestAs<T>();
  }

  unsigned getDataPathWidth() const;             ///< of one load [bits]
  std::size_t getAtomicStoreGranularity() const; ///< what a store writes without reading [bytes]
  unsigned getRptCountMax() const;               ///< largest count of a hardware loop
  unsigned getNumStrideBits() const;             ///< of the signed strides of multi-address loads

  double getTileClockFrequency() const; ///< [Hz]
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getMinIPUSyncDelay() const;  ///< [cycles]
  unsigned getMaxIPUSyncDelay() const;  ///< [cycles]
  unsigned getGlobalSyncCycles() const; ///< [cycles]

  /// First byte of each memory element, from the start of tile memory, ascending.
  std::vector<unsigned> getMemoryElementOffsets() const;
  /// The first interleaved one.
  unsigned getInterleavedMemoryElementIndex() const;

  std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const;

  unsigned getWeightsPerConvUnit(bool floatActivations) const;
  unsigned getConvUnitInputLoadElemsPerCycle(bool floatActivations) const;
  // The same by type; 0 where the units do not take it.
  unsigned getWeightsPerConvUnit(const Type &inputType) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &inputType) const;
  /// Inputs that a unit takes one after the other for one output.
  unsigned getConvUnitMaxPipelineDepth(const Type &partialType) const;
  // By the type of the inputs.
  unsigned getFp32ConvUnitMaxPipelineDepth() const;
  unsigned getFp16ConvUnitMaxPipelineDepth() const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const;       ///< 0 where there are no quarters
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const; ///< 0 where there are no quarters
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getFp8InFp16OutConvUnitsPerTile() const; ///< 0 where there are no quarters
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  /// The three above by type; 0 where there is no such unit.
  unsigned getNumConvUnits(const Type &inputType, const Type &partialType) const;

  // Control registers of a supervisor.  Source: Tile Vertex ISA, CSRs of the supervisor.
  /// Returns the value of $FP_ICTL that behaves like this; the flags are those of
  /// FloatingPointBehaviour.
  unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const;
  unsigned getFpIctlRegIndex() const;
  unsigned getDbgDataRegIndex() const;

  IpuLinkConfiguration getIpuLinkConfiguration() const;
  IpuLinkTopology getIpuLinkTopology() const;
  unsigned getIpuLinkDomainSize() const;
  bool getGatewayMode() const;
  StringRef getGatewayMultiReadServiceTable() const;

  /// The target options that make a target like this one.
  const OptionFlags &getTargetOptions() const;

  friend bool operator==(const Target &a, const Target &b) { return a.equals(b); }
  friend bool operator!=(const Target &a, const Target &b) { return !a.equals(b); }
  /// An arbitrary order, the same in every process, for keys of a map.
  friend bool operator<(const Target &a, const Target &b) { return a.isBefore(b); }

  /// Equal targets have equal hashes.
  std::size_t hash() const;

private:
  friend struct copse::types::TargetAccess;
  explicit Target(std::shared_ptr<const copse::types::TargetDescription> description);
  const copse::types::TargetDescription &description() const;
  bool equals(const Target &other) const;
  bool isBefore(const Target &other) const;

  std::shared_ptr<const copse::types::TargetDescription> description_;
};

// Between host numbers and the target's halves: 2 bytes each, rounded to nearest even, too large
// ones to infinity, NaN kept (floats from halves: only their signs); on a CPU target without
// accurateHalf, floats. The device's side has n
// * getTypeSize(HALF) bytes; a default-constructed target stands for halves of 2 bytes.
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst,
                           std::size_t numElements);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst,
                           std::size_t numElements);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst,
                            std::size_t numElements);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst,
                            std::size_t numElements);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  size_t operator()(const poplar::Target &target) const { return target.hash(); }
};
} // namespace std
