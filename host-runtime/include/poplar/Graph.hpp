#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/CodeletFileType.hpp"
#include "poplar/CycleEstimateFunc.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Device.hpp"
#include "poplar/FunctionBufferMappingType.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/HostFunction.hpp"
#include "poplar/HostValues.hpp"
#include "poplar/Interval.hpp"
#include "poplar/MetadataCreation.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/PerfEstimateFunc.hpp"
#include "poplar/Quarter.hpp"
#include "poplar/RemoteBuffer.hpp"
#include "poplar/ReplicatedStreamMode.hpp"
#include "poplar/SerializationFormat.hpp"
#include "poplar/StandardHeaders.hpp"
#include "poplar/StorageInfo.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/Target.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/TensorCloneMethod.hpp"
#include "poplar/TensorRearranger.hpp"
#include "poplar/Type.hpp"
#include "poplar/TypeTraits.hpp"
#include "poplar/VariableMappingMethod.hpp"
#include "poplar/VariableRef.hpp"
#include "poplar/VersionString.hpp"
#include "poplar/VertexIntrospector.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/replication_factor.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

/// A graph under construction: variables, their tile mapping, vertices in compute sets, streams and
/// functions.
///
/// Move-only. A virtual graph shares everything but tile numbers with the graph it was made from,
/// and keeps it alive. Thread: const functions may run at the same time; different graphs may be
/// built in different threads.
class Graph {
  template <typename T>
  using IfValue = typename std::enable_if<HostValues::IsValue<T>::value>::type;
  /// Accepts tensors only: an empty pair of braces should never become a tensor.
  template <typename T>
  using IfTensor = typename std::enable_if<std::is_same<T, Tensor>::value>::type;
  template <typename T> using IfPointer = typename std::enable_if<std::is_pointer<T>::value>::type;
  /// A list of sizes that is not a pair of braces.
  template <typename T>
  using IfShape =
      typename std::enable_if<std::is_convertible<const T &, ArrayRef<std::size_t>>::value>::type;

public:
  /// For each tile, intervals of a flattened tensor.
  using TileToTensorMapping = std::vector<std::vector<Interval>>;

  /// The name of a field and what to connect to it: `{"in", t}`, `{"parts", {t0, t1}}`,
  /// `{"scale", 2.0f}`.
  struct ConnectionDesc {
    ConnectionDesc(StringRef field, const Tensor &tensor);
    ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors);
    ConnectionDesc(StringRef field, const std::vector<Tensor> &tensors);
    ConnectionDesc(StringRef field, std::initializer_list<Tensor> tensors);
    template <typename T, typename = IfValue<T>>
    ConnectionDesc(StringRef field, T value)
        : field_(field), kind_(Kind::Value), traits_(HostValues::of(&value, 1).traits),
          value_(reinterpret_cast<const unsigned char *>(&value),
                 reinterpret_cast<const unsigned char *>(&value) + sizeof(T)) {}

