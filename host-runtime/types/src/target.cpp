#include "poplar/Target.hpp"

#include "target_options.hpp"
#include "target_table.hpp"

#include "poplar/TileConstants.hpp"
#include "poplar/exceptions.hpp"
#include "types/element_type.hpp"
#include "types/nearest_name.hpp"
#include "types/target_description.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace copse::types {

struct TargetAccess {
  static const TargetDescription &describe(const poplar::Target &target) {
    return target.description();
  }
  static poplar::Target make(TargetDescription description) {
    return poplar::Target(std::make_shared<const WithFlags>(std::move(description)));
  }
  static const poplar::OptionFlags &flags(const poplar::Target &target) {
    return static_cast<const WithFlags &>(target.description()).flags;
  }

private:
  /// The object behind every Target; it stores the options, which are returned by reference.
  struct WithFlags : TargetDescription {
    explicit WithFlags(TargetDescription d)
        : TargetDescription(std::move(d)),
          flags(targetType == poplar::TargetType::CPU ? poplar::OptionFlags() : flagsOf(links)) {}
    poplar::OptionFlags flags;
  };
};

const TargetDescription &describe(const poplar::Target &target) {
  return TargetAccess::describe(target);
}
poplar::Target makeTarget(TargetDescription description) {
  return TargetAccess::make(std::move(description));
}

namespace {

TargetDescription describeArch(Architecture arch) {
  const ArchEntry &entry = ipuArch(arch);
  TargetDescription d;
  d.targetType = poplar::TargetType::IPU;
  d.arch = arch;
  d.machineModel = entry.machineModel;
  d.tilesPerIPU = entry.tilesPerIPU;
  d.tile = entry.tile;
  d.links.domainSize = kLargestLinkDomain;
  return d;
}

TargetDescription describeSystem(const std::string &name) {
  if (const auto arch = ipuArchNamed(name))
    return describeArch(*arch);
  const SystemEntry *system = systemNamed(name);
  if (!system)
    throw poplar::poplar_error("unknown system type '" + name + "'" +
                               suggestion(name, systemNames()));
  TargetDescription d = describeArch(system->arch);
  d.system = name;
  d.machineModel = system->machineModel;
  d.tile.clockFrequency = system->clockFrequency;
  d.links.domainSize = system->linkDomainSize;
  d.links.gatewayMode = system->gateway;
  return d;
}

/// Reduces \p d to the given numbers of IPUs and tiles.
void shrink(TargetDescription &d, std::uint32_t numIPUs, std::uint32_t tilesPerIPU) {
  if (numIPUs == 0 || tilesPerIPU == 0)
    throw poplar::poplar_error("a target must have at least one IPU and one tile");
  if (tilesPerIPU > d.tilesPerIPU)
    throw poplar::poplar_error("a target of " + std::to_string(tilesPerIPU) +
                               " tiles per IPU: there are only " + std::to_string(d.tilesPerIPU));
  if (numIPUs > std::numeric_limits<std::uint32_t>::max() / tilesPerIPU)
    throw poplar::poplar_error("a target of " + std::to_string(numIPUs) +
                               " IPUs has more tiles than can be numbered");
  d.numIPUs = numIPUs;
  d.tilesPerIPU = tilesPerIPU;
}

bool isFloat(const poplar::Type &type) { return type == poplar::FLOAT; }
bool isHalf(const poplar::Type &type) { return type == poplar::HALF; }

bool takesQuarters(const TargetDescription &d) { return d.arch == Architecture::Ipu21; }

/// Returns a figure of the convolution units, which take two quarters in place of each half.
unsigned byInputType(const TargetDescription &d, const poplar::Type &type, unsigned quarters,
                     unsigned halves, unsigned floats) {
  if (isHalf(type))
    return halves;
  if (type == poplar::QUARTER && takesQuarters(d))
    return quarters;
  return isFloat(type) ? floats : 0;
}

} // namespace
} // namespace copse::types

namespace poplar {

using copse::types::TargetDescription;

Target::Target() = default;
Target::Target(std::shared_ptr<const TargetDescription> description)
    : description_(std::move(description)) {}

const TargetDescription &Target::description() const {
  if (!description_)
    throw poplar_error("a default-constructed Target describes no machine");
  return *description_;
}

Target Target::createCPUTarget(bool accurateHalf, unsigned numIPUs) {
  TargetDescription d;
  d.tile = copse::types::cpuFigures();
  d.accurateHalf = accurateHalf;
  d.halfBytes = accurateHalf ? 2 : 4;
  copse::types::shrink(d, numIPUs, 1);
  return copse::types::makeTarget(std::move(d));
}

Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags &options) {
  TargetDescription d = copse::types::describeSystem(systemType);
  copse::types::shrink(d, numIPUs, d.tilesPerIPU);
  d.links = copse::types::parseTargetOptions(options, d.links);
  return copse::types::makeTarget(std::move(d));
}

Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                               const OptionFlags &options) {
  return createIPUTarget(numIPUs, systemType, options).createVirtualTarget(numIPUs, tilesPerIPU);
}

