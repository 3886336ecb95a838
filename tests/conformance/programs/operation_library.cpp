// A library of operations as those over Poplar are written (codelets made at run time, mappings and
// regions, estimators, debug infos, options, functions), and a program that uses it.
#include "check.hpp"
#include "lib/operations/expression.hpp"
#include "lib/operations/graph_function.hpp"

#include <numeric>
#include <poplar/Engine.hpp>
#include <pva/pva.hpp>
#include <set>

using namespace poplar;
using namespace poplar::program;
using operations::Formula;
using operations::x;

namespace {

/// A program that grows operation by operation, and what it should give.
class Sums {
public:
  explicit Sums(const Device &device) : device_(device), graph_(device.getTarget()) {}

  Tensor counted(const Type &type, std::vector<std::size_t> shape, int first = 0) {
    const Tensor t = graph_.addVariable(type, shape, "counted");
    operations::mapLinearly(graph_, t);
    std::vector<int> values(t.numElements());
    std::iota(values.begin(), values.end(), first);
    graph_.setInitialValue(t, ArrayRef<int>(values));
    return t;
  }
  void expect(const char *what, const Tensor &t, std::vector<float> values) {
    Tensor read = t;
    if (t.elementType() != FLOAT) // the host reads floats
      read = asFloats(t);
    graph_.createHostRead(what, read);
    expected_.push_back({what, std::move(values)});
  }
  int run() {
    Engine engine(graph_, prog, {{"debug.retainDebugInformation", "true"}});
    engine.loadAndRun(device_);
    int wrong = 0;
    for (const auto &e : expected_) {
      std::vector<float> got(e.values.size());
      engine.readTensor(e.what, got.data(), got.data() + got.size());
      wrong += check::differences(e.what, got, e.values, 1e-3);
    }
    return wrong;
  }
  Graph &graph() { return graph_; }

  Sequence prog;

private:
  struct Expected {
    const char *what;
    std::vector<float> values;
  };

  Tensor asFloats(const Tensor &t) {
    if (!graph_.hasCodelet("operations::Widen<int>")) {
      std::stringstream source(
          "#include <poplar/HalfFloat.hpp>\n#include <poplar/Vertex.hpp>\nnamespace operations {\n"
          "template <typename T> class Widen : public poplar::Vertex {\npublic:\n"
          "  poplar::Input<poplar::Vector<T>> in;\n  poplar::Output<poplar::Vector<float>> out;\n"
          "  void compute() {\n    for (unsigned i = 0; i < in.size(); ++i)\n"
          "      out[i] = float(in[i]);\n  }\n};\n"
          "template class Widen<int>;\ntemplate class Widen<half>;\n}\n");
      graph_.addCodelets(source, "-O2");
    }
    const Tensor floats = graph_.addVariable(FLOAT, t.shape(), VariableMappingMethod::LINEAR);
    const ComputeSet cs = graph_.addComputeSet("widen");
    const VertexRef v =
        graph_.addVertex(cs, operations::vertexName("operations::Widen", t.elementType()),
                         {{"in", t.flatten()}, {"out", floats.flatten()}});
    graph_.setTileMapping(v, 0);
    graph_.setPerfEstimate(v, t.numElements());
    prog.add(Execute(cs));
    return floats;
  }

  const Device &device_;
  Graph graph_;
  std::vector<Expected> expected_;
};

std::vector<float> computed(std::size_t n, const std::function<float(std::size_t)> &f) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i != n; ++i)
    values[i] = f(i);
  return values;
}

