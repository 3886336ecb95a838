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

/// The type that stands for \p type on a device. Integers of other widths become INT, or UNSIGNED_INT for uint32 and
/// uint64; Double becomes FLOAT.
poplar::Type deviceType(ElementType type);
/// Refuses integers that the device's type for them does not hold.
/// \param what  has the elements, for the message
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
  std::shared_ptr<GivenInput> given;          ///< of an input that is the same in all batches
  /// By the IPU of the replica. The lowest is the one that computes the value; copies for later ones are made on demand.
  std::map<unsigned, poplar::Tensor> onIpus;
};
using Values = std::map<std::string, Value>;
Value knownValue(HostTensor tensor);

/// A BOOL that the device sets if a node's integers of 64 bits have left the 32 bits that they have there.
struct OverflowFlag {
  std::string node;
  poplar::Tensor flag;
};

/// The graph of a replica and of each of its IPUs.
struct ReplicaGraph {
  poplar::Graph graph;
  std::vector<poplar::Graph> ipus;
  poplin::PlanningCache plans; ///< networks repeat their layers
  std::vector<OverflowFlag> overflows;

  ReplicaGraph(const poplar::Target &target, unsigned replicas, unsigned ipusPerReplica);
};

/// A node as the lowering of its operator sees it: inputs, attributes, and where results go.
///
/// An attribute or an input that a lowering forgets would change the model's results in silence. The context therefore
/// records what is read, and checkUse() refuses a node of which something was not.
///
/// Errors: ModelError with the node's name.
class OperatorContext {
public:
  OperatorContext(const Node &node, Values &values, ReplicaGraph &replica, unsigned ipu,
                  poplar::program::Sequence &prog);

  const Node &node;
  const std::int64_t opset;
  poplar::Graph &graph; ///< of the node's IPU
  poplar::program::Sequence &prog;
  poplin::PlanningCache &plans;

  /// Does not count as a use of the input.
  bool has(std::size_t i) const { return i < node.inputs.size() && !node.inputs[i].empty(); }
  std::size_t numInputs() const { return node.inputs.size(); }
  ElementType type(std::size_t i = 0) const { return used(i).type; }
  const Shape &shape(std::size_t i = 0) const { return used(i).shape; }
  /// On the node's IPU.
  poplar::Tensor tensor(std::size_t i = 0);
  /// A constant in the layout that \p create gives; any other input as it is.
  poplar::Tensor weights(std::size_t i, const std::function<poplar::Tensor()> &create);
  /// \returns nullptr if the input is computed by the device
  const HostTensor *constant(std::size_t i) const;
  bool allConstant() const; ///< whether there are inputs, and all of them are constants
  /// An input that the lowering needs now: a constant, or the tensor that the user gave for an input.
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
  /// Refuses an attribute whose value is another than \p only.
  void requireInteger(const std::string &name, std::int64_t only, std::int64_t otherwise) const;
  void requireInteger(const std::string &name, std::int64_t only) const {
    requireInteger(name, only, only);
  }
  /// Says that the results of this node do not depend on some attributes or on an input.
  void withoutEffect(std::initializer_list<const char *> attributes) const {
    usedAttributes_.insert(attributes.begin(), attributes.end());
  }
  void inputWithoutEffect(std::size_t i) const { usedInputs_.insert(i); }

  std::vector<std::int64_t> integers(const std::string &name) const {
    return attribute<std::vector<std::int64_t>>(name, {});
  }
  /// A list that newer opsets have as input \p i, older ones as an attribute; empty if there is neither.
  std::vector<std::int64_t> list(const std::string &name, std::size_t i) const;
  /// An axis of a tensor of this rank, from 0, for one that may count from the end.
  unsigned axis(std::int64_t axis, std::size_t rank) const;
  std::vector<std::size_t> axes(const std::vector<std::int64_t> &axes, std::size_t rank) const;

  /// Rounds what was computed to halves where the target keeps them as floats, as CPU targets do.
  poplar::Tensor rounded(const poplar::Tensor &tensor);
  /// Puts out what the node has computed. Integers of 8 and 16 bits, which are INT on the device, wrap round.
  void output(const poplar::Tensor &tensor, ElementType type, std::size_t i = 0);
  void output(const poplar::Tensor &tensor) { output(tensor, type()); }
  /// Puts out elements that \p type holds in any case, such as those of an input.
  void outputInRange(const poplar::Tensor &tensor, ElementType type, std::size_t i = 0);
  void outputInRange(const poplar::Tensor &tensor) { outputInRange(tensor, type()); }
  /// Puts out one value for all elements, which the host knows.
  void outputFilled(double value, const Shape &shape, ElementType type, std::size_t i = 0);
  void outputConstant(HostTensor tensor, std::size_t i = 0);
  void output(Value value, std::size_t i);
  bool wantsOutput(std::size_t i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }

  // For nodes with graphs of their own.
  const Graph &innerGraph(const std::string &attribute) const;
  /// The values that an inner graph may use. A copy, so that what a branch makes stays in the branch.
  Values scope() const { return values_; }
  /// Lowers all nodes of a graph on the node's IPU and adds their outputs to \p scope.
  void lower(const Graph &graph, Values &scope, poplar::program::Sequence &into);
  const Value &input(std::size_t i) const { return used(i); }
  /// Returns true if the elements of an input are a constant, or given with --input.
  bool isKnown(std::size_t i) const;
  Value computed(const poplar::Tensor &tensor, ElementType type) const;
  /// A value on the node's IPU; \p into copies it there if it is on another.
  poplar::Tensor onDevice(Value &value, const std::string &name, poplar::program::Sequence &into);

  /// Forgets what was read, for another lowering of the same node.
  void forgetUse();
  /// Refuses the node if an output was not made, or if an attribute or an input was given and not read and the outputs have
  /// elements.
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