Target Target::createIPUTarget(StringRef systemType, const OptionFlags &options) {
  const copse::types::SystemEntry *system = copse::types::systemNamed(systemType.cloneAsString());
  return createIPUTarget(system ? system->ipus : 1, systemType, options);
}

Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const {
  TargetDescription d = description();
  if (numIPUs > d.numIPUs)
    throw poplar_error("a virtual target of " + std::to_string(numIPUs) + " IPUs: there are only " +
                       std::to_string(d.numIPUs));
  copse::types::shrink(d, numIPUs, tilesPerIPU);
  return copse::types::makeTarget(std::move(d));
}

bool Target::equals(const Target &other) const {
  if (description_ == other.description_)
    return true;
  return description_ && other.description_ && *description_ == *other.description_;
}

bool Target::isBefore(const Target &other) const {
  if (!description_ || !other.description_)
    return !description_ && other.description_;
  return *description_ < *other.description_;
}

std::size_t Target::hash() const {
  if (!description_)
    return 0;
  const TargetDescription &d = *description_;
  return std::hash<std::string>()(d.system) ^ (static_cast<std::size_t>(d.arch) << 60) ^
         (static_cast<std::size_t>(d.numIPUs) << 20) ^ d.tilesPerIPU;
}

TargetType Target::getTargetType() const { return description().targetType; }
StringRef Target::getTargetSystemString() const { return description().system; }

StringRef Target::getTargetArchString() const {
  if (description().targetType == TargetType::CPU)
    throw poplar_error("a CPU target has no IPU architecture");
  const std::string_view name = copse::types::archName(description().arch);
  return StringRef(name.data(), name.size());
}

unsigned Target::getNumIPUs() const { return description().numIPUs; }
unsigned Target::getTilesPerIPU() const { return description().tilesPerIPU; }
unsigned Target::getNumTiles() const { return description().numTiles(); }
unsigned Target::getNumWorkerContexts() const { return description().tile.workers; }
unsigned Target::getBytesPerTile() const { return description().tile.bytesPerTile; }
std::size_t Target::getMemoryBytes() const {
  return std::size_t{getNumTiles()} * getBytesPerTile();
}

std::size_t Target::getTypeSize(const Type &type) const {
  const TargetDescription &d = description();
  return copse::types::elementBytes(copse::types::elementType(type), d.arch, d.halfBytes);
}

unsigned Target::getVectorWidth(const Type &type) const {
  // The tile has no vectors of bools. With a larger width the public PopLibs generate codelets that
  // choose between vectors by `if` on a bool2, which no compiler accepts.
  if (description().targetType == TargetType::CPU || type == BOOL)
    return 1;
  return std::max(1u, getDataPathWidth() / (8 * static_cast<unsigned>(getTypeSize(type))));
}
unsigned Target::getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
unsigned Target::getHalfVectorWidth() const { return getVectorWidth(HALF); }
unsigned Target::getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }

unsigned Target::getDataPathWidth() const { return description().tile.dataPathBits; }
std::size_t Target::getAtomicStoreGranularity() const {
  return description().tile.atomicStoreBytes;
}
unsigned Target::getRptCountMax() const { return description().tile.maxRepeatCount; }
unsigned Target::getNumStrideBits() const { return description().tile.strideBits; }
double Target::getTileClockFrequency() const { return description().tile.clockFrequency; }
unsigned Target::getExchangeBytesPerCycle() const {
  return description().tile.exchangeBytesPerCycle;
}
unsigned Target::getMemcpyBytesPerCycle() const { return description().tile.memcpyBytesPerCycle; }
unsigned Target::getMinIPUSyncDelay() const { return description().tile.minSyncDelay; }
unsigned Target::getMaxIPUSyncDelay() const { return description().tile.maxSyncDelay; }
unsigned Target::getGlobalSyncCycles() const { return description().tile.globalSyncCycles; }

std::vector<unsigned> Target::getMemoryElementOffsets() const {
  return description().tile.memoryElementOffsets;
}
unsigned Target::getInterleavedMemoryElementIndex() const {
  return description().tile.interleavedElement;
}

std::vector<GlobalExchangeConstraint> Target::getGlobalExchangeConstraints() const {
  return description().globalExchangeConstraints;
}
unsigned Target::getTilesPerSharedExchangeBus() const {
  return description().tile.tilesPerExchangeBus;
}
bool Target::supportsExchangeBusSharing() const { return description().tile.exchangeBusSharing; }

