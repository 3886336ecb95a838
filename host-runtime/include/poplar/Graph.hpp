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

/// Graphs, programs, engines and devices: what a host program uses, and what codelets use on tiles.
namespace poplar {

/// Describes a computation for IPUs before it is compiled: variables with their tile mapping,
/// vertices in compute sets, streams and functions. See User guide, 2.1 and 2.2.
///
/// A graph is move-only. A virtual graph (User guide, 2.4) shares everything but tile numbers with
/// the graph it was made from, and keeps it alive.
///
/// Errors: any use of an empty graph throws poplar_error; so does an invalid tensor. Tensors of
/// another graph are refused where they would be connected or copied.  Thread: const functions may
/// run at the same time; different graphs may be built in different threads.
///
/// \code
/// Graph graph(device.getTarget());
/// Tensor x = graph.addVariable(FLOAT, {batch, in}, VariableMappingMethod::LINEAR, "x");
/// \endcode
class Graph {
  template <typename T>
  using IfValue = typename std::enable_if<HostValues::IsValue<T>::value>::type;
  /// Accepts tensors only, so that an empty pair of braces is never taken for a tensor.
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

  /// The name of a field and what to connect to it: `{"in", t}`, `{"parts", {t0, t1}}`, `{"scale",
  /// 2.0f}`.
  struct ConnectionDesc {
    /// Connects a tensor, as connect(field, tensor) does.
    ConnectionDesc(StringRef field, const Tensor &tensor);

    ///@{

    /// Connects a list of tensors, as connect(field, tensors) does.
    ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors);
    ConnectionDesc(StringRef field, const std::vector<Tensor> &tensors);
    ConnectionDesc(StringRef field, std::initializer_list<Tensor> tensors);
    ///@}

    /// Sets a number, as setInitialValue(field, value) does.
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

  /// Makes an empty graph, which may only be assigned to.
  Graph();
  /// Makes a graph for a target; it has no variables and no vertices yet. See User guide, 2.5.2 for
  /// replicas.
  /// \param r  number of replicas, each on an equal share of the target's IPUs
  /// \throws graph_replication_error if \p r is 0 or does not divide the number of IPUs
  Graph(const Target &target, replication_factor r = replication_factor(1));
  /// Makes a graph for a device's target; the device need not be attached.
  Graph(const Device &device, replication_factor r = replication_factor(1))
      : Graph(device.getTarget(), r) {}

  ///@{

  /// Takes over the other graph, which is empty afterwards.
  Graph(Graph &&other) noexcept;
  Graph &operator=(Graph &&other) noexcept;
  ///@}

  /// Releases the graph; virtual graphs and executables made from it stay usable.
  ~Graph();

  /// Returns the target of one replica; for a virtual graph, a target that has its tiles only.
  const Target &getTarget() const;

  // Variables and constants.

  ///@{

  /// Adds a variable, one contiguous region in row-major order of its shape. The variable's
  /// contents are undefined until something is written, unless setInitialValue() gives some. See
  /// User guide, 2.3 for types.
  /// - \p shape: any rank; {} has one element, and a dimension may be 0
  /// - \p method: default NONE: the caller maps the variable with setTileMapping()
  /// \throws tensor_creation_error if the number of elements does not fit 64 bits
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod method,
                     const DebugContext &debugContext = {});
  ///@}

