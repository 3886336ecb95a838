#pragma once

#include "errors.hpp"
#include "model.hpp"

#include <functional>
#include <map>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/PlanningCache.hpp>
#include <set>

namespace copse::onnx {

/// Returns the type that represents \p type on a device. Integers of other widths become INT, or
/// UNSIGNED_INT for uint32 and uint64; Double becomes FLOAT.
poplar::Type deviceType(ElementType type);
/// Refuses integers that the device's type for them cannot hold.
/// \param what  names the tensor in the message
void requireDeviceRange(const HostTensor &tensor, const std::string &what);

/// The tensor that the user gave for an input of the model.
struct GivenInput {
  const HostTensor *tensor = nullptr;
  bool shapesProgram = false;  ///< a lowering has read the elements
  bool isComputedWith = false; ///< a lowering has used the tensor of the device
};

/// A value of the model: a constant, a tensor on devices, or both.
struct Value {
  ElementType type = ElementType::Float;
  Shape shape;
  std::shared_ptr<const HostTensor> constant; ///< known before the model runs
  std::shared_ptr<GivenInput> given;          ///< set for an input that is equal in all batches
  /// Tensors by IPU of the replica. The lowest IPU computes the value; copies for later IPUs are
  /// made on demand.
  std::map<unsigned, poplar::Tensor> onIpus;
};
using Values = std::map<std::string, Value>;
Value knownValue(HostTensor tensor);

/// A BOOL that the device sets if a node's integers of 64 bits have exceeded the 32 bits that they
/// have there.
struct OverflowFlag {
  std::string node;
  poplar::Tensor flag;
};

/// The graph of a replica and of each of its IPUs.
struct ReplicaGraph {
  poplar::Graph graph;
  std::vector<poplar::Graph> ipus;
  poplin::PlanningCache plans; ///< speeds up networks that repeat their layers
  std::vector<OverflowFlag> overflows;

  ReplicaGraph(const poplar::Target &target, unsigned replicas, unsigned ipusPerReplica);
};

/// A node as the lowering of its operator sees it: inputs, attributes, and the destination of
/// results.
///
/// A lowering that forgot an attribute or an input would silently change the model's results. The
/// context therefore records what is read, and checkUse() refuses a node if something was not read.
///
/// Errors: ModelError with the node's name.
class OperatorContext {
public:
  OperatorContext(const Node &node, Values &values, ReplicaGraph &replica, unsigned ipu,
                  poplar::program::Sequence &prog);

  const Node &node;
  const std::int64_t opset;
  poplar::Graph &graph; ///< graph of the node's IPU
  poplar::program::Sequence &prog;
  poplin::PlanningCache &plans;

  /// Returns true if the node has input \p i. Does not count as a use of the input.
  bool has(std::size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  std::size_t numInputs() const { return node.inputs.size(); }
  ElementType type(std::size_t i = 0) const { return used(i).type; }
  const Shape &shape(std::size_t i = 0) const { return used(i).shape; }
  /// Returns the tensor on the node's IPU.
  poplar::Tensor tensor(std::size_t i = 0);
  /// Returns a constant in the layout that \p create gives, and any other input unchanged.
  poplar::Tensor weights(std::size_t i, const std::function<poplar::Tensor()> &create);
  /// \returns nullptr if the device computes the input
  const HostTensor *constant(std::size_t i) const;
  bool allConstant() const; ///< true if there are inputs and all are constants
  /// Returns an input that lowering must know: a constant, or the tensor that the user gave for an
  /// input.
  const HostTensor &known(std::size_t i) const;

  bool hasAttribute(const std::string &name) const {
    usedAttributes_.insert(name);
    return node.attributes.count(name) != 0;
  }
  template <class T> T attribute(const std::string &name, T otherwise) const {
    usedAttributes_.insert(name);
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end())
      return otherwise;
    if (const T *is = std::get_if<T>(&found->second))
      return *is;
    fail("attribute '" + name + "' has another type than ONNX says");
  }
  std::int64_t integer(const std::string &name, std::int64_t otherwise) const {
    return attribute<std::int64_t>(name, otherwise);
  }
  float real(const std::string &name, float otherwise) const {
    return attribute<float>(name, otherwise);
  }
  /// Refuses an attribute with a value other than \p only.
  void requireInteger(const std::string &name, std::int64_t only, std::int64_t otherwise) const;
  void requireInteger(const std::string &name, std::int64_t only) const {
    requireInteger(name, only, only);
  }
  /// Declares that the results of this node do not depend on some attributes, or on an input.
  void withoutEffect(std::initializer_list<const char *> attributes) const {
    usedAttributes_.insert(attributes.begin(), attributes.end());
  }
  void inputWithoutEffect(std::size_t i) const { usedInputs_.insert(i); }

