#pragma once

// Expressions of tensors, computed element by element: one codelet for each expression and types,
// of which the source is written when it is first needed.
#include "debug_info.hpp"
#include "options.hpp"
#include "tile_mapping.hpp"
#include "vertex_names.hpp"

#include <cassert>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <pvti/pvti.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace operations {

static pvti::TraceChannel channel = {"operations"};

class Expression {
public:
  virtual ~Expression() = default;
  /// As C++ that may stand in a codelet.
  virtual std::string text() const = 0;
};
using Part = std::shared_ptr<const Expression>;

/// The n-th tensor, from 1.
class PlaceHolder : public Expression {
public:
  explicit PlaceHolder(unsigned index) : index_(index) {}
  std::string text() const override { return "x" + std::to_string(index_); }

private:
  unsigned index_;
};

class Const : public Expression {
public:
  template <typename T>
  Const(T value) // as numbers stand in expressions
      : traits_(poplar::TypeTraits::make<T>()), type_(poplar::equivalent_device_type<T>().value),
        data_(new char[sizeof(T)]) {
    static_assert(poplar::TypeTraits::isSimpleType<T>(), "a number");
    std::memcpy(data_.get(), &value, traits_.size);
  }
  std::string text() const override {
    if (type_ == poplar::FLOAT) {
      float value;
      std::memcpy(&value, data_.get(), sizeof value);
      return "T(" + std::to_string(value) + "f)";
    }
    int value;
    std::memcpy(&value, data_.get(), sizeof value);
    return "T(" + std::to_string(value) + ")";
  }

private:
  poplar::TypeTraits traits_;
  poplar::Type type_;
  std::unique_ptr<char[]> data_;
};

class Binary : public Expression {
public:
  Binary(char operation, Part left, Part right)
      : operation_(operation), left_(std::move(left)), right_(std::move(right)) {}
  std::string text() const override {
    return "(" + left_->text() + ' ' + operation_ + ' ' + right_->text() + ")";
  }

private:
  char operation_;
  Part left_, right_;
};

/// What users put together: `x(1) * 2.0f + x(2)`.
class Formula {
public:
  Formula(float value) : part_(std::make_shared<Const>(value)) {}
  Formula(int value) : part_(std::make_shared<Const>(value)) {}
  explicit Formula(Part part) : part_(std::move(part)) {}
  std::string text() const { return part_->text(); }

  friend Formula operator+(const Formula &a, const Formula &b) { return a.with('+', b); }
  friend Formula operator-(const Formula &a, const Formula &b) { return a.with('-', b); }
  friend Formula operator*(const Formula &a, const Formula &b) { return a.with('*', b); }

private:
  Formula with(char operation, const Formula &other) const {
    return Formula(std::make_shared<Binary>(operation, part_, other.part_));
  }
  Part part_;
};
inline Formula x(unsigned index) { return Formula(std::make_shared<PlaceHolder>(index)); }

