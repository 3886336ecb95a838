// Graph and what hangs on it: elements, streams, buffers, estimators.
#include "declares.hpp"

#include <cstdint>
#include <iosfwd>
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/SyncType.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;

namespace declared {

using Shape = ArrayRef<std::size_t>;
using Mapping = std::vector<std::vector<Interval>>;
using Context = const DebugContext &;
using program::Program;
using program::Sequence;

MADE_FROM(replication_factor, unsigned);
static_assert(!std::is_convertible<unsigned, replication_factor>::value, "explicit");

MOVE_ONLY(Graph);
static_assert(std::is_default_constructible<Graph>::value, "");
CONVERTS(const Target &, Graph);
CONVERTS(const Device &, Graph);
MADE_FROM(Graph, const Target &, replication_factor);
MADE_FROM(Graph, const Device &, replication_factor);
static_assert(std::is_same<Graph::TileToTensorMapping, Mapping>::value, "");
MEMBER(Graph, getTarget, const Target &() const);

// Variables and constants.
MEMBER(Graph, addVariable, Tensor(const Type &, Shape, Context));
MEMBER(Graph, addVariable, Tensor(const Type &, Shape, VariableMappingMethod, Context));
MEMBER(Graph, addConstant<float>, Tensor(const Type &, Shape, ArrayRef<float>, Context));
MEMBER(Graph, addConstant<float>, Tensor(const Type &, Shape, float, Context));
MEMBER(Graph, addConstant,
       Tensor(const Type &, Shape, const void *, const TypeTraits &, bool, Context));
MEMBER(Graph, addConstantHalf, Tensor(const Type &, Shape, std::uint16_t, Context));
MEMBER(Graph, addConstantHalf, Tensor(const Type &, Shape, const std::uint16_t *, Context));
extern Graph graph;
extern const Tensor t;
extern const float *floats;
extern const char character;
GIVES(Tensor, graph.addVariable(FLOAT, {}));
GIVES(Tensor, graph.addVariable(FLOAT, {{3, 10500, 3}}));
GIVES(Tensor, graph.addVariable(FLOAT, {2}, VariableMappingMethod::LINEAR));
GIVES(Tensor, graph.addConstant(HALF, {2}, floats));
GIVES(Tensor, graph.addConstant<float>(HALF, {2}, floats));
GIVES(Tensor, graph.addConstant(HALF, {}, 0.5));
GIVES(Tensor, graph.addConstant(CHAR, {}, character));
GIVES(Tensor, graph.addConstant(BOOL, {}, true));
GIVES(Tensor, graph.addConstant(UNSIGNED_INT, {}, std::size_t(1)));
GIVES(Tensor, graph.addConstant<unsigned>(INT, {}, 1));
GIVES(Tensor, graph.addConstantHalf(HALF, {}, std::uint16_t(0)));

// Quarters; none of them may catch what has no metadata.
GIVES(Tensor, graph.addVariable(QUARTER, t, {2, 3}));
GIVES(Tensor, graph.addVariable(QUARTER, t, {2, 3}, "name"));
GIVES(Tensor, graph.addVariable(QUARTER, t, {2}, VariableMappingMethod::LINEAR, "name"));
GIVES(Tensor, graph.addVariable(FLOAT, {}, {}));
GIVES(Tensor, graph.addVariable(FLOAT, {}, "name"));
GIVES(Tensor, graph.clone(QUARTER, t, t, "name", TensorCloneMethod::CREATE_NEW_ORDER));
GIVES(Tensor, graph.clone(FLOAT, t, {}));
GIVES(Tensor, graph.clone(t, {}, TensorCloneMethod::CREATE_NEW_ORDER));
GIVES(Tensor, graph.addConstant(QUARTER, QuarterMetadata(QuarterMetadata::Format::F143, 0), {}, 1));
GIVES(Tensor, graph.addConstant(QUARTER, QuarterMetadata(QuarterMetadata::Format::F152, 0), {2},
                                std::vector<float>{1, 2}, "name"));
GIVES(Tensor, graph.addConstant<float>(FLOAT, {}, {0.f}, "name"));
GIVES(Tensor, graph.addConstant(FLOAT, {1, 2}, 1.f));
FUNCTION(createConstantMetadataTensor, Tensor(Graph &, QuarterMetadata::Format, int, Context));
FUNCTION(createConstantMetadataTensor, Tensor(Graph &, const QuarterMetadata &, Context));
FUNCTION(createVariableMetadataTensor, Tensor(Graph &, QuarterMetadata::Format, int, Context));
FUNCTION(createVariableMetadataTensor, Tensor(Graph &, const QuarterMetadata &, Context));
FUNCTION(createVariableMetadataTensor,
         Tensor(Graph &, QuarterMetadata::Format, const Tensor &, program::Sequence &, Context));

// Codelets.
MEMBER(Graph, addCodelets, bool(StringRef, CodeletFileType, StringRef, StringRef));
MEMBER(Graph, addCodelets, bool(StringRef, CodeletFileType, StringRef, std::ostream &, StringRef));
MEMBER(Graph, addCodelets, void(std::stringstream &, StringRef, CodeletFileType, StringRef));
MEMBER(Graph, addCodelets,
       void(std::stringstream &, StringRef, std::ostream &, CodeletFileType, StringRef));
MEMBER(Graph, addCodelets, bool(ArrayRef<std::string>, StringRef, StringRef));
GIVES(bool, graph.addCodelets("a.cpp"));
GIVES(bool, graph.addCodelets({"a.cpp", "b.cpp"}));
GIVES(void, graph.addCodelets(std::declval<std::stringstream &>()));
MEMBER(Graph, hasCodelet, bool(StringRef) const);

// Vertices.
MEMBER(Graph, addComputeSet, ComputeSet(Context));
GIVES(ComputeSet, graph.addComputeSet());
MEMBER(Graph, addVertex, VertexRef(ComputeSet, StringRef));
MEMBER(Graph, addVertex, VertexRef(ComputeSet, StringRef, ArrayRef<Graph::ConnectionDesc>));
GIVES(VertexRef, graph.addVertex(ComputeSet(), "T", {{"a", t}, {"b", {t, t}}, {"c", 3.0f}}));
MEMBER(Graph, connect, void(FieldRef, const Tensor &));
MEMBER(Graph, connect, void(FieldRef, ArrayRef<Tensor>));
MEMBER(Graph, connect<float>, void(FieldRef, float));
MEMBER(Graph, setFieldSize, void(FieldRef, std::size_t));
MEMBER(Graph, setInitialValue<float>, void(FieldRef, float));
MEMBER(Graph, setInitialValue<float>, void(FieldRef, ArrayRef<float>));
MEMBER(Graph, setInitialValue<float>, void(const Tensor &, float));
MEMBER(Graph, setInitialValue<float>, void(const Tensor &, ArrayRef<float>));
MEMBER(Graph, setInitialValueHalf, void(FieldRef, std::uint16_t));
MEMBER(Graph, setInitialValueHalf, void(FieldRef, ArrayRef<std::uint16_t>));
MEMBER(Graph, setInitialValueHalf, void(const Tensor &, std::uint16_t));

// Tile mapping, clones, layout.
MEMBER(Graph, setTileMapping, void(VertexRef, unsigned));
MEMBER(Graph, setTileMapping, void(const Tensor &, unsigned));
MEMBER(Graph, setTileMapping, void(const Tensor &, const Mapping &));
MEMBER(Graph, getTileMapping, Mapping(const Tensor &, bool) const);
MEMBER(Graph, getTileMapping, Mapping(const Tensor &, bool *) const);
GIVES(Mapping, graph.getTileMapping(t));
GIVES(Mapping, graph.getTileMapping(t, false));
MEMBER(Graph, clone, Tensor(const Type &, const Tensor &, Context, TensorCloneMethod));
MEMBER(Graph, clone, Tensor(const Tensor &, Context, TensorCloneMethod));
GIVES(Tensor, graph.clone(t));
GIVES(Tensor, graph.clone(FLOAT, t, "name"));
MEMBER(Graph, cloneN,
       Tensor(const Tensor &, std::size_t, Context, TensorCloneMethod,
              TensorCloneDuplicationMethod));
GIVES(Tensor, graph.cloneN(t, 2));
MEMBER(Graph, getSortedContiguousRegions,
       Mapping(const Tensor &, ArrayRef<Interval>, bool, std::vector<std::size_t> *) const);
GIVES(Mapping, graph.getSortedContiguousRegions(t, {{0, 1}}));
MEMBER(Graph, reorderToSimplify, void(Tensor *, ArrayRef<Tensor *>, bool) const);
GIVES(void, graph.reorderToSimplify(nullptr, {}));
MEMBER(Graph, findUnbroadcastTensor, Tensor(const Tensor &) const);
MEMBER(Graph, isConstant, bool(VariableRef) const);
MEMBER(Graph, getVariable, Tensor(VariableRef) const);
FUNCTION(toString, std::string(TensorCloneMethod));

// Host access.
MEMBER(Graph, createHostWrite, void(StringRef, const Tensor &, bool));
MEMBER(Graph, createHostRead, void(StringRef, const Tensor &, bool));
GIVES(void, graph.createHostRead("a", t));
MEMBER(Graph, addHostToDeviceFIFO,
       DataStream(StringRef, const Type &, std::size_t, ReplicatedStreamMode, const OptionFlags &));
GIVES(DataStream, graph.addHostToDeviceFIFO("a", FLOAT, 1));
MEMBER(Graph, addDeviceToHostFIFO,
       DataStream(StringRef, const Type &, std::size_t, const OptionFlags &));
GIVES(DataStream, graph.addDeviceToHostFIFO("a", FLOAT, 1, {{"bufferingDepth", "2"}}));
MEMBER(Graph, addRemoteBuffer,
       RemoteBuffer(StringRef, const Type &, std::size_t, std::size_t, bool, bool));
GIVES(RemoteBuffer, graph.addRemoteBuffer("a", FLOAT, 1));

// Graphs made from graphs.
MEMBER(Graph, createVirtualGraph, Graph(unsigned));
MEMBER(Graph, createVirtualGraph, Graph(unsigned, unsigned));
MEMBER(Graph, createVirtualGraph, Graph(const std::vector<unsigned> &));
MEMBER(Graph, createReplicatedGraph, Graph(unsigned));
MEMBER(Graph, getTopLevelGraph, Graph());
MEMBER(Graph, getReplicationFactor, unsigned() const);
MEMBER(Graph, addReplicationIndexConstant, Tensor(Context));
MEMBER(Graph, getNonReplicatedTensor, Tensor(const Tensor &));
MEMBER(Graph, convertVirtualTileToPhysicalTile, unsigned(unsigned) const);

// Functions, estimates, output.
MEMBER(Graph, addFunction, Function(const Program &));
MEMBER(Graph, setPerfEstimate, void(VertexRef, std::uint64_t, std::uint64_t));
GIVES(void, graph.setPerfEstimate(VertexRef(), 1));
MEMBER(Graph, setCycleEstimate, void(VertexRef, unsigned));
MEMBER(Graph, registerPerfEstimator, void(StringRef, PerfEstimateFunc));
MEMBER(Graph, registerCycleEstimator, void(StringRef, CycleEstimateFunc));
MEMBER(Graph, getMaxVertexFieldValue, std::size_t(StringRef, StringRef) const);
MEMBER(Graph, getMaxVertexFieldValueAs<unsigned>, unsigned(StringRef, StringRef) const);
MEMBER(Graph, getMaxFieldDim, std::size_t(StringRef, StringRef, unsigned) const);
MEMBER(Graph, outputComputeGraph, void(std::ostream &, ArrayRef<Program>) const);
MEMBER(Graph, outputVertexGraph, void(std::ostream &, ArrayRef<Program>) const);
MEMBER(Graph, serialize, void(std::ostream &, SerializationFormat) const);
MEMBER(Graph, serialize,
       void(std::ostream &, ArrayRef<program::Program>, SerializationFormat) const);
MEMBER(Graph, serializeTensors, void(std::ostream &, ArrayRef<Tensor>, SerializationFormat) const);
MEMBER(Graph, deserializeTensors, std::vector<Tensor>(std::istream &, SerializationFormat));
static_assert(SerializationFormat::Binary != SerializationFormat::JSON, "");
FUNCTION(versionString, std::string());
FUNCTION(packageHash, std::string());

// GraphElements.hpp, DataStream.hpp, RemoteBuffer.hpp
VALUE(ComputeSet);
MADE_FROM(ComputeSet, unsigned);
MEMBER(ComputeSet, getId, unsigned() const);
GIVES(bool, ComputeSet() == ComputeSet() && ComputeSet() != ComputeSet());
VALUE(VertexRef);
MEMBER(VertexRef, operator[], FieldRef(StringRef) const);
MEMBER(VertexRef, getId, unsigned() const);
GIVES(bool, VertexRef() == VertexRef() && VertexRef() != VertexRef() && VertexRef() < VertexRef());
VALUE(FieldRef);
MADE_FROM(FieldRef, FieldRef, std::size_t);
MEMBER(FieldRef, operator[], FieldRef(std::size_t) const);
MEMBER(FieldRef, vertex, VertexRef() const);
MEMBER(FieldRef, isIndexed, bool() const);
MEMBER(FieldRef, getIndex, std::size_t() const);
VALUE(Function);
GIVES(bool, Function() == Function());
VALUE(DataStream);
MEMBER(DataStream, handle, std::string() const);
MEMBER(DataStream, numElements, std::size_t() const);
MEMBER(DataStream, replicationFactor, unsigned() const);
MEMBER(DataStream, replicatedMode, ReplicatedStreamMode() const);
MEMBER(DataStream, type, DataStreamType() const);
MEMBER(DataStream, elementType, Type() const);
GIVES(bool, DataStream() == DataStream() && DataStream() != DataStream());
VALUE(RemoteBuffer);
MEMBER(RemoteBuffer, handle, std::string() const);
MEMBER(RemoteBuffer, numElements, std::size_t() const);
MEMBER(RemoteBuffer, getRepeats, std::size_t() const);
MEMBER(RemoteBuffer, elementType, Type() const);
MEMBER(RemoteBuffer, isRearrangeOnHost, bool() const);
MEMBER(RemoteBuffer, isOptimisedForMemory, bool() const);
GIVES(bool, RemoteBuffer() == RemoteBuffer() && RemoteBuffer() != RemoteBuffer());

// PerfEstimateFunc.hpp, VertexIntrospector.hpp
CONVERTS(std::uint64_t, VertexPerfEstimate);
CONVERTS(int, VertexPerfEstimate);
MADE_FROM(VertexPerfEstimate, std::uint64_t, std::uint64_t);
FIELD(VertexPerfEstimate, cycles, std::uint64_t);
FIELD(VertexPerfEstimate, flops, std::uint64_t);
static_assert(
    std::is_same<PerfEstimateFunc, std::function<VertexPerfEstimate(const VertexIntrospector &,
                                                                    const Target &)>>::value,
    "");
MEMBER(VertexIntrospector, getFieldInfo, FieldData(const std::string &) const);
MEMBER(FieldData, rank, unsigned() const);
MEMBER(FieldData, size, std::size_t() const);
MEMBER(FieldData, getSizeAtIndex, std::size_t(unsigned) const);
GIVES(std::size_t, std::declval<const FieldData &>()[0].size());
MEMBER(FieldData, getProfilerVectorLayout, layout::Vector(std::size_t) const);
MEMBER(FieldData, getProfilerVectorListLayout, layout::VectorList() const);
MEMBER(FieldData, getInitialValue<unsigned>, unsigned(const Target &) const);
MEMBER(FieldData, getInitialValues<unsigned>, std::vector<unsigned>(const Target &) const);
using Lists = std::vector<std::vector<unsigned>>;
MEMBER(FieldData, getInitialValues<std::vector<unsigned>>, Lists(const Target &) const);
FUNCTION(layout::to_string, std::string(layout::Vector));
FUNCTION(layout::to_string, std::string(layout::VectorList));

// CSRFunctions.hpp, RandomSeed.hpp, CycleCount.hpp
using Behaviour = FloatingPointBehaviour;
MADE_FROM(Behaviour, bool, bool, bool, bool, bool);
FIELD(Behaviour, inv, bool);
FIELD(Behaviour, div0, bool);
FIELD(Behaviour, oflo, bool);
FIELD(Behaviour, esr, bool);
FIELD(Behaviour, nanoo, bool);
GIVES(Behaviour, !Behaviour());
FUNCTION(setFloatingPointBehaviour, void(Graph &, Sequence &, const Behaviour &, Context));
FUNCTION(setFloatingPointBehaviour, void(Graph &, Sequence &, const Tensor &, Context));
FUNCTION(getAndModifyFloatingPointBehaviour,
         Tensor(Graph &, Sequence &, const Behaviour &, const Behaviour &, Context));
FUNCTION(setStochasticRounding, void(Graph &, Sequence &, bool, Context));
FUNCTION(getHwSeeds, Tensor(Graph &, Sequence &, Context));
FUNCTION(setHwSeeds, void(Graph &, const Tensor &, Sequence &, Context));
FUNCTION(cycleCount, Tensor(Graph &, Sequence &, unsigned, SyncType, Context));
extern Sequence sequence;
GIVES(Tensor, getHwSeeds(graph, sequence));
GIVES(void, setHwSeeds(graph, t, sequence));
GIVES(Tensor, cycleCount(graph, sequence, 0, SyncType::EXTERNAL));
GIVES(void, setStochasticRounding(graph, sequence, true));

} // namespace declared