  private:
    friend class Graph;
    enum class Kind { Tensor, List, Value };
    std::string field_;
    Kind kind_;
    std::vector<Tensor> tensors_;
    TypeTraits traits_;
    std::vector<unsigned char> value_;
  };

  Graph(); ///< no graph: may only be assigned to
  /// \param r  number of replicas, each on an equal share of the target's IPUs
  /// \throws graph_replication_error if \p r does not divide the number of IPUs
  Graph(const Target &target, replication_factor r = replication_factor(1));
  Graph(const Device &device, replication_factor r = replication_factor(1))
      : Graph(device.getTarget(), r) {}
  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  ~Graph();

  /// Of one replica; of the tiles of this graph if it is a virtual one.
  const Target &getTarget() const;

  // Variables and constants. A new variable is one contiguous region in row-major order of its
  // shape.

  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext &debugContext = {});
  /// A variable of quarters.
  /// \param metadata  one QUARTER_METADATA: what its elements mean. An invalid tensor stands for
  ///                  none, with any type; then quarters get a variable of their own for it, on
  ///                  tile 0, which copies of quarters set
  /// \throws tensor_metadata_error if \p metadata is something else, or \p type is not QUARTER
  template <typename M, typename = IfTensor<M>>
  Tensor addVariable(const Type &type, const M &metadata, std::initializer_list<std::size_t> shape,
                     const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, VariableMappingMethod::NONE, debugContext);
  }
  template <typename M, typename = IfTensor<M>>
  Tensor addVariable(const Type &type, const M &metadata, std::initializer_list<std::size_t> shape,
                     VariableMappingMethod method, const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, method, debugContext);
  }
  /// Takes a shape that is not in braces; \p metadata may be an empty pair of braces.
  template <typename S, typename = IfShape<S>>
  Tensor addVariable(const Type &type, const Tensor &metadata, const S &shape,
                     const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, VariableMappingMethod::NONE, debugContext);
  }
  template <typename S, typename = IfShape<S>>
  Tensor addVariable(const Type &type, const Tensor &metadata, const S &shape,
                     VariableMappingMethod method, const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, method, debugContext);
  }

  /// Values are converted to \p type. A single value fills the shape, in braces, too; any other list
  /// has a value for each element.
  /// \throws poplar_error if the number of values does not fit the shape
  template <typename T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, shape, HostValues::of(values.data(), values.size()), false,
                             debugContext);
  }
  template <typename T, typename A>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const std::vector<T, A> &values,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, shape, HostValues::of(values.data(), values.size()), false,
                             debugContext);
  }
  template <typename T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, std::initializer_list<T> values,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, shape, HostValues::of(values.begin(), values.size()),
                             values.size() == 1, debugContext);
  }
  template <typename T = void, typename P, typename = IfPointer<P>>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, P values,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, shape, HostValues::of(values, elementsOf(shape)), false,
                             debugContext);
  }
  template <typename T, typename = IfValue<T>>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, shape, HostValues::of(&value, 1), true, debugContext);
  }
  /// Constants of quarters, with constant metadata.
  template <typename T>
  Tensor addConstant(const Type &type, const QuarterMetadata &metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(values.data(), values.size()),
                               false, debugContext);
  }
  template <typename T, typename A>
  Tensor addConstant(const Type &type, const QuarterMetadata &metadata, ArrayRef<std::size_t> shape,
                     const std::vector<T, A> &values, const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, ArrayRef<T>(values), debugContext);
  }
  template <typename T, typename = IfValue<T>>
  Tensor addConstant(const Type &type, const QuarterMetadata &metadata, ArrayRef<std::size_t> shape,
                     T value, const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(&value, 1), true,
                               debugContext);
  }
  /// Constants of quarters that mean what \p metadata say, which may be an invalid tensor for any
  /// other type.
  /// \throws tensor_metadata_error as addVariable(); if \p metadata are no constant, unless all
  ///         values are 0, which is 0 whatever they say
  template <typename T, typename M, typename = IfTensor<M>>
  Tensor addConstant(const Type &type, const M &metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(values.data(), values.size()),
                               false, debugContext);
  }
  template <typename T, typename M, typename A, typename = IfTensor<M>>
  Tensor addConstant(const Type &type, const M &metadata, ArrayRef<std::size_t> shape,
                     const std::vector<T, A> &values, const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, ArrayRef<T>(values), debugContext);
  }
  template <typename T, typename M, typename = IfTensor<M>, typename = IfValue<T>>
  Tensor addConstant(const Type &type, const M &metadata, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(&value, 1), true,
                               debugContext);
  }
  template <typename T, typename M, typename = IfTensor<M>>
  Tensor addConstant(const Type &type, const M &metadata, ArrayRef<std::size_t> shape,
                     const T *values, const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(values, elementsOf(shape)),
                               false, debugContext);
  }
  /// \param broadcast  there is one value, which fills the shape
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                     const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     const void *values, const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});
  /// \param bits  IEEE binary16
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t bits,
                         const DebugContext &debugContext = {});
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *bits,
                         const DebugContext &debugContext = {});

  // Codelets, for the graph's target. Adding a file twice does nothing.
  // Errors: file_load_error; graph_program_compilation_error with the compiler's messages.

  /// \returns true; failures throw
  bool addCodelets(StringRef fileName, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  bool addCodelets(StringRef fileName, CodeletFileType type, StringRef compileFlags,
                   std::ostream &compileOutput, StringRef targetName = "");
  void addCodelets(std::stringstream &source, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  void addCodelets(std::stringstream &source, StringRef compileFlags, std::ostream &compileOutput,
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  bool addCodelets(ArrayRef<std::string> fileNames, StringRef compileFlags = "",
                   StringRef targetName = "");
  /// Codelets that \p json describes and whose code comes from elsewhere. There is no such place here,
  /// so \p json may be an object without codelets only.
  /// \throws parse_error if \p json is none; graph_object_creation_error if it describes codelets
  void addCodeletPlaceholder(std::stringstream &json, StringRef targetName = "");
  /// \param vertexType  as in addVertex: "ns::Name<float,true>"
  bool hasCodelet(StringRef vertexType) const;

  // Compute sets and vertices (guide, 3.3 and chapter 4).

  ComputeSet addComputeSet(const DebugContext &debugContext = {});
  /// \throws unknown_vertex_type
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);

  /// \throws unknown_field; graph_connection_error if the tensor does not fit the field
  void connect(FieldRef field, const Tensor &tensor);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  void connect(FieldRef field, const std::vector<Tensor> &tensors);
  void connect(FieldRef field, std::initializer_list<Tensor> tensors);
  /// Numbers for an input: constants on the vertex's tile. For a state field: its values.
  template <typename T, typename = IfValue<T>> void connect(FieldRef field, T value) {
    setInitialValue(field, value);
  }
  template <typename T, typename = IfValue<T>> void connect(FieldRef field, ArrayRef<T> values) {
    setInitialValue(field, values);
  }
  template <typename T, typename A, typename = IfValue<T>>
  void connect(FieldRef field, const std::vector<T, A> &values) {
    setInitialValue(field, values);
  }
  /// Fixes the number of entries of a field that is a vector of edges.
  void setFieldSize(FieldRef field, std::size_t n);

  /// Entries of a field that is a vector of edges, or elements of a vector (v["rows"][i] is one,
  /// too); 0 while the number is not known.
  /// \throws unknown_field
  std::size_t getFieldSize(FieldRef field) const;
  std::size_t getNumVertices() const; ///< of the top-level graph

  /// Values of a state field, or of an input field that nothing is connected to.
  /// \throws unknown_field; overflow_error if a number does not fit the field's type
  template <typename T, typename = IfValue<T>> void setInitialValue(FieldRef field, T value) {
    setFieldValues(field, HostValues::of(&value, 1), true);
  }
  template <typename T> void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setFieldValues(field, HostValues::of(values.data(), values.size()), false);
  }
  template <typename T> void setInitialValue(FieldRef field, std::initializer_list<T> values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  template <typename T, typename A>
  void setInitialValue(FieldRef field, const std::vector<T, A> &values) {
    setFieldValues(field, HostValues::of(values.data(), values.size()), false);
  }
  template <typename T, typename A, typename B>
  void setInitialValue(FieldRef field, const std::vector<std::vector<T, A>, B> &values) {
    setFieldSize(field, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      setFieldValues(field[i], HostValues::of(values[i].data(), values[i].size()), false);
    }
  }
  void setInitialValueHalf(FieldRef field, std::uint16_t bits);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> bits);

  /// The contents of a tensor's memory after each Engine::load.
  template <typename T, typename = IfValue<T>> void setInitialValue(const Tensor &t, T value) {
    setTensorValues(t, HostValues::of(&value, 1), true);
  }
  template <typename T> void setInitialValue(const Tensor &t, ArrayRef<T> values) {
    setTensorValues(t, HostValues::of(values.data(), values.size()), false);
  }
  /// One value in braces fills the tensor.
  template <typename T> void setInitialValue(const Tensor &t, std::initializer_list<T> values) {
    setTensorValues(t, HostValues::of(values.begin(), values.size()), values.size() == 1);
  }
  template <typename T, typename A>
  void setInitialValue(const Tensor &t, const std::vector<T, A> &values) {
    setTensorValues(t, HostValues::of(values.data(), values.size()), false);
  }
  void setInitialValueHalf(const Tensor &t, std::uint16_t bits);
  void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> bits);

  // Tile mapping (guide, 2.3). Tile numbers are those of this graph. Errors: invalid_tile_mapping.

  void setTileMapping(VertexRef v, unsigned tile);
  /// Maps the elements that \p t refers to. An earlier mapping of them is replaced.
  void setTileMapping(const Tensor &t, unsigned tile);
  /// \param mapping  may have fewer entries than there are tiles; elements in no interval keep
  /// their tile
  void setTileMapping(const Tensor &t, const TileToTensorMapping &mapping);
  /// \returns an entry for every tile of this graph:
  ///   the intervals of the flattened tensor that lie on that tile,
  ///   ascending and as few as possible
  TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete = true) const;
  TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete) const;
  // The same: there are no external variables here that the last argument could allow.
  TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete, bool) const {
    return getTileMapping(t, requireComplete);
  }
  TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete, bool) const {
    return getTileMapping(t, isComplete);
  }
  /// Of a whole variable.
  /// \throws invalid_tile_mapping if it is not mapped completely
  TileToTensorMapping getVariableTileMapping(VariableRef v) const;
  /// Returns the mapping of the variable that \p t is a view of.
  /// \throws poplar_error if \p t has elements of several variables, or none; as above
  TileToTensorMapping getVariableTileMapping(const Tensor &t) const;

  // New variables like others, and how tensors lie in memory.

  Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  /// A clone of type QUARTER with \p metadata. Without it (or with an invalid tensor), a clone of
  /// quarters has the metadata of its source.
  template <typename T, typename = IfTensor<T>>
  Tensor clone(const Type &type, const Tensor &metadata, const T &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return cloneAsQuarters(type, metadata, t, debugContext, method);
  }
  /// The same of the type that \p t has.
  template <typename T, typename = IfTensor<T>>
  Tensor clone(const Tensor &metadata, const T &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return cloneAsQuarters(t.elementType(), metadata, t, debugContext, method);
  }
  /// \returns shape {N, ...}
  Tensor cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Type &type, const Tensor &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  /// Clones of type QUARTER with \p metadata, as clone() makes one.
  template <typename T, typename = IfTensor<T>>
  Tensor cloneN(const Type &type, const Tensor &metadata, const T &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) {
    return cloneNAsQuarters(type, metadata, t, N, debugContext, method, duplicationMethod);
  }
  template <typename T, typename = IfTensor<T>>
  Tensor cloneN(const Tensor &metadata, const T &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION) {
    return cloneNAsQuarters(t.elementType(), metadata, t, N, debugContext, method,
                            duplicationMethod);
  }

  /// Cuts and sorts intervals of the flattened tensor so that each list is consecutive in memory.
  /// \param removeAliasedIntervals  list each element once
  /// \param aliases  if given, gets for each interval the position where the same elements stand
  /// first
  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  /// Flattens all tensors and permutes them alike, so that the positions of \p t are in memory
  /// order.
  void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool requireSimplestOrder = true) const;
  /// How to reorder tensors of this shape so that the positions of \p t are in memory order.
  TensorRearranger getSimplifyingRearranger(const Tensor &t) const;
  /// What \p t takes of tile memory.
  /// \throws invalid_tile_mapping if it is not mapped completely
  StorageInfo getStorageInfo(const Tensor &t) const;
  /// The smallest view that broadcast() along each dimension turns into \p t again.
  Tensor findUnbroadcastTensor(const Tensor &t) const;
  bool isConstant(VariableRef v) const;
  Tensor getVariable(VariableRef v) const;

  // Data from and to the host (guide, 2.6).

  /// \throws poplar_error if there is a handle of this name for this direction
  void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
  /// \param numElements  of one replica and one copy
  /// \throws stream_connection_error if there is a stream of this name
  DataStream addHostToDeviceFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                 const OptionFlags &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 const OptionFlags &options = {});
  /// \param numElements  of one row
  /// \param repeats      number of rows
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false,
                               bool optimiseMemory = false);

  // Graphs made from this one (guide, 2.4 and 2.5).

  /// The first tiles of every IPU.
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  /// Tiles [lowerTile, upperTile).
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  /// Tile i is tile perGraphTileToParentTile[i] of this graph; no tile twice.
  Graph createVirtualGraph(const std::vector<unsigned> &perGraphTileToParentTile);
  /// A graph of the first of \p replicationFactor equal groups of tiles. Objects that are added to it
  /// exist on every group, and its programs run on all groups (guide, 2.5.1). Programs whose control
  /// flow depends on replicated tensors run for one replica after another.
  /// \throws graph_replication_error if the tiles cannot be split into equal groups, or if a
  /// replicated graph is to have more than one replica of itself
  Graph createReplicatedGraph(unsigned replicationFactor);
  /// The graph that this one was made from. For a graph that was replicated by its constructor, this
  /// is the graph itself.
  Graph getTopLevelGraph();
  unsigned getReplicationFactor() const;
  /// UNSIGNED_INT, shape {}: 0 to R-1. The caller maps it.
  Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});
  /// \returns shape {R, ...}: row r is \p t on replica r
  /// \throws graph_replication_error on a graph that was replicated by its constructor
  Tensor getNonReplicatedTensor(const Tensor &t);
  /// Numbers of the top-level graph's tiles.
  /// \throws poplar_error for a tile of another graph
  unsigned convertVirtualTileToPhysicalTile(unsigned tile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned tile) const;
  /// \param tile  of that IPU
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const;
  // Their names in SDK 3.x.
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const {
    return convertVirtualTileToPhysicalTile(tile);
  }
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const {
    return convertPhysicalTileToVirtualTile(tile);
  }

  // Functions, estimates, output.

  Function addFunction(const program::Program &program);
  /// A place outside the IPU for the code of \p function: a program::Copy from it has the code on
  /// the tiles before a program::Call.
  /// \throws control_program_error if \p function is empty, or another graph's
  FunctionBuffer addFunctionBuffer(const Function &function, FunctionBufferMappingType where);
  using HostFunctionArgument = poplar::HostFunctionArgument;
  /// A function of the host program, with the arguments and results of one call.
  /// \throws stream_connection_error if there is a host function of this name
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);
  /// Cost of one execution of a vertex [worker cycles], [floating-point operations].
  void setPerfEstimate(VertexRef v, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(VertexRef v, const VertexPerfEstimate &estimate) {
    setPerfEstimate(v, estimate.cycles, estimate.flops);
  }
  void setCycleEstimate(VertexRef v, unsigned cycles) { setPerfEstimate(v, cycles); }
  /// The estimate of setPerfEstimate(), or of the type's estimator.
  /// \throws missing_perf_estimate if there is neither
  VertexPerfEstimate getPerfEstimate(VertexRef v) const;
  /// Replaces an earlier estimator of the type. The type need not be loaded.
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
  void registerCycleEstimator(StringRef vertexType, CycleEstimateFunc estimator);
  /// Largest number that fits the field's integer type.
  std::size_t getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
  /// The same as a T, or the largest T if the number is larger.
  template <typename T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const {
    const std::size_t largest = getMaxVertexFieldValue(vertexType, field);
    const T limit = std::numeric_limits<T>::max();
    return largest > static_cast<std::uintmax_t>(limit) ? limit : static_cast<T>(largest);
  }
  /// Largest size that the field's layout can hold.
  /// \param dimIndex  0: the outer dimension, 1: the inner one
  std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimIndex) const;

  // What programs run, for people: in the language of Graphviz's dot, compute sets in program
  // order.
  /// Compute sets, and the variables that they read and write.
  void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs) const;
  /// Their vertices, and the variables that these read and write.
  void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs) const;

  /// Variables, compute sets, vertices and edges, for tools. The output is not complete and cannot
  /// be read again.
  void serialize(std::ostream &out, SerializationFormat format) const;
  /// The same, and \p programs as trees.
  void serialize(std::ostream &out, ArrayRef<program::Program> programs,
                 SerializationFormat format) const;
  /// Types, shapes and elements of \p tensors, and the types and sizes of their variables, without
  /// contents and tile mapping.
  /// \throws poplar_error if a tensor belongs to another graph
  void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
  /// Tensors that serializeTensors() wrote in the same format, of variables that are added to this
  /// graph and mapped nowhere. Any bytes are safe.
  /// \throws parse_error, and adds nothing
  std::vector<Tensor> deserializeTensors(std::istream &in, SerializationFormat format);

