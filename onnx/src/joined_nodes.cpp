#include "joined_nodes.hpp"

#include <algorithm>

namespace copse::onnx {
namespace {

class Joiner {
public:
  explicit Joiner(const Model &model) : model_(model), gone_(model.nodes.size()) {
    for (std::size_t i = 0; i < model.nodes.size(); ++i) {
      for (const auto *names : {&model.nodes[i].inputs, &model.nodes[i].captured})
        for (const std::string &name : *names)
          ++uses_[name];
      for (const std::string &output : model.nodes[i].outputs)
        makers_[output] = i;
    }
    for (const std::string &output : model.outputs)
      ++uses_[output];
  }

  Model joined() {
    Model result = model_;
    for (std::size_t i = 0; i < model_.nodes.size(); ++i)
      if (model_.nodes[i].op == "Relu")
        result.nodes[i] = joinedWith(i);
    std::vector<Node> left;
    for (std::size_t i = 0; i < result.nodes.size(); ++i)
      if (!gone_[i])
        left.push_back(std::move(result.nodes[i]));
    result.nodes = std::move(left);
    return result;
  }

private:
  /// Returns the node with operator \p op that computes \p value, if the value has only one reader.
  const Node *makerOf(const std::string &value, const char *op) const {
    const auto maker = makers_.find(value);
    if (maker == makers_.end() || uses_.at(value) != 1 || gone_[maker->second])
      return nullptr;
    const Node &node = model_.nodes[maker->second];
    return node.op == op ? &node : nullptr;
  }

  /// Returns the Relu itself, or the joined node in its place, because an addend may be computed
  /// after the convolution.
  Node joinedWith(std::size_t at) {
    const Node &relu = model_.nodes[at];
    if (relu.inputs.size() != 1 || relu.outputs.size() != 1)
      return relu;
    if (const Node *convolution = makerOf(relu.inputs[0], "Conv"))
      return joined(relu, *convolution, "");
    const Node *const sum = makerOf(relu.inputs[0], "Add");
    if (sum == nullptr || sum->inputs.size() != 2 || !sum->attributes.empty())
      return relu;
    for (const std::size_t i : {0, 1})
      if (const Node *convolution = makerOf(sum->inputs[i], "Conv")) {
        gone_[makers_.at(relu.inputs[0])] = true;
        return joined(relu, *convolution, sum->inputs[1 - i]);
      }
    return relu;
  }

  Node joined(const Node &relu, const Node &convolution, const std::string &addend) {
    Node node = convolution;
    gone_[makers_.at(convolution.outputs[0])] = true;
    node.inputs.resize(kJoinedAddend);
    if (!addend.empty())
      node.inputs.push_back(addend);
    node.attributes[kJoinedRelu] = std::int64_t{1};
    node.outputs = relu.outputs;
    return node;
  }

  const Model &model_;
  std::map<std::string, std::size_t> uses_, makers_;
  std::vector<bool> gone_; ///< nodes that are joined with another
};

} // namespace

Model withJoinedNodes(const Model &model) { return Joiner(model).joined(); }

} // namespace copse::onnx
