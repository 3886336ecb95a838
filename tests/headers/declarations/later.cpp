// Additions of releases after 2.2 to classes that were there before.
#include "declares.hpp"

#include <iosfwd>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/PrintTensorFmt.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StorageInfo.hpp>
#include <poplar/TensorRearranger.hpp>
#include <poplar/TypeLimits.hpp>
#include <string>
#include <vector>

using namespace poplar;

namespace declared {

VALUE(PrintTensorFmt);
VALUE(RuntimeOptions);
VALUE(StorageInfo);
VALUE(TensorRearranger);
VALUE(FunctionBuffer);
CONVERTS(OptionFlags, RuntimeOptions);
CONVERTS(RuntimeOptions, OptionFlags);
BELOW(ResumableStreamCallback, StreamCallback);
MEMBER(ResumableStreamCallback, resume, StreamCallback::Result(void *));
MEMBER(HostCallback, operator(), void(ArrayRef<const void *>, ArrayRef<void *>));
MEMBER(TensorRearranger, rearrange, Tensor(const Tensor &) const);
MEMBER(TensorRearranger, undoRearrangement, Tensor(const Tensor &) const);

MEMBER(Engine, getEngineOptions, OptionFlags() const);
MEMBER(Engine, listStreams, std::vector<std::string>() const);
MEMBER(Engine, insertSimulatedError, void(ErrorCode));
MEMBER(Engine, eraseSimulatedError, void(ErrorCode));
MEMBER(Engine, clearSimulatedErrors, void());

MEMBER(Graph, getPerfEstimate, VertexPerfEstimate(VertexRef) const);
MEMBER(Graph, getNumVertices, std::size_t() const);
MEMBER(Graph, getFieldSize, std::size_t(FieldRef) const);
MEMBER(Graph, getMaxVertexFieldValueAs<unsigned>, unsigned(StringRef, StringRef) const);
MEMBER(Graph, addFunctionBuffer, FunctionBuffer(const Function &, FunctionBufferMappingType));
MEMBER(Graph, getVariableTileMapping, Graph::TileToTensorMapping(VariableRef) const);
MEMBER(Graph, getSimplifyingRearranger, TensorRearranger(const Tensor &) const);
MEMBER(Graph, getStorageInfo, StorageInfo(const Tensor &) const);
MEMBER(Graph, convertVirtualTileToPhysicalTile, unsigned(unsigned) const);
MEMBER(Graph, convertPhysicalTileToVirtualTile, unsigned(unsigned) const);
MEMBER(Graph, convertPhysicalTileToVirtualTile, unsigned(unsigned, unsigned) const);

MEMBER(Target, getMemoryBytes, std::size_t() const);
MEMBER(Target, getFp32ConvUnitMaxPipelineDepth, unsigned() const);
MEMBER(Target, getFp16ConvUnitMaxPipelineDepth, unsigned() const);
MEMBER(Target, getFp8ConvUnitMaxPipelineDepth, unsigned() const);
MEMBER(Target, getConvUnitMaxPipelineDepth, unsigned(const Type &) const);
MEMBER(Target, getWeightsPerConvUnit, unsigned(const Type &) const);
MEMBER(Target, getNumConvUnits, unsigned(const Type &, const Type &) const);
MEMBER(Target, getQuarterVectorWidth, unsigned() const);
MEMBER(Target, getTypeLimits, TypeLimits(const Type &) const);
MEMBER(Target, getTypeLimitsMaxAs<float>, float(const Type &) const);
MEMBER(Target, getTypeLimitsMinAs<float>, float(const Type &) const);
MEMBER(Target, getTypeLimitsLowestAs<float>, float(const Type &) const);

MEMBER(OptionFlags, find, OptionFlags::iterator(StringRef) const);
MEMBER(Tensor, dumpRegions, void(std::ostream &) const);
MEMBER(Tensor, dumpRegions, void() const);
MEMBER(Tensor, hasMetadata, bool() const);
MEMBER(Tensor, getMetadata, Tensor() const);
MEMBER(DeviceManager, getChildDeviceIds, std::vector<unsigned>(unsigned, unsigned) const);
MEMBER(RemoteBuffer, getHostToIpuStream, DataStream() const);
MEMBER(RemoteBuffer, getIpuToHostStream, DataStream() const);

} // namespace declared