  std::vector<std::int64_t> integers(const std::string &name) const {
    return attribute<std::vector<std::int64_t>>(name, {});
  }
  /// Returns a list that newer opsets have as input \p i and older ones as an attribute; empty if
  /// there is neither.
  std::vector<std::int64_t> list(const std::string &name, std::size_t i) const;
  /// Converts an axis, which may count from the end, to an axis from 0 for a tensor of this rank.
  unsigned axis(std::int64_t axis, std::size_t rank) const;
  std::vector<std::size_t> axes(const std::vector<std::int64_t> &axes, std::size_t rank) const;

  /// Rounds computed elements to halves if the target stores halves as floats, as CPU targets do.
  poplar::Tensor rounded(const poplar::Tensor &tensor);
  /// Sets an output that the device has computed. Integers of 8 and 16 bits, which are INT on the
  /// device, wrap around.
  void output(const poplar::Tensor &tensor, ElementType type, std::size_t i = 0);
  void output(const poplar::Tensor &tensor) { output(tensor, type()); }
  /// Sets an output whose elements are known to be in the range of \p type, such as elements of an
  /// input.
  void outputInRange(const poplar::Tensor &tensor, ElementType type, std::size_t i = 0);
  void outputInRange(const poplar::Tensor &tensor) { outputInRange(tensor, type()); }
  /// Sets an output whose elements all have one value, which the host knows.
  void outputFilled(double value, const Shape &shape, ElementType type, std::size_t i = 0);
  void outputConstant(HostTensor tensor, std::size_t i = 0);
  void output(Value value, std::size_t i);
  bool wantsOutput(std::size_t i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }

  // The following functions are for nodes with graphs of their own.
  const Graph &innerGraph(const std::string &attribute) const;
  /// Returns a copy of the values that an inner graph may use, so that values of a branch stay in
  /// the branch.
  Values scope() const { return values_; }
  /// Lowers all nodes of a graph on the node's IPU and adds their outputs to \p scope.
  void lower(const Graph &graph, Values &scope, poplar::program::Sequence &into);
  const Value &input(std::size_t i) const { return used(i); }
  /// Returns true if the elements of an input are a constant, or were given with --input.
  bool isKnown(std::size_t i) const;
  Value computed(const poplar::Tensor &tensor, ElementType type) const;
  /// Returns a value on the node's IPU; \p into copies it there from another IPU if needed.
  poplar::Tensor onDevice(Value &value, const std::string &name, poplar::program::Sequence &into);

  /// Forgets what was read, for another lowering of this node.
  void forgetUse();
  /// Refuses the node if an output was not set. If the outputs have elements, it also refuses an
  /// attribute or an input that was given but not read.
  void checkUse() const;

  [[noreturn]] void fail(const std::string &why) const;

private:
  bool putsOutElements() const;
  void requireOutputs() const;
  Value &value(std::size_t i) const;
  Value &used(std::size_t i) const {
    usedInputs_.insert(i);
    return value(i);
  }
  poplar::Tensor initialised(const poplar::Tensor &tensor, const HostTensor &values);

  Values &values_;
  ReplicaGraph &replica_;
  unsigned ipu_;
  mutable std::set<std::string> usedAttributes_;
  mutable std::set<std::size_t> usedInputs_;
};

} // namespace copse::onnx
