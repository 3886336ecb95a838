#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <string>

namespace copse::test {

/// Compiles a program with everything that an executable can contain: streams, initial values,
/// codelets, replicas, a remote buffer, host tensors and a print.
inline poplar::Executable compileSample(const poplar::Target &target, unsigned replicas,
                                        const poplar::OptionFlags &options = {}) {
  using namespace poplar;
  using namespace poplar::program;
  Graph graph(target, replication_factor(replicas));
  std::stringstream codelets(R"(
    #include <poplar/Vertex.hpp>
    class Scale : public poplar::Vertex {
    public:
      poplar::Input<poplar::Vector<float>> in;
      poplar::Output<poplar::Vector<float>> out;
      float factor;
      bool compute() {
        for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] * factor;
        return true;
      }
    };)");
  graph.addCodelets(codelets);
  const Tensor in = graph.addVariable(FLOAT, {4}, "in");
  const Tensor out = graph.addVariable(FLOAT, {4}, "out");
  const Tensor start = graph.addVariable(FLOAT, {4}, "start");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 1);
  graph.setTileMapping(start, 1);
  graph.setInitialValue(start, ArrayRef<float>({1, 2, 3, 4}));
  const ComputeSet set = graph.addComputeSet("scale");
  const VertexRef vertex = graph.addVertex(set, "Scale", {{"in", in}, {"out", out}});
  graph.setInitialValue(vertex["factor"], 3.0f);
  graph.setTileMapping(vertex, 1);
  const DataStream to = graph.addHostToDeviceFIFO("to", FLOAT, 4);
  const DataStream from = graph.addDeviceToHostFIFO("from", FLOAT, 4);
  RemoteBuffer rows = graph.addRemoteBuffer("rows", FLOAT, 4);
  graph.createHostRead("start", start);
  const Sequence whole(Copy(to, in), Execute(set), Copy(out, rows), PrintTensor("out", out),
                       Copy(out, from));
  return compileGraph(graph, {whole}, options);
}

inline std::string saved(const poplar::Executable &executable) {
  std::ostringstream file;
  executable.serialize(file);
  return file.str();
}

inline poplar::Executable restored(const std::string &bytes) {
  std::istringstream file(bytes);
  return poplar::Executable::deserialize(file);
}

} // namespace copse::test
