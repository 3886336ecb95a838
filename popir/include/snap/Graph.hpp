#pragma once

#include "snap/DataStream.hpp"
#include "snap/Function.hpp"
#include "snap/Program.hpp"
#include "snap/RemoteBuffer.hpp"
#include "snap/Tensor.hpp"

#include <cstddef>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poputil/TileMapping.hpp>
#include <utility>
#include <vector>

/// The classes through which PopART 2.1 to 3.1 uses Poplar: each wraps the class of its name.
namespace snap {

/// Owns a poplar::Graph for PopART 2.1 to 3.1. Each function calls the function of poplar::Graph
/// with its name (poplar/Graph.hpp), with its results and errors.
class Graph {
  using Shape = poplar::ArrayRef<std::size_t>;

public:
  /// Makes an empty graph.
  explicit Graph(const poplar::Target &target,
                 poplar::replication_factor replicas = poplar::replication_factor(1))
      : graph_(target, replicas) {}
  /// Takes over a graph.
  Graph(poplar::Graph &&graph) : graph_(std::move(graph)) {}

  ///@{

  /// Returns the graph.
  poplar::Graph &getPoplarGraph() { return graph_; }
  const poplar::Graph &getPoplarGraph() const { return graph_; }
  ///@}

  /// Returns the target.
  const poplar::Target &getTarget() const { return graph_.getTarget(); }

  ///@{

  /// Makes a virtual graph.
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
    return graph_.createVirtualGraph(lowerTile, upperTile);
  }
  Graph createVirtualGraph(const std::vector<unsigned> &perGraphTileToParentTile) {
    return graph_.createVirtualGraph(perGraphTileToParentTile);
  }
  ///@}

  ///@{

  /// Adds a variable.
  Tensor addVariable(const poplar::Type &type, Shape shape,
                     const poplar::DebugContext &debugContext = {}) {
    return Tensor(graph_.addVariable(type, shape, debugContext), *this);
  }
  Tensor addVariable(const poplar::Type &type, Shape shape, poplar::VariableMappingMethod method,
                     const poplar::DebugContext &debugContext = {}) {
    return Tensor(graph_.addVariable(type, shape, method, debugContext), *this);
  }
  ///@}

  /// Adds a variable and maps it by poputil::mapTensorLinearly().
  Tensor addLinearlyMappedVariable(const poplar::Type &type, Shape shape,
                                   const poplar::DebugContext &debugContext = {}) {
    const Tensor t = addVariable(type, shape, debugContext);
    poputil::mapTensorLinearly(graph_, t.getPoplarTensor());
    return t;
  }
  /// Adds a variable and maps it by poputil::mapTensorLinearly() with these arguments.
  Tensor addLinearlyMappedVariable(const poplar::Type &type, Shape shape,
                                   unsigned minElementsPerTile, unsigned grainSize,
                                   const poplar::DebugContext &debugContext = {}) {
    const Tensor t = addVariable(type, shape, debugContext);
    poputil::mapTensorLinearly(graph_, t.getPoplarTensor(), minElementsPerTile, grainSize);
    return t;
  }

  /// Adds a constant.
  /// \tparam T      type of the values; may be omitted
  /// \param values  one value for all elements, or a list of or pointer to one value for each
  template <typename T = void, typename Values>
  Tensor addConstant(const poplar::Type &type, Shape shape, const Values &values,
                     const poplar::DebugContext &debugContext = {}) {
    return Tensor(graph_.addConstant(type, shape, values, debugContext), *this);
  }
  /// Adds a constant and maps it by poputil::mapTensorLinearly().
  template <typename T = void, typename Values>
  Tensor addLinearlyMappedConstant(const poplar::Type &type, Shape shape, const Values &values,
                                   const poplar::DebugContext &debugContext = {}) {
    const Tensor t = addConstant(type, shape, values, debugContext);
    poputil::mapTensorLinearly(graph_, t.getPoplarTensor());
    return t;
  }

  ///@{

  /// Adds a clone.
  Tensor clone(
      const Tensor &t, const poplar::DebugContext &debugContext = {},
      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return Tensor(graph_.clone(t.getPoplarTensor(), debugContext, method), *this);
  }
  Tensor clone(
      const poplar::Type &type, const Tensor &t, const poplar::DebugContext &debugContext = {},
      poplar::TensorCloneMethod method = poplar::TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES) {
    return Tensor(graph_.clone(type, t.getPoplarTensor(), debugContext, method), *this);
  }
  ///@}

  /// Adds a function.
  Function addFunction(const poplar::program::Program &program) {
    return graph_.addFunction(program);
  }

  ///@{

  /// Adds a stream.
  DataStream
  addHostToDeviceFIFO(poplar::StringRef handle, const poplar::Type &elementType,
                      std::size_t numElements,
                      poplar::ReplicatedStreamMode mode = poplar::ReplicatedStreamMode::REPLICATE,
                      const poplar::OptionFlags &options = {}) {
    return graph_.addHostToDeviceFIFO(handle, elementType, numElements, mode, options);
  }
  DataStream addDeviceToHostFIFO(poplar::StringRef handle, const poplar::Type &elementType,
                                 std::size_t numElements, const poplar::OptionFlags &options = {}) {
    return graph_.addDeviceToHostFIFO(handle, elementType, numElements, options);
  }
  ///@}

  /// Adds a remote buffer.
  RemoteBuffer addRemoteBuffer(poplar::StringRef handle, const poplar::Type &elementType,
                               std::size_t numElements, std::size_t repeats = 1,
                               bool rearrangeOnHost = false, bool optimiseMemory = false) {
    return graph_.addRemoteBuffer(handle, elementType, numElements, repeats, rearrangeOnHost,
                                  optimiseMemory);
  }

private:
  poplar::Graph graph_;
};

} // namespace snap
