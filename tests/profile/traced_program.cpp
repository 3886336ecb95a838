// Adds up numbers of a callback, twice, and leaves a profile: traced_program DIRECTORY.
#include <fstream>
#include <numeric>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <pvti/pvti.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

void inFirstLibrary();
void inSecondLibrary();

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  static pvti::TraceChannel channel("program");
  const pvti::Tracepoint whole(&channel, "main \"quoted\"");
  inFirstLibrary();
  inSecondLibrary();
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  const Device device = model.createDevice();
  Graph graph(device);
  std::stringstream codelets(R"(
    #include <poplar/Vertex.hpp>
    class Twice : public poplar::Vertex {
    public:
      poplar::InOut<poplar::Vector<float>> data;
      bool compute() {
        for (unsigned i = 0; i < data.size(); ++i) data[i] *= 2;
        return true;
      }
    };)");
  graph.addCodelets(codelets);
  const Tensor data = graph.addVariable(FLOAT, {100}, "data"),
               copy = graph.addVariable(FLOAT, {100}, "copy");
  graph.setTileMapping(data, 1);
  graph.setTileMapping(copy, 5);
  const ComputeSet set = graph.addComputeSet("twice");
  const VertexRef vertex = graph.addVertex(set, "Twice", {{"data", data}});
  graph.setTileMapping(vertex, 1);
  graph.setPerfEstimate(vertex, 1000);
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 100);
  Engine engine(graph, Sequence({Copy(in, data), Execute(set), Copy(data, copy, false, "over")}),
                {{"autoReport.all", "true"}, {"autoReport.directory", argv[1]}});
  engine.connectStreamToCallback("in", [](void *row) {
    std::iota(static_cast<float *>(row), static_cast<float *>(row) + 100, 0.0F);
  });
  engine.load(device);
  engine.run(0, "first");
  engine.run(0, "second");
  std::ofstream graphFile(std::string(argv[1]) + "/graph.json"),
      executionFile(std::string(argv[1]) + "/execution.json");
  serializeToJSON(graphFile, engine.getGraphProfile(), true);
  serializeToJSON(executionFile, engine.getExecutionProfile(), true);
}
