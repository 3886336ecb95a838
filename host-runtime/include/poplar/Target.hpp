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

/// The arrangement of IPU-Links between IPUs. See User guide, 2.7.1.
enum class IpuLinkTopology {
  /// Each IPU has links to its neighbours in a ladder.
  Mesh,
  /// A ladder whose ends are joined.
  Torus,
  Line ///< a topology of later releases; no system here has it
};
/// The routing of data over IPU-Links. All values are accepted, Default is used.
enum class IpuLinkConfiguration { Default, BarleyTwist, SlidingWindow };

/// Describes the machine that a graph is made for, not the machine itself. Immutable, and cheap to
/// copy. Any use of a default-constructed target except assignment and comparison throws
/// poplar_error.
class Target {
public:
  /// Makes a target that describes nothing; it may only be assigned to.
  Target();

  /// Describes a machine that runs codelets on the CPU; each IPU has one tile.
  /// \param accurateHalf  default false: a half is a float, of 4 bytes; true: IEEE binary16, of 2
  /// \param numIPUs       default 1
  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);

  ///@{

  /// Describes IPUs of an architecture or a system.
  ///
  /// \code
  /// Target small = Target::createIPUTarget(2, 8, "ipu2");      // 2 IPUs of 8 tiles
  /// Target pod = Target::createIPUTarget("IPU-POD16");         // all its 16 IPUs
  /// \endcode
  /// - \p numIPUs: default: all IPUs of a system, one of an architecture
  /// - \p tilesPerIPU: default: all of the hardware
  /// - \p systemType: an architecture ("ipu1", "ipu2", "ipu21") or a system ("IPU-POD16", ...)
  /// - \p options: target options (docs/engine-options.md), default none; POPLAR_TARGET_OPTIONS
  ///   overrides them
  /// \throws invalid_option if an option or its value is unknown
  /// \throws poplar_error if the system is not known, a number is 0, or an IPU has fewer tiles
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags &options = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags &options = {});
  static Target createIPUTarget(StringRef systemType, const OptionFlags &options = {});
  ///@}

  /// Describes the same hardware with fewer IPUs or fewer tiles.
  /// \throws poplar_error if this target has fewer, or a number is 0
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  /// Returns the kind of device that the target needs.
  TargetType getTargetType() const;
  /// Returns the system's name; empty if the target was made from an architecture.
  StringRef getTargetSystemString() const;
  /// Returns "ipu1", "ipu2" or "ipu21".
  /// \throws poplar_error for a CPU
  StringRef getTargetArchString() const;

  /// Returns the number of IPUs of one replica.
  unsigned getNumIPUs() const;
  /// Returns the number of tiles of each IPU.
  unsigned getTilesPerIPU() const;
  /// Returns the number of tiles of all IPUs.
  unsigned getNumTiles() const;
  /// Returns the number of workers of a tile. See User guide, 7.1.1.
  unsigned getNumWorkerContexts() const;
  /// Returns the size of a tile's memory [bytes]. See User guide, 7.2.1.
  unsigned getBytesPerTile() const;
  /// Returns the size of the memory of all tiles [bytes].
  std::size_t getMemoryBytes() const;

  /// Returns the size of one element on a tile and in host transfers [bytes].
  /// \throws type_error for a default-constructed Type
  std::size_t getTypeSize(const Type &type) const;
  /// Returns the number of elements in one word of the data path, at least 1; 1 on a CPU.
  unsigned getVectorWidth(const Type &type) const;

  ///@{

  /// Returns the number of elements in one word of the data path, by the type of the name.
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  unsigned getQuarterVectorWidth() const;
  ///@}

  ///@{

  /// Returns limits of a type as std::numeric_limits has them; T is a number type of the host.
  ///
  /// \code
  /// const float largest = target.getTypeLimitsMaxAs<float>(HALF);  // 65504
  /// \endcode
  /// \throws type_error if \p type is no number, or its limits depend on metadata
  /// \throws overflow_error if a limit does not fit an integer T
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
  ///@}

  /// Returns the width of one load [bits]. See User guide, 7.2.4.
  unsigned getDataPathWidth() const;
  /// Returns the size that a store writes without reading first [bytes]. See User guide, 3.3.1.
  std::size_t getAtomicStoreGranularity() const;
  /// Returns the largest count of a hardware loop (the instruction rpt).
  unsigned getRptCountMax() const;
  /// Returns the number of bits of the signed strides of multi-address loads.
  unsigned getNumStrideBits() const;

  /// Returns the clock of the tiles [Hz].
  double getTileClockFrequency() const;
  /// Returns how much a tile receives in one cycle [bytes].
  unsigned getExchangeBytesPerCycle() const;
  /// Returns how much a tile copies within its memory in one cycle [bytes].
  unsigned getMemcpyBytesPerCycle() const;
  /// Returns the shortest time that a sync within an IPU takes [cycles].
  unsigned getMinIPUSyncDelay() const;
  /// Returns the longest time that a sync within an IPU takes [cycles].
  unsigned getMaxIPUSyncDelay() const;
  /// Returns the time that a sync between IPUs takes [cycles].
  unsigned getGlobalSyncCycles() const;

  /// Returns the first byte of each memory element, from the start of tile memory, ascending. See
  /// User guide, 7.2.
  std::vector<unsigned> getMemoryElementOffsets() const;
  /// Returns the index of the first interleaved memory element. See User guide, 7.2.
  unsigned getInterleavedMemoryElementIndex() const;

  /// Returns the bandwidths that flows between IPUs share. See User guide, 2.7.1.
  std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;
  /// Returns the number of tiles that share an exchange bus.
  unsigned getTilesPerSharedExchangeBus() const;
  /// Returns true if tiles can share an exchange bus.
  bool supportsExchangeBusSharing() const;

  ///@{

  /// Returns a figure of the convolution units for activations of FLOAT or HALF, or of any type:
  /// the number of weights of a unit, or of inputs that are loaded in one cycle; 0 for a type that
  /// the units do not take.
  unsigned getWeightsPerConvUnit(bool floatActivations) const;
  unsigned getConvUnitInputLoadElemsPerCycle(bool floatActivations) const;
  unsigned getWeightsPerConvUnit(const Type &inputType) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &inputType) const;
  ///@}

  /// Returns the number of inputs that a unit takes one after the other for one output; 0 if there
  /// is no such unit.
  unsigned getConvUnitMaxPipelineDepth(const Type &partialType) const;

  ///@{

  /// Returns the number of inputs that a unit takes one after the other for one output, by the type
  /// of the name.
  unsigned getFp32ConvUnitMaxPipelineDepth() const;
  unsigned getFp16ConvUnitMaxPipelineDepth() const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const;
  ///@}

  ///@{

  /// Returns the number of inputs that are loaded in one cycle, by the type of the name; 0 for
  /// quarters on chips without them.
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
  ///@}

  /// Returns how much of the weights is loaded in one cycle [bytes].
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;

  ///@{

  /// Returns the number of convolution units of a tile, by the types of inputs and outputs in the
  /// name; 0 for quarters on chips without them.
  unsigned getFp8InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  ///@}

  /// Returns the number of convolution units of a tile for these types; 0 where there is no such
  /// unit.
  unsigned getNumConvUnits(const Type &inputType, const Type &partialType) const;

  // Control registers of a supervisor.
  /// Returns the value of $FP_ICTL for these flags, which are those of FloatingPointBehaviour.
  unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const;
  /// Returns the number of the register $FP_ICTL.
  unsigned getFpIctlRegIndex() const;
  /// Returns the number of the register $DBG_DATA.
  unsigned getDbgDataRegIndex() const;

  /// Returns the routing of data over IPU-Links.
  IpuLinkConfiguration getIpuLinkConfiguration() const;
  /// Returns the arrangement of IPU-Links. See User guide, 2.7.1.
  IpuLinkTopology getIpuLinkTopology() const;
  /// Returns the number of IPUs that IPU-Links join.
  unsigned getIpuLinkDomainSize() const;
  /// Returns true if IPUs reach the host through gateways.
  bool getGatewayMode() const;
  /// Returns the target option gatewayMultiReadServiceTable.
  StringRef getGatewayMultiReadServiceTable() const;

  /// Returns the target options that make a target like this one.
  const OptionFlags &getTargetOptions() const;

  ///@{

  /// Compares what the targets describe; two default-constructed targets are equal.
  friend bool operator==(const Target &a, const Target &b) { return a.equals(b); }
  friend bool operator!=(const Target &a, const Target &b) { return !a.equals(b); }
  ///@}

  /// Compares in an arbitrary order, the same in every process, for keys of a map.
  friend bool operator<(const Target &a, const Target &b) { return a.isBefore(b); }

  /// Returns a hash; equal targets have equal hashes.
  std::size_t hash() const;

private:
  friend struct copse::types::TargetAccess;
  explicit Target(std::shared_ptr<const copse::types::TargetDescription> description);
  const copse::types::TargetDescription &description() const;
  bool equals(const Target &other) const;
  bool isBefore(const Target &other) const;

  std::shared_ptr<const copse::types::TargetDescription> description_;
};

///@{

/// Converts between host numbers and the target's halves of 2 bytes. Numbers are rounded to nearest
/// even; those that are too large become infinities. A NaN remains a NaN; converted from a half,
/// only its sign is kept. On a CPU target without accurateHalf, halves are floats. The device's
/// side has numElements * getTypeSize(HALF) bytes; a default-constructed target stands for halves
/// of 2 bytes.
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst,
                           std::size_t numElements);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst,
                           std::size_t numElements);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst,
                            std::size_t numElements);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst,
                            std::size_t numElements);
///@}

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  size_t operator()(const poplar::Target &target) const { return target.hash(); }
};
} // namespace std