int computesFormulas(const Device &device) {
  Sums sums(device);
  Graph &graph = sums.graph();
  const std::size_t rows = 20, columns = 30;
  const auto at = [&](std::size_t i) { return static_cast<float>(i); };
  const Tensor a = sums.counted(FLOAT, {rows, columns});
  const Tensor row = sums.counted(FLOAT, {columns}, 5), column = sums.counted(FLOAT, {rows, 1});
  sums.expect("fused",
              operations::map(graph, x(1) * 2.0f + x(2) * x(2), {a, a}, sums.prog, "fused"),
              computed(rows * columns, [&](std::size_t i) { return 2 * at(i) + at(i) * at(i); }));
  sums.expect("broadcast",
              operations::map(graph, x(1) + x(2) - x(3), {a, row, column}, sums.prog, {"broadcast"},
                              {{"splitOverWorkers", "true"}}),
              computed(rows * columns, [&](std::size_t i) {
                return at(i) + at(i % columns) + 5 - at(i / columns);
              }));
  sums.expect("transposed",
              operations::map(graph, x(1) - Formula(1.0f), {a.transpose()}, sums.prog),
              computed(rows * columns,
                       [&](std::size_t i) { return at(i % rows * columns + i / rows) - 1; }));
  for (const Type &type : {INT, HALF}) {
    const Tensor t = sums.counted(type, {3, 7});
    sums.expect(type == INT ? "int" : "half",
                operations::map(graph, x(1) * x(1) + 3, {t.reverse(1)}, sums.prog, "squares"),
                computed(21, [&](std::size_t i) {
                  const float value = at(i / 7 * 7 + 6 - i % 7);
                  return value * value + 3;
                }));
  }
  operations::InPlaceFunction twice(
      graph, a,
      [&](Tensor &t, Sequence &prog, const DebugNameAndId &dnai) {
        operations::mapInPlace(graph, x(1) + x(1), {t}, prog, {dnai, "twice"});
      },
      false, "function");
  operations::InPlaceFunction moved = std::move(twice);
  const Tensor b = sums.counted(FLOAT, {rows, columns}, 1);
  sums.prog.add(Repeat(2, [&] {
    Sequence body({}, {"body"});
    moved(b, body);
    return body;
  }()));
  sums.expect("function", b,
              computed(rows * columns, [&](std::size_t i) { return 4 * (at(i) + 1); }));
  return sums.run();
}

/// One vertex on each tile that has elements, one compute set: whatever the host reads and writes.
int fusesIntoOneVertexPerTile() {
  IPUModel model;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device);
  const Tensor a = graph.addVariable(FLOAT, {10}, VariableMappingMethod::LINEAR, "a");
  graph.createHostWrite("a", a);
  Sequence prog;
  const Tensor out = operations::map(graph, x(1) * x(1) + x(1), {a}, prog, "square");
  graph.createHostRead("out", out);
  Engine engine(graph, prog);
  const auto report = engine.getReport(false);
  if (report.compilation().graph().numVertices() != 4 ||
      report.compilation().graph().numComputeSets() != 1)
    return check::failed("vertices and compute sets of a fused map");
  std::set<std::string> names;
  for (const auto &set : report.compilation().computeSets())
    for (const auto &vertex : set.vertices())
      names.insert(vertex.type().name());
  return names.size() == 1 && names.begin()->find("operations::Map_") == 0
             ? 0
             : check::failed("names of vertices");
}

int refusesUnknownOptions(const Device &device) {
  Graph graph(device);
  Sequence prog;
  const Tensor t = graph.addVariable(FLOAT, {1}, VariableMappingMethod::LINEAR);
  for (const OptionFlags &flags :
       {OptionFlags{{"split", "true"}}, OptionFlags{{"splitOverWorkers", "yes"}}})
    try {
      operations::map(graph, x(1), {t}, prog, {}, flags);
      return check::failed("a wrong option was taken");
    } catch (const invalid_option &error) {
      if (std::string(error.what()).find("'") == std::string::npos)
        return check::failed(error.what());
    }
  try {
    operations::mapInPlace(graph, x(1), {t.broadcast(2, 0)}, prog);
  } catch (const poplar_error &) {
    return 0;
  }
  return check::failed("a broadcast tensor was written");
}

} // namespace

int main(int argc, char **argv) {
  const auto device = check::device(argc, argv);
  return computesFormulas(device) + fusesIntoOneVertexPerTile() + refusesUnknownOptions(device);
}