unsigned Target::getWeightsPerConvUnit(bool floatActivations) const {
  const auto &tile = description().tile;
  return floatActivations ? tile.weightsPerConvUnitFloat : tile.weightsPerConvUnitHalf;
}
unsigned Target::getConvUnitInputLoadElemsPerCycle(bool floatActivations) const {
  const auto &tile = description().tile;
  return floatActivations ? tile.convInputLoadFloat : tile.convInputLoadHalf;
}
unsigned Target::getWeightsPerConvUnit(const Type &inputType) const {
  return copse::types::byInputType(description(), inputType, 2 * getWeightsPerConvUnit(false),
                                   getWeightsPerConvUnit(false), getWeightsPerConvUnit(true));
}
unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &inputType) const {
  const auto &tile = description().tile;
  return copse::types::byInputType(description(), inputType, tile.convInputLoadQuarter,
                                   tile.convInputLoadHalf, tile.convInputLoadFloat);
}
unsigned Target::getConvUnitMaxPipelineDepth(const Type &partialType) const {
  const auto &tile = description().tile;
  if (copse::types::isHalf(partialType))
    return tile.convStepsHalf;
  return copse::types::isFloat(partialType) ? tile.convStepsFloat : 0;
}
unsigned Target::getFp32ConvUnitMaxPipelineDepth() const {
  return getConvUnitMaxPipelineDepth(FLOAT);
}
unsigned Target::getFp16ConvUnitMaxPipelineDepth() const {
  return getConvUnitMaxPipelineDepth(HALF);
}
unsigned Target::getFp8ConvUnitMaxPipelineDepth() const {
  return copse::types::takesQuarters(description()) ? description().tile.convStepsQuarter : 0;
}
unsigned Target::getFp8ConvUnitInputLoadElemsPerCycle() const {
  return getConvUnitInputLoadElemsPerCycle(QUARTER);
}
unsigned Target::getFp16ConvUnitInputLoadElemsPerCycle() const {
  return getConvUnitInputLoadElemsPerCycle(false);
}
unsigned Target::getFp32ConvUnitInputLoadElemsPerCycle() const {
  return getConvUnitInputLoadElemsPerCycle(true);
}
unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const {
  return description().tile.convCoeffLoadBytes;
}
unsigned Target::getFp8InFp16OutConvUnitsPerTile() const { return getNumConvUnits(QUARTER, HALF); }
unsigned Target::getFp16InFp16OutConvUnitsPerTile() const {
  return description().tile.convUnitsHalfHalf;
}
unsigned Target::getFp16InFp32OutConvUnitsPerTile() const {
  return description().tile.convUnitsHalfFloat;
}
unsigned Target::getFp32InFp32OutConvUnitsPerTile() const {
  return description().tile.convUnitsFloatFloat;
}

unsigned Target::getNumConvUnits(const Type &inputType, const Type &partialType) const {
  using copse::types::isFloat;
  using copse::types::isHalf;
  if (isHalf(inputType) && isHalf(partialType))
    return getFp16InFp16OutConvUnitsPerTile();
  if (isHalf(inputType) && isFloat(partialType))
    return getFp16InFp32OutConvUnitsPerTile();
  if (copse::types::takesQuarters(description()) && inputType == QUARTER && isHalf(partialType))
    return getFp16InFp16OutConvUnitsPerTile();
  return isFloat(inputType) && isFloat(partialType) ? getFp32InFp32OutConvUnitsPerTile() : 0;
}

unsigned Target::makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const {
  const auto bit = [](bool on, unsigned shift) { return on ? 1U << shift : 0U; };
  return bit(inv, CSR_S_FP_ICTL__INV__SHIFT) | bit(div0, CSR_S_FP_ICTL__DIV0__SHIFT) |
         bit(oflo, CSR_S_FP_ICTL__OFLO__SHIFT) | bit(esr, CSR_S_FP_ICTL__ESR__SHIFT) |
         bit(nanoo, CSR_S_FP_ICTL__NANOO__SHIFT);
}
unsigned Target::getFpIctlRegIndex() const { return CSR_S_FP_ICTL__INDEX; }
unsigned Target::getDbgDataRegIndex() const { return CSR_S_DBG_DATA__INDEX; }

const OptionFlags &Target::getTargetOptions() const {
  return copse::types::TargetAccess::flags(*this);
}

IpuLinkConfiguration Target::getIpuLinkConfiguration() const {
  return description().links.configuration;
}
IpuLinkTopology Target::getIpuLinkTopology() const { return description().links.topology; }
unsigned Target::getIpuLinkDomainSize() const { return description().links.domainSize; }
bool Target::getGatewayMode() const { return description().links.gatewayMode; }
StringRef Target::getGatewayMultiReadServiceTable() const {
  return description().links.gatewayMultiReadServiceTable;
}

} // namespace poplar