private:
  friend struct copse::graph::Access;
  struct Impl;
  explicit Graph(std::unique_ptr<Impl> impl);
  const Impl &impl() const;
  Impl &impl();

  static std::size_t elementsOf(ArrayRef<std::size_t> shape);
  Target targetOf(const std::vector<unsigned> &tiles) const;
  Tensor addConstantValues(const Type &type, ArrayRef<std::size_t> shape, const HostValues &values,
                           bool fill, const DebugContext &debugContext);
  Tensor addQuarters(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     VariableMappingMethod method, const DebugContext &debugContext);
  Tensor addConstantQuarters(const Type &type, const QuarterMetadata &metadata,
                             ArrayRef<std::size_t> shape, const HostValues &values, bool fill,
                             const DebugContext &debugContext);
  Tensor addConstantQuarters(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                             const HostValues &values, bool fill, const DebugContext &debugContext);
  Tensor cloneAsQuarters(const Type &type, const Tensor &metadata, const Tensor &t,
                         const DebugContext &debugContext, TensorCloneMethod method);
  Tensor cloneNAsQuarters(const Type &type, const Tensor &metadata, const Tensor &t, std::size_t N,
                          const DebugContext &debugContext, TensorCloneMethod method,
                          TensorCloneDuplicationMethod duplicationMethod);
  void setFieldValues(const FieldRef &field, const HostValues &values, bool scalar);
  void setTensorValues(const Tensor &t, const HostValues &values, bool fill);

  std::unique_ptr<Impl> impl_;
};

} // namespace poplar
