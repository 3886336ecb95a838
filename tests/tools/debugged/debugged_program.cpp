// The program on which copse debug is tested: `debugged_program [--device ipu|ipumodel] [--ipus N]`
// prints the results of its vertices.
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;

namespace {

constexpr unsigned kElements = 4; // of each tile

/// A vertex on each of the first three tiles of each IPU.
void addScale(Graph &graph, const Tensor &in, const Tensor &out, program::Sequence &sequence) {
  const ComputeSet set = graph.addComputeSet("scale");
  const unsigned tilesPerIpu = graph.getTarget().getTilesPerIPU();
  for (unsigned part = 0; part < in.dim(0); ++part) {
    const unsigned tile = part / 3 * tilesPerIpu + part % 3;
    const Tensor factor = graph.addConstant<float>(FLOAT, {}, 2.5f);
    graph.setTileMapping(factor, tile);
    graph.setTileMapping(in[part], tile);
    graph.setTileMapping(out[part], tile);
    const VertexRef vertex =
        graph.addVertex(set, "Scale", {{"in", in[part]}, {"out", out[part]}, {"factor", factor}});
    graph.setInitialValue(vertex["offset"], 0.5f);
    graph.setTileMapping(vertex, tile);
  }
  sequence.add(program::Execute(set));
}

void addSumOfRows(Graph &graph, const Tensor &in, program::Sequence &sequence) {
  const ComputeSet set = graph.addComputeSet("sum");
  const Tensor more = graph.addVariable(FLOAT, {3, 2}), out = graph.addVariable(FLOAT, {3});
  const Tensor rows = graph.addVariable(FLOAT, {3, kElements});
  for (const Tensor &tensor : {more, out, rows})
    graph.setTileMapping(tensor, 1);
  sequence.add(program::Copy(in.slice(0, 3), rows));
  const Tensor one = graph.addConstant<float>(FLOAT, {3, 2}, 1.0f);
  graph.setTileMapping(one, 1);
  sequence.add(program::Copy(one, more));
  const VertexRef vertex =
      graph.addVertex(set, "SumOfRows<float>",
                      {{"rows", std::vector<Tensor>{rows[0], rows[1], rows[2]}},
                       {"more", std::vector<Tensor>{more[0], more[1], more[2]}},
                       {"out", out}});
  graph.setTileMapping(vertex, 1);
  sequence.add(program::Execute(set));
}

/// A codelet whose source is in no file.
void addNegate(Graph &graph, const Tensor &data, program::Sequence &sequence) {
  std::stringstream source(R"(#include <poplar/Vertex.hpp>
class Negate : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> data;
  void compute() {
    for (auto &value : data)
      value = -value;
  }
};
)");
  graph.addCodelets(source);
  const ComputeSet set = graph.addComputeSet("negate");
  graph.setTileMapping(graph.addVertex(set, "Negate", {{"data", data}}), 2);
  sequence.add(program::Execute(set));
}

Device deviceOf(const std::string &name, unsigned ipus) {
  if (name == "ipumodel") {
    IPUModel model("ipu2");
    model.numIPUs = static_cast<int>(ipus);
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, ipus))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no IPU is free");
}

} // namespace

int main(int argc, char **argv) {
  std::string name = "ipu";
  unsigned ipus = 1;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::string(argv[i]) == "--device")
      name = argv[i + 1];
    else
      ipus = static_cast<unsigned>(std::stoul(argv[i + 1]));
  const Device device = deviceOf(name, ipus);
  Graph graph(device.getTarget());
  graph.addCodelets(DEBUGGED_FOLDER "/codelets.cpp");
  const unsigned parts = 3 * ipus;
  const Tensor in = graph.addVariable(FLOAT, {parts, kElements});
  const Tensor out = graph.addVariable(FLOAT, {parts, kElements});
  program::Sequence sequence;
  addScale(graph, in, out, sequence);
  addSumOfRows(graph, in, sequence);
  addNegate(graph, out[2], sequence);
  std::vector<float> values(parts * kElements);
  for (unsigned i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  Engine engine(graph, sequence);
  engine.load(device);
  engine.writeTensor("in", values.data(), values.data() + values.size());
  engine.run(0);
  engine.readTensor("out", values.data(), values.data() + values.size());
  for (const float value : values)
    std::cout << value << ' ';
  std::cout << '\n';
}
