#pragma once

#include "model_writer.hpp"
#include "resnet.hpp"

namespace copse::bench {

/// Writes the layers as nodes of an ONNX model.
class ResnetModel {
public:
  using Value = std::string;

  explicit ResnetModel(int width) {
    writer_.input("image", {1, 3, 224, 224});
    writer_.output(resnet18(*this, "image", width));
  }
  void write(const std::string &path) const { writer_.write(path); }

  Value convolution(const Value &x, int inputs, int outputs, int kernel, int stride, int padding) {
    const auto side = static_cast<std::size_t>(kernel);
    const std::string w =
        constant({static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs), side, side},
                 static_cast<std::size_t>(inputs) * side * side);
    const std::string b = constant({static_cast<std::size_t>(outputs)}, 1000);
    const std::int64_t s = stride, p = padding;
    return node("Conv", {x, w, b},
                {{"strides", std::vector<std::int64_t>{s, s}},
                 {"pads", std::vector<std::int64_t>{p, p, p, p}}});
  }
  Value relu(const Value &x) { return node("Relu", {x}); }
  Value maxPool(const Value &x) {
    return node("MaxPool", {x},
                {{"kernel_shape", std::vector<std::int64_t>{3, 3}},
                 {"strides", std::vector<std::int64_t>{2, 2}},
                 {"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
  }
  Value add(const Value &x, const Value &y) { return node("Add", {x, y}); }
  Value averageOfField(const Value &x) { return node("Flatten", {node("GlobalAveragePool", {x})}); }
  Value fullyConnected(const Value &x, int inputs, int outputs) {
    const auto rows = static_cast<std::size_t>(outputs), columns = static_cast<std::size_t>(inputs);
    const std::string w = constant({rows, columns}, columns), b = constant({rows}, 1000);
    return node("Gemm", {x, w, b}, {{"transB", std::int64_t{1}}});
  }

private:
  std::string constant(const onnx::Shape &shape, std::size_t fanIn) {
    const std::string name = "w" + std::to_string(count_++);
    writer_.constant(name, test::floats(shape, weights_.draw(onnx::elementsOf(shape), fanIn)));
    return name;
  }
  std::string node(const std::string &op, const std::vector<std::string> &inputs,
                   const std::map<std::string, onnx::Attribute> &attributes = {}) {
    const std::string name = "v" + std::to_string(count_++);
    writer_.node(op, inputs, {name}, attributes);
    return name;
  }

  test::ModelWriter writer_;
  LayerWeights weights_;
  int count_ = 0;
};

} // namespace copse::bench