namespace internal {

/// Letters and digits that no other formula has.
inline std::string codeOf(const std::string &text) {
  std::ostringstream code;
  code << std::hex << std::hash<std::string>()(text);
  return code.str();
}

inline std::string sourceOf(const std::string &name, const std::string &formula,
                            std::size_t inputs) {
  std::ostringstream out;
  out << "#include <poplar/HalfFloat.hpp>\n#include <poplar/Vertex.hpp>\n"
      << "using namespace poplar;\n"
      << "static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;\n"
      << "static constexpr auto SPAN = poplar::VectorLayout::SPAN;\n"
      << "namespace operations {\ntemplate <typename T> class " << name << " : public Vertex {\n"
      << "public:\n";
  for (std::size_t i = 1; i <= inputs; ++i)
    out << "  Vector<Input<Vector<T, ONE_PTR>>, ONE_PTR> in" << i << ";\n";
  out << "  Vector<Output<Vector<T, SPAN>>> out;\n  bool compute() {\n"
      << "    for (unsigned r = 0; r != out.size(); ++r)\n"
      << "      for (unsigned i = 0; i != out[r].size(); ++i) {\n";
  for (std::size_t i = 1; i <= inputs; ++i)
    out << "        const T x" << i << " = in" << i << "[r][i];\n";
  out << "        out[r][i] = T(" << formula << ");\n      }\n    return true;\n  }\n};\n"
      << "template class " << name << "<float>;\ntemplate class " << name << "<half>;\n"
      << "template class " << name << "<int>;\n} // namespace operations\n";
  return out.str();
}

inline poplar::VertexPerfEstimate cyclesOf(const poplar::VertexIntrospector &vertex,
                                           const poplar::Target &target, const poplar::Type &type) {
  const auto out = vertex.getFieldInfo("out");
  assert(out.getProfilerVectorLayout(0) == poplar::layout::Vector::Span);
  std::uint64_t cycles = 7, flops = 0;
  for (unsigned i = 0; i != out.size(); ++i) {
    cycles += 3 + out[i].size() / target.getVectorWidth(type) * 2;
    flops += out[i].size();
  }
  return {cycles, flops};
}

inline std::string codeletFor(poplar::Graph &graph, const std::string &formula, std::size_t inputs,
                              const poplar::Type &type) {
  const std::string name = "Map_" + codeOf(formula);
  const std::string vertex = vertexName("operations::" + name, type);
  if (!graph.hasCodelet(vertex)) {
    std::stringstream source(sourceOf(name, formula, inputs));
    graph.addCodelets(source);
    using namespace std::placeholders;
    for (const poplar::Type &t : {poplar::FLOAT, poplar::HALF, poplar::INT})
      graph.registerPerfEstimator(vertexName("operations::" + name, t),
                                  std::bind(cyclesOf, _1, _2, t));
  }
  return vertex;
}

/// Tensors that can be had by repeating dimensions of size 1 (and missing ones) get the shape.
inline void broadcastTo(poplar::Tensor &t, const std::vector<std::size_t> &shape) {
  const std::size_t missing = shape.size() - t.rank();
  t = t.expand(std::vector<std::size_t>(missing, 0));
  for (unsigned d = 0; d != shape.size(); ++d) {
    if (t.dim(d) != shape[d]) {
      if (t.dim(d) != 1)
        throw poplar::poplar_error("map: shape " + t.shapeToString() + " does not fit");
      t = t.broadcast(static_cast<unsigned>(shape[d]), d);
    }
  }
}

} // namespace internal

/// \returns a new tensor like the first, mapped alike
inline poplar::Tensor map(poplar::Graph &graph, const Formula &formula,
                          std::vector<poplar::Tensor> ts, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {}) {
  const pvti::Tracepoint point(&channel, __PRETTY_FUNCTION__);
  OperationInfo di(debugContext, {OPERATIONS_ARG(ts), OPERATIONS_ARG(options)});
  bool splitOverWorkers = false;
  parse(options, {{"splitOverWorkers", takesBool(splitOverWorkers)}});

  const auto &target = graph.getTarget();
  const auto type = ts.front().elementType();
  poplar::Tensor out = graph.clone(ts.front(), {di, "out"});
  std::vector<poplar::Tensor *> others;
  for (auto &t : ts) {
    internal::broadcastTo(t, out.shape());
    t = t.flatten();
    others.push_back(&t);
  }
  poplar::Tensor flat = out.flatten();
  graph.reorderToSimplify(&flat, others, false);

  const auto cs = graph.addComputeSet({di, "map"});
  const auto vertex = internal::codeletFor(graph, formula.text(), ts.size(), type);
  const auto mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const auto regions = graph.getSortedContiguousRegions(flat, mapping[tile]);
    const auto parts = splitOverWorkers
                           ? splitBetweenWorkers(target, regions, target.getVectorWidth(type))
                           : std::vector<std::vector<Regions>>{regions};
    for (const auto &part : parts) {
      const auto v = graph.addVertex(cs, vertex, {{"out", flat.slices(part)}});
      for (std::size_t i = 0; i != ts.size(); ++i)
        graph.connect(v["in" + std::to_string(i + 1)], ts[i].slices(part));
      graph.setTileMapping(v, tile);
    }
  }
  prog.add(poplar::program::Execute(cs, {di}));
  di.addOutput(out);
  return out;
}

inline void mapInPlace(poplar::Graph &graph, const Formula &formula,
                       const std::vector<poplar::Tensor> &ts, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {}) {
  OperationInfo di(debugContext, {OPERATIONS_ARG(ts)});
  if (!ts.front().isParallelWriteable())
    throw poplar::poplar_error("mapInPlace: the first tensor cannot be written");
  prog.add(poplar::program::Copy(map(graph, formula, ts, prog, {di}), ts.front(), false, {di}));
}

} // namespace operations
