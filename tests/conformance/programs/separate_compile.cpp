// Compiles to a file without a device; then loads the file and runs it, as two steps of a build
// would.
#include "check.hpp"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Executable.hpp>
#include <poplar/Target.hpp>
#include <string>

using namespace poplar;
using namespace poplar::program;

enum ProgramIds { WRITE, RUN, READ, NUM_PROGRAMS };

std::vector<Program> buildPrograms(Graph &graph) {
  graph.addCodelets("scale_codelets.cpp", CodeletFileType::Auto, "-I lib -DSCALE=2.0f");
  Tensor data = graph.addVariable(FLOAT, {10}, VariableMappingMethod::LINEAR, "data");
  DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 10, ReplicatedStreamMode::REPLICATE,
                                            {{"bufferingDepth", "2"}});
  DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 10);
  ComputeSet cs = graph.addComputeSet("scale");
  graph.setTileMapping(graph.addVertex(cs, "lib::Scale", {{"data", data}}), 0);
  std::vector<Program> progs(NUM_PROGRAMS);
  progs[WRITE] = Copy(in, data);
  progs[RUN] = Repeat(3, Execute(cs));
  progs[READ] = Sequence{Copy(data, out)};
  return progs;
}

int main(int argc, char **argv) {
  const std::string kind = argc > 1 ? argv[1] : "model";
  const std::string file =
      std::string(argc > 2 ? argv[2] : ".") + "/separate_compile_" + kind + ".exe";
  auto device = check::device(argc, argv);
  {
    Graph graph(device.getTarget());
    std::vector<Program> programs = buildPrograms(graph);
    auto progress = [](int step, int total) { std::cout << step << "/" << total << "\n"; };
    Executable exe = compileGraph(graph, programs, {{"debug.instrument", "false"}}, progress);
    std::ofstream stream(file, std::ios::binary);
    exe.serialize(stream);
  }
  std::ifstream stream(file, std::ios::binary);
  auto exe = Executable::deserialize(stream);
  Engine engine(std::move(exe));
  engine.load(device);
  std::vector<float> in(10, 1.5f), out(10);
  engine.connectStream("in", in.data(), in.data() + in.size());
  engine.connectStream("out", out.data(), out.data() + out.size());
  for (int program : {WRITE, RUN, READ})
    engine.run(static_cast<unsigned>(program));
  return check::differences("out", out, std::vector<float>(10, 12.0f)) ? EXIT_FAILURE
                                                                       : EXIT_SUCCESS;
}
