// TargetType, Target, Device, DeviceManager, IPUModel.
#include "declares.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <poplar/Device.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Target.hpp>
#include <poplar/TargetType.hpp>
#include <string>
#include <vector>

using namespace poplar;

namespace declared {

FUNCTION(toString, std::string(TargetType));
static_assert(TargetType::IPU != TargetType::IPU_MODEL && TargetType::CPU != TargetType::IPU, "");

// Target.hpp
VALUE(Target);
FUNCTION(Target::createCPUTarget, Target(bool, unsigned));
FUNCTION(Target::createIPUTarget, Target(unsigned, StringRef, const OptionFlags &));
FUNCTION(Target::createIPUTarget, Target(unsigned, unsigned, StringRef, const OptionFlags &));
GIVES(Target, Target::createCPUTarget());
GIVES(Target, Target::createIPUTarget(1, "ipu2"));
GIVES(Target, Target::createIPUTarget(1, 4, "ipu2"));
MEMBER(Target, createVirtualTarget, Target(unsigned, unsigned) const);
GIVES(bool, Target() == Target() && Target() != Target());
GIVES(std::size_t, std::hash<Target>()(Target()));
MEMBER(Target, getTargetType, TargetType() const);
MEMBER(Target, getTargetSystemString, StringRef() const);
MEMBER(Target, getTargetArchString, StringRef() const);
#define GETTER(name) MEMBER(Target, name, unsigned() const)
GETTER(getNumIPUs);
GETTER(getTilesPerIPU);
GETTER(getNumTiles);
GETTER(getNumWorkerContexts);
GETTER(getBytesPerTile);
GETTER(getFloatVectorWidth);
GETTER(getHalfVectorWidth);
GETTER(getDataPathWidth);
GETTER(getRptCountMax);
GETTER(getNumStrideBits);
GETTER(getExchangeBytesPerCycle);
GETTER(getMemcpyBytesPerCycle);
GETTER(getMinIPUSyncDelay);
GETTER(getMaxIPUSyncDelay);
GETTER(getGlobalSyncCycles);
GETTER(getInterleavedMemoryElementIndex);
GETTER(getTilesPerSharedExchangeBus);
GETTER(getConvUnitCoeffLoadBytesPerCycle);
GETTER(getFp16ConvUnitInputLoadElemsPerCycle);
GETTER(getFp32ConvUnitInputLoadElemsPerCycle);
GETTER(getFp16InFp16OutConvUnitsPerTile);
GETTER(getFp16InFp32OutConvUnitsPerTile);
GETTER(getFp32InFp32OutConvUnitsPerTile);
GETTER(getIpuLinkDomainSize);
MEMBER(Target, getTypeSize, std::size_t(const Type &) const);
MEMBER(Target, getAtomicStoreGranularity, std::size_t() const);
MEMBER(Target, getVectorWidth, unsigned(const Type &) const);
MEMBER(Target, getTileClockFrequency, double() const);
MEMBER(Target, getMemoryElementOffsets, std::vector<unsigned>() const);
MEMBER(Target, getGlobalExchangeConstraints, std::vector<GlobalExchangeConstraint>() const);
MEMBER(Target, supportsExchangeBusSharing, bool() const);
MEMBER(Target, getWeightsPerConvUnit, unsigned(bool) const);
MEMBER(Target, getWeightsPerConvUnit, unsigned(const Type &) const);
MEMBER(Target, getConvUnitInputLoadElemsPerCycle, unsigned(const Type &) const);
MEMBER(Target, getConvUnitMaxPipelineDepth, unsigned(const Type &) const);
MEMBER(Target, getConvUnitInputLoadElemsPerCycle, unsigned(bool) const);
MEMBER(Target, getNumConvUnits, unsigned(const Type &, const Type &) const);
MEMBER(Target, getIpuLinkConfiguration, IpuLinkConfiguration() const);
MEMBER(Target, getIpuLinkTopology, IpuLinkTopology() const);
MEMBER(Target, getGatewayMode, bool() const);
MEMBER(Target, getGatewayMultiReadServiceTable, StringRef() const);
FUNCTION(copyFloatToDeviceHalf, void(const Target &, const float *, void *, std::size_t));
FUNCTION(copyDeviceHalfToFloat, void(const Target &, const void *, float *, std::size_t));
FUNCTION(copyDoubleToDeviceHalf, void(const Target &, const double *, void *, std::size_t));
FUNCTION(copyDeviceHalfToDouble, void(const Target &, const void *, double *, std::size_t));
MADE_FROM(GlobalExchangeFlow, unsigned, unsigned);
FIELD(GlobalExchangeFlow, src, unsigned);
FIELD(GlobalExchangeFlow, dst, unsigned);
MADE_FROM(GlobalExchangeConstraint, double, std::vector<GlobalExchangeFlow>);
FIELD(GlobalExchangeConstraint, bandwidth, double);
FIELD(GlobalExchangeConstraint, flows, std::vector<GlobalExchangeFlow>);

// Device.hpp
MOVE_ONLY(Device);
static_assert(std::is_default_constructible<Device>::value, "");
FUNCTION(Device::createCPUDevice, Device(unsigned));
GIVES(Device, Device::createCPUDevice());
FUNCTION(Device::createSimulatorDevice, Device(const Target &, const OptionFlags &));
GIVES(Device, Device::createSimulatorDevice(Target()));
MEMBER(Device, getId, unsigned() const);
MEMBER(Device, getTarget, const Target &() const);
MEMBER(Device, attach, bool() const);
MEMBER(Device, detach, void() const);
MEMBER(Device, isAttached, bool() const);
MEMBER(Device, getDriverVersion, void(unsigned &, unsigned &, unsigned &) const);
MEMBER(Device, supportsRemoteBuffers, bool() const);
MEMBER(Device, hasGateway, bool() const);
using Attributes = std::map<std::string, std::string>;
MEMBER(Device, getAttributes, Attributes() const);
MEMBER(Device, getAttribute, std::string(const std::string &) const);
MEMBER(Device, getNumaTopology, std::vector<int>() const);
MEMBER(Device, getNumaNodesUsedForIPUs, std::vector<unsigned>() const);
MEMBER(Device, getDriverIDs, std::vector<unsigned>() const);
MEMBER(Device, reset, void() const);
MEMBER(Device, createVirtualDevice, Device(unsigned) const);

// DeviceManager.hpp
static_assert(std::is_default_constructible<DeviceManager>::value, "");
FUNCTION(DeviceManager::createDeviceManager, DeviceManager());
MEMBER(DeviceManager, getNumDevices, std::size_t() const);
MEMBER(DeviceManager, getDevices, std::vector<Device>(const OptionFlags &) const);
MEMBER(DeviceManager, getDevices,
       std::vector<Device>(TargetType, unsigned, const OptionFlags &) const);
MEMBER(DeviceManager, getDevice, Device(unsigned, const OptionFlags &) const);
GIVES(std::vector<Device>, DeviceManager().getDevices());
GIVES(std::vector<Device>, DeviceManager().getDevices(TargetType::IPU, 1));
GIVES(Device, DeviceManager().getDevice(0));

// IPUModel.hpp
static_assert(std::is_default_constructible<IPUModel>::value, "");
MADE_FROM(IPUModel, const char *);
static_assert(!std::is_convertible<const char *, IPUModel>::value, "explicit");
MEMBER(IPUModel, createDevice, Device(const OptionFlags &, bool, unsigned) const);
GIVES(Device, IPUModel().createDevice());
GIVES(Device, IPUModel().createDevice({}, true));
FIELD(IPUModel, IPUVersion, std::string);
#define FIGURE(name) FIELD(IPUModel, name, unsigned)
FIGURE(numIPUs);
FIGURE(tilesPerSuperTile);
FIGURE(tilesPerIPU);
FIGURE(numWorkerContexts);
FIGURE(memoryBytesPerTile);
FIGURE(exchangeBytesPerCycle);
FIGURE(memcpyBytesPerCycle);
FIGURE(minIPUSyncDelay);
FIGURE(globalSyncCycles);
FIGURE(instructionBytes);
FIGURE(interleavedMemoryElementIndex);
FIGURE(fp16InFp16OutConvUnitsPerTile);
FIGURE(fp16InFp32OutConvUnitsPerTile);
FIGURE(fp32InFp32OutConvUnitsPerTile);
FIELD(IPUModel, tileClockFrequency, double);
FIELD(IPUModel, memoryElementOffsets, std::vector<unsigned>);
FIELD(IPUModel, supportsSuperTileSendReceive, bool);
FIELD(IPUModel, compileIPUCode, bool);
FIELD(IPUModel, relativeSyncDelay, IPUModel::RelativeSyncDelayType);
FIELD(IPUModel, globalExchangeConstraints, std::vector<GlobalExchangeConstraint>);
static_assert(IPUModel::RelativeSyncDelayType::AUTO != IPUModel::RelativeSyncDelayType::NO_DELAY,
              "");
GIVES(bool, IPUModel() == IPUModel() && IPUModel() != IPUModel());

} // namespace declared