  /// Adds a variable of quarters (8-bit floating-point numbers with metadata).
  /// \param metadata  one QUARTER_METADATA: the format and scale of the elements. An invalid tensor
  ///   means no metadata, and is allowed for any type. A variable of quarters then gets a metadata
  ///   variable of its own, on tile 0, which copies to the variable set
  /// \throws tensor_metadata_error if \p metadata is something else, or \p type is not QUARTER
  template <typename M, typename = IfTensor<M>>
  Tensor addVariable(const Type &type, const M &metadata, std::initializer_list<std::size_t> shape,
                     const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, VariableMappingMethod::NONE, debugContext);
  }
  /// Adds a variable of quarters with a mapping method.
  template <typename M, typename = IfTensor<M>>
  Tensor addVariable(const Type &type, const M &metadata, std::initializer_list<std::size_t> shape,
                     VariableMappingMethod method, const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, method, debugContext);
  }
  /// Adds a variable of quarters with a shape that is not in braces; \p metadata may be an empty
  /// pair of braces.
  template <typename S, typename = IfShape<S>>
  Tensor addVariable(const Type &type, const Tensor &metadata, const S &shape,
                     const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, VariableMappingMethod::NONE, debugContext);
  }
  /// Adds a variable of quarters with a shape that is not in braces, and with a mapping method.
  template <typename S, typename = IfShape<S>>
  Tensor addVariable(const Type &type, const Tensor &metadata, const S &shape,
                     VariableMappingMethod method, const DebugContext &debugContext = {}) {
    return addQuarters(type, metadata, shape, method, debugContext);
  }

  ///@{

  /// Adds a constant, whose values are converted to \p type as by a cast. A constant is mapped like
  /// a variable, and may be read but never written. \p values are read during the call only.
  ///
  /// \code
  /// Tensor half = graph.addConstant(FLOAT, {4}, 0.5f);          // one value fills the shape
  /// Tensor row = graph.addConstant(INT, {3}, {1, 2, 3});        // a value for each element
  /// \endcode
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
  ///@}

  /// Adds a constant of quarters whose metadata are constant, too. Values are rounded to numbers
  /// that the metadata's format and scale can represent.
  template <typename T>
  Tensor addConstant(const Type &type, const QuarterMetadata &metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(values.data(), values.size()),
                               false, debugContext);
  }

  ///@{

  /// Adds a constant of quarters from a vector, or filled with one value.
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
  ///@}

  /// Adds a constant of quarters whose metadata are the tensor \p metadata. For any other type, \p
  /// metadata may be an invalid tensor.
  /// \throws tensor_metadata_error as addVariable(); or if \p metadata is no constant, unless all
  ///   values are 0, which is 0 in every format
  template <typename T, typename M, typename = IfTensor<M>>
  Tensor addConstant(const Type &type, const M &metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, const DebugContext &debugContext = {}) {
    return addConstantQuarters(type, metadata, shape, HostValues::of(values.data(), values.size()),
                               false, debugContext);
  }

  ///@{

  /// Adds a constant of quarters with a metadata tensor, from a vector, one value, or a pointer to
  /// a value for each element.
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
  ///@}

  /// Adds a constant from host memory whose type \p traits describes.
  /// \param broadcast  true: there is one value, which fills the shape
  /// \throws type_error if \p traits describes no number
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                     const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});
  /// Adds a constant from host memory, with metadata as above.
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     const void *values, const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});

  ///@{

  /// Adds a constant from IEEE binary16 bit patterns: one that fills the shape, or one for each
  /// element.
  /// - \p type: the element type, to which the halves are converted
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t bits,
                         const DebugContext &debugContext = {});
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *bits,
                         const DebugContext &debugContext = {});
  ///@}

  // Codelets, for the graph's target.

  ///@{

  /// Compiles or loads codelets for the graph's target, after which addVertex() knows their vertex
  /// types. Adding a file twice does nothing, and a type that the graph has is not replaced. See
  /// User guide, 2.8 and 2.8.2.
  ///
  /// \code
  /// graph.addCodelets("codelets.cpp");                          // or one that popc has compiled:
  /// graph.addCodelets("codelets.gp");
  /// \endcode
  /// - \p type: default Auto: the file's extension decides
  /// - \p compileFlags: flags for the compiler, separated by blanks; default none
  /// - \p compileOutput: gets the compiler's messages
  /// - \p targetName: accepted for compatibility; the graph's target counts
  ///
  /// Functions with a result return true; failures throw.
  /// \throws file_load_error if a file cannot be read, or has no code for the target
  /// \throws graph_program_compilation_error with the compiler's messages
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
  ///@}

  /// Declares codelets whose code another component supplies. Copse has no such component, so \p
  /// json must be an object without codelets.
  /// \throws parse_error if \p json is not an object
  /// \throws graph_object_creation_error if it describes codelets
  void addCodeletPlaceholder(std::stringstream &json, StringRef targetName = "");
  /// Returns true if the graph knows the vertex type.
  /// \param vertexType  as in addVertex: "ns::Name<float,true>"
  bool hasCodelet(StringRef vertexType) const;

  // Compute sets and vertices.

  /// Adds an empty compute set: vertices that program::Execute runs in parallel. See User guide,
  /// 2.1.
  ComputeSet addComputeSet(const DebugContext &debugContext = {});

  ///@{

  /// Adds a vertex of a codelet's class. The vertex must be mapped to a tile with setTileMapping(),
  /// and every field without a default must be connected or given a value before an engine is made.
  /// See User guide, 3.1 to 3.5.
  ///
  /// \code
  /// VertexRef v = graph.addVertex(cs, "Scale<float>", {{"in", x}, {"out", y}, {"factor", 2.0f}});
  /// graph.setTileMapping(v, 3);
  /// \endcode
  /// \throws unknown_vertex_type if no added codelet has this name
  /// \throws poplar_error if \p cs is not a compute set of this graph
  /// \throws the errors of connect() and setInitialValue()
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);
  ///@}

  ///@{

  /// Connects a field of a vertex. A scalar takes one element; a vector a tensor of rank 1, or a
  /// list of pieces of rank 0 or 1; a vector of vectors a list of tensors of rank 1, or a tensor of
  /// rank 2 whose rows are its entries. See User guide, 4.1 and 4.2.
  /// \throws unknown_field if the vertex type has no such field
  /// \throws graph_connection_error if type, shape or graph of a tensor does not fit
  /// \throws graph_replication_error if tensor and vertex have different numbers of replicas
  void connect(FieldRef field, const Tensor &tensor);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  void connect(FieldRef field, const std::vector<Tensor> &tensors);
  void connect(FieldRef field, std::initializer_list<Tensor> tensors);
  ///@}

  ///@{

  /// Gives numbers to an input, which become constants on the vertex's tile, or to a state field,
  /// which starts with them. Throws as setInitialValue() does.
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
  ///@}

  /// Sets the number of entries of a field that is a vector.
  /// \throws graph_connection_error if the field is a scalar
  void setFieldSize(FieldRef field, std::size_t n);

  /// Returns the number of entries of a field that is a vector of edges, or of elements of a vector
  /// (also of v["rows"][i], which is one); 0 while the number is not known.
  /// \throws unknown_field if the vertex type has no such field
  std::size_t getFieldSize(FieldRef field) const;
  /// Returns the number of vertices of the top-level graph.
  std::size_t getNumVertices() const;

  ///@{

  /// Sets the values of a state field, or of an input field that nothing is connected to. Every
  /// Engine::load() starts the vertex with them.
  /// - \p values: a value for each entry; nested vectors for a vector of vectors
  /// \throws unknown_field if the vertex type has no such field
  /// \throws graph_connection_error if the field is an output, or the number of values does not fit
  /// \throws overflow_error if a number does not fit the field's type
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
  ///@}

  ///@{

  /// Sets values of a field from IEEE binary16 bit patterns.
  void setInitialValueHalf(FieldRef field, std::uint16_t bits);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> bits);
  ///@}

  ///@{

  /// Sets the contents that a tensor has after each Engine::load(). One value fills the tensor, in
  /// braces, too; any other list has a value for each element.
  /// \throws poplar_error if the number of values does not fit, or \p t has elements of constants
  template <typename T, typename = IfValue<T>> void setInitialValue(const Tensor &t, T value) {
    setTensorValues(t, HostValues::of(&value, 1), true);
  }
  template <typename T> void setInitialValue(const Tensor &t, ArrayRef<T> values) {
    setTensorValues(t, HostValues::of(values.data(), values.size()), false);
  }
  template <typename T> void setInitialValue(const Tensor &t, std::initializer_list<T> values) {
    setTensorValues(t, HostValues::of(values.begin(), values.size()), values.size() == 1);
  }
  template <typename T, typename A>
  void setInitialValue(const Tensor &t, const std::vector<T, A> &values) {
    setTensorValues(t, HostValues::of(values.data(), values.size()), false);
  }
  ///@}

  ///@{

  /// Sets the contents of a tensor from IEEE binary16 bit patterns.
  void setInitialValueHalf(const Tensor &t, std::uint16_t bits);
  void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> bits);
  ///@}

  // Tile mapping. Tile numbers count the tiles of this graph.

  /// Puts a vertex on a tile; its edges may lie on any tiles.
  /// \throws invalid_tile_mapping if there is no such tile
  void setTileMapping(VertexRef v, unsigned tile);

  ///@{

  /// Puts the elements that \p t refers to on tiles. An earlier mapping of them is replaced. See
  /// User guide, 2.1.
  ///
  /// \code
  /// graph.setTileMapping(x, 0);                     // all on tile 0
  /// graph.setTileMapping(x, {{{0, 4}}, {{4, 8}}});  // 4 elements each on tiles 0 and 1
  /// \endcode
  /// - \p mapping: for each tile, intervals of the flattened tensor. The mapping may have fewer
  ///   entries than there are tiles; elements in no interval keep their tile
  /// \throws invalid_tile_mapping if a tile or an interval does not exist, or intervals overlap
  void setTileMapping(const Tensor &t, unsigned tile);
  void setTileMapping(const Tensor &t, const TileToTensorMapping &mapping);
  ///@}

  ///@{

  /// Returns an entry for every tile of this graph: the intervals of the flattened tensor that lie
  /// on that tile, ascending and as few as possible.
  /// - \p requireComplete: default true: all elements must be mapped
  /// - \p isComplete: gets whether all are; may be null
  /// \throws invalid_tile_mapping if \p requireComplete is set and some elements are mapped nowhere
  TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete = true) const;
  TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete) const;
  TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete, bool) const {
    return getTileMapping(t, requireComplete);
  }
  TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete, bool) const {
    return getTileMapping(t, isComplete);
  }
  ///@}

  /// Returns the mapping of a whole variable.
  /// \throws invalid_tile_mapping if it is not mapped completely
  TileToTensorMapping getVariableTileMapping(VariableRef v) const;
  /// Returns the mapping of the variable that \p t is a view of.
  /// \throws poplar_error if \p t has elements of several variables, or none
  /// \throws invalid_tile_mapping if the variable is not mapped completely
  TileToTensorMapping getVariableTileMapping(const Tensor &t) const;

  // New variables like others, and how tensors lie in memory.

  ///@{

  /// Adds a variable with the shape and the tile mapping of \p t. Contents are not copied.
  /// - \p type: default: the type of \p t
  /// - \p method: order and aliases of the new elements; default: the order of \p t, or a new one
  ///   if \p t has aliases
  /// \returns a tensor of the shape of \p t
  Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  ///@}

  /// Adds a clone of type QUARTER with \p metadata. With an invalid tensor for it, a clone of
  /// quarters has the metadata of its source.
  /// \throws tensor_metadata_error as addVariable()
  template <typename T, typename = IfTensor<T>>
  Tensor clone(const Type &type, const Tensor &metadata, const T &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return cloneAsQuarters(type, metadata, t, debugContext, method);
  }
  /// Adds a clone with the type of \p t, and with \p metadata.
  template <typename T, typename = IfTensor<T>>
  Tensor clone(const Tensor &metadata, const T &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return cloneAsQuarters(t.elementType(), metadata, t, debugContext, method);
  }

  ///@{

  /// Adds N clones of \p t.
  /// - \p duplicationMethod: default: one clone after the other; else the copies of each contiguous
  ///   piece of a tile lie together
  /// \returns shape [N, ...]
  /// \throws poplar_error if \p duplicationMethod is DUPLICATE_BY_TILE_CONTIGUOUS_REGION and \p
  ///   method makes a new order
  Tensor cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Type &type, const Tensor &t, std::size_t N,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplicationMethod =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  ///@}

  ///@{

  /// Adds N clones of type QUARTER with \p metadata, as clone() makes one.
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
  ///@}

  /// Cuts and sorts intervals of the flattened tensor so that each list of the result is
  /// consecutive in memory. Codelets that take a vector need no rearrangement for such a list.
  /// \param removeAliasedIntervals  default false; true: lists each element once
  /// \param aliases  if given, gets for each interval the position where the same elements stand
  ///   first
  /// \throws poplar_error if an interval is no part of \p t
  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  /// Flattens all tensors and permutes them alike, so that the positions of \p t are in memory
  /// order.
  /// \param requireSimplestOrder  accepted for compatibility; the order is always the simplest
  /// \throws poplar_error if the tensors differ in their number of elements
  void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool requireSimplestOrder = true) const;
  /// Returns how to reorder tensors of this shape so that the positions of \p t are in memory
  /// order.
  TensorRearranger getSimplifyingRearranger(const Tensor &t) const;
  /// Returns how much tile memory \p t takes.
  /// \throws invalid_tile_mapping if it is not mapped completely
  StorageInfo getStorageInfo(const Tensor &t) const;
  /// Returns the smallest view that broadcast() along each dimension turns into \p t again.
  Tensor findUnbroadcastTensor(const Tensor &t) const;
  /// Returns true if a variable is a constant.
  /// \throws poplar_error if the graph has no such variable
  bool isConstant(VariableRef v) const;
  /// Returns a view of a whole variable.
  /// \throws poplar_error if the graph has no such variable
  Tensor getVariable(VariableRef v) const;

  // Data from and to the host.

  ///@{

  /// Lets Engine::writeTensor() or Engine::readTensor() reach a tensor by a handle. See User guide,
  /// 2.6.1.
  /// - \p handle: a name, one for each direction
  /// - \p rearrangeOnHost: accepted for compatibility, without effect
  /// \throws poplar_error if there is a handle of this name for this direction, or a tensor to
  ///   write contains constants
  void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
  ///@}

  ///@{

  /// Adds a stream that program::Copy moves data through. Connect it with Engine::connectStream()
  /// or connectStreamToCallback(). See User guide, 2.6.1, 2.6.3 and 2.6.4.
  /// - \p numElements: number of elements of one replica and one copy
  /// - \p mode: default REPLICATE: each replica has its own data; BROADCAST: one transfer serves
  ///   all replicas
  /// - \p options: `bufferingDepth`, `splitLimit` and more: docs/engine-options.md
  /// \throws stream_connection_error if there is a stream of this name
  /// \throws invalid_option if an option or its value is unknown
  DataStream addHostToDeviceFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                 const OptionFlags &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 const OptionFlags &options = {});
  ///@}

  /// Adds memory outside the IPUs, of \p repeats rows, one such buffer for each replica. See User
  /// guide, 2.6.2.
  /// \param numElements  number of elements of one row
  /// \param repeats      number of rows, default 1
  /// \param rearrangeOnHost  default false; kept for RemoteBuffer::isRearrangeOnHost()
  /// \param optimiseMemory   default false; kept for RemoteBuffer::isOptimisedForMemory()
  /// \throws poplar_error if there is a remote buffer of this name
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false,
                               bool optimiseMemory = false);

  // Graphs made from this one.

  ///@{

  /// Makes a virtual graph, whose tiles are some tiles of this one. Both share variables, vertices
  /// and streams. See User guide, 2.4.
  ///
  /// \code
  /// Graph io = graph.createVirtualGraph(0, 32);                 // tiles [0, 32)
  /// \endcode
  /// - \p numTilesPerIPU: takes the first tiles of every IPU
  /// - \p perGraphTileToParentTile: tile i is this tile of this graph; no tile twice
  /// \throws poplar_error if a tile does not exist or occurs twice, or there would be no tile
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(const std::vector<unsigned> &perGraphTileToParentTile);
  ///@}

  /// Makes a graph of the first of \p replicationFactor equal groups of tiles. Objects that are
  /// added to it exist on every group, and its programs run on all groups. Programs whose control
  /// flow depends on replicated tensors run for one replica after another. See User guide, 2.5.1.
  /// \throws graph_replication_error if the tiles cannot be split into equal groups, or a
  ///   replicated graph is to have more than one replica of itself
  Graph createReplicatedGraph(unsigned replicationFactor);
  /// Returns the graph that this one was made from. For a graph that was replicated by its
  /// constructor, this is the graph itself.
  Graph getTopLevelGraph();
  /// Returns the number of replicas R; 1 without replication.
  unsigned getReplicationFactor() const;
  /// Adds a constant that has the number of the replica, 0 to R-1, on each.
  /// \returns UNSIGNED_INT, shape {}; the caller maps it
  Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});
  /// Returns a tensor of the top-level graph with the elements of all replicas. See User guide,
  /// 2.5.1.
  /// \returns shape [R, ...]: row r is \p t on replica r
  /// \throws graph_replication_error on a graph that was replicated by its constructor
  Tensor getNonReplicatedTensor(const Tensor &t);
  /// Returns the number that a tile of this graph has in the top-level graph.
  /// \throws poplar_error if there is no such tile
  unsigned convertVirtualTileToPhysicalTile(unsigned tile) const;

  ///@{

  /// Returns the number that a tile of the top-level graph has in this graph.
  /// - \p ipu: number of the IPU; then \p tile is a number of that IPU
  /// \throws poplar_error if the tile is not one of this graph
  unsigned convertPhysicalTileToVirtualTile(unsigned tile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned tile) const;
  ///@}

  /// Converts as convertVirtualTileToPhysicalTile(), by the name of SDK 3.x.
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const {
    return convertVirtualTileToPhysicalTile(tile);
  }
  /// Converts as convertPhysicalTileToVirtualTile(), by the name of SDK 3.x.
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const {
    return convertPhysicalTileToVirtualTile(tile);
  }

  // Functions, estimates, output.

  /// Adds a function that program::Call runs. Tile memory has the function's code once.
  Function addFunction(const program::Program &program);
  /// Adds a buffer outside the IPU for the code of \p function, from which program::Copy copies the
  /// code to the tiles. On Copse code is always on its tiles, so such a copy costs nothing.
  /// \throws control_program_error if \p function is empty, or another graph's
  FunctionBuffer addFunctionBuffer(const Function &function, FunctionBufferMappingType where);
  /// The type and number of elements of one argument or result of a host function.
  using HostFunctionArgument = poplar::HostFunctionArgument;
  /// Adds a function of the host program, which program::Call calls and
  /// Engine::connectHostFunction() connects.
  /// \param inputs   arguments of one call, from the device
  /// \param outputs  results of one call, to the device
  /// \throws stream_connection_error if there is a host function of this name
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

  ///@{

  /// Sets the cost of one execution of a vertex, which models and profiles use.
  /// - \p cycles: what a worker issues; the tile's clock counts getNumWorkerContexts() for each.
  ///   For a MultiVertex or a supervisor, the cycles of the tile's clock
  /// - \p flops: floating-point operations, default 0
  /// \throws poplar_error if the graph has no such vertex
  void setPerfEstimate(VertexRef v, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(VertexRef v, const VertexPerfEstimate &estimate) {
    setPerfEstimate(v, estimate.cycles, estimate.flops);
  }
  void setCycleEstimate(VertexRef v, unsigned cycles) { setPerfEstimate(v, cycles); }
  ///@}

  /// Returns the estimate of setPerfEstimate(), or of the type's estimator.
  /// \throws missing_perf_estimate if there is neither
  /// \throws poplar_error if the graph has no such vertex
  VertexPerfEstimate getPerfEstimate(VertexRef v) const;

  ///@{

  /// Sets the estimator for all vertices of a type, and replaces an earlier one. The type need not
  /// be loaded. The estimator is copied, and called while an engine is made.
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
  void registerCycleEstimator(StringRef vertexType, CycleEstimateFunc estimator);
  ///@}

  /// Returns the largest number that fits the field's integer type; 1 for bool.
  /// \throws unknown_vertex_type, unknown_field; poplar_error if the field is no integer
  std::size_t getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
  /// Returns getMaxVertexFieldValue() as a T; the largest T if that number is larger.
  template <typename T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef field) const {
    const std::size_t largest = getMaxVertexFieldValue(vertexType, field);
    const T limit = std::numeric_limits<T>::max();
    return largest > static_cast<std::uintmax_t>(limit) ? limit : static_cast<T>(largest);
  }
  /// Returns the largest size that the field's layout can hold. See User guide, 4.2.
  /// \param dimIndex  0: the outer dimension, 1: the inner one
  /// \throws index_error if the field has no such dimension; unknown_vertex_type; unknown_field
  std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimIndex) const;

  /// Writes the compute sets that \p programs run, in their order, and the variables that they read
  /// and write, in the language of Graphviz's dot.
  void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs) const;
  /// Writes the vertices of these compute sets, and the variables that the vertices read and write,
  /// in the language of Graphviz's dot.
  void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs) const;

  /// Writes variables, compute sets, vertices and edges, for tools. The output is not complete and
  /// cannot be read again.
  void serialize(std::ostream &out, SerializationFormat format) const;
  /// Writes the graph, as above, and \p programs as trees.
  void serialize(std::ostream &out, ArrayRef<program::Program> programs,
                 SerializationFormat format) const;
  /// Writes types, shapes and elements of \p tensors, and the types and sizes of their variables,
  /// without contents and tile mapping.
  /// \throws poplar_error if a tensor belongs to another graph
  void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
  /// Adds variables with the types and sizes that serializeTensors() wrote in the same format,
  /// mapped nowhere, and returns tensors of them. Any bytes are safe.
  /// \throws parse_error if serializeTensors() did not write the bytes; nothing is added then
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
