// A program with one fault, for tests of copse check: faulty_program FAULT [DEVICE [CODELETS]].
// FAULT is the name of a codelet of faulty_codelets.cpp, or of a fault of the control program
// below; DEVICE is "ipu" or "ipumodel". CODELETS is a file that has the codelets in C++.
#include <cstdio>
#include <functional>
#include <map>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;

constexpr std::size_t kCount = 4;

Device deviceNamed(const std::string &name) {
  if (name == "ipumodel") {
    IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  for (Device &device : DeviceManager().getDevices(TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw poplar_error("no device of one IPU is free");
}

class FaultyProgram {
public:
  FaultyProgram(const Target &target, const std::string &codelets) : graph(target) {
    graph.addCodelets(codelets);
    graph.addCodelets(FAULTY_FOLDER "/faulty_codelets.S");
  }

  Program make(const std::string &fault) {
    const std::map<std::string, std::function<Program()>> others{
        {"ReadsBehindInner", [&] { return nested("ReadsBehindInner"); }},
        {"ReadsBehindList", [&] { return nested("ReadsBehindList"); }},
        {"WorkersShareWords", [&] { return simple("WorkersShareWords", UNSIGNED_SHORT); }},
        {"CopiesNothing", [&] { return simple("CopiesNothing", UNSIGNED_SHORT); }},
        {"WritesBytes", [&] { return twoWriters(); }},
        {"ReadsUnwritten", [&] { return unwritten("ReadsUnwritten"); }},
        {"CopiesUnwritten", [&] { return copiesUnwritten(); }},
        {"StreamsUnwritten", [&] { return streamsUnwritten(); }},
        {"PrintsUnwritten", [&] { return PrintTensor(variable("unwritten", FLOAT, 4, 1)); }},
        {"BranchesOnUnwritten", [&] { return branchesOnUnwritten(); }},
        {"ReadsUndefined", [&] { return readsUndefined(); }},
    };
    const auto other = others.find(fault);
    return other == others.end() ? simple(fault, FLOAT) : other->second();
  }

  Graph graph;

private:
  Tensor variable(const std::string &name, const Type &type, std::size_t elements, unsigned tile) {
    Tensor tensor = graph.addVariable(type, {elements}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  Tensor input(const std::string &name, std::size_t elements = kCount, unsigned tile = 1) {
    Tensor tensor = variable(name, FLOAT, elements, tile);
    graph.setInitialValue(tensor, ArrayRef<float>(std::vector<float>(elements, 1)));
    return tensor;
  }

  VertexRef vertex(ComputeSet set, const std::string &name, unsigned tile = 1) {
    const VertexRef vertex = graph.addVertex(set, name);
    graph.setTileMapping(vertex, tile);
    graph.setInitialValue(vertex["count"], static_cast<int>(kCount));
    return vertex;
  }

  Program simple(const std::string &name, const Type &outType) {
    Tensor in = input("in"), out = variable("out", outType, kCount, 1);
    graph.createHostRead("beside", input("beside", kCount, 2)); // tile 2 has memory
    const ComputeSet set = graph.addComputeSet("faulty");
    const VertexRef v = vertex(set, name);
    graph.connect(v["in"], in);
    graph.connect(v["out"], out);
    Sequence program;
    if (name == "WorkerReadsOfOther")
      program.add(Copy(in, out));
    program.add(Execute(set));
    return program;
  }

  Program nested(const std::string &name) {
    const std::vector<Tensor> rows{input("row0"), input("row1")};
    Tensor out = variable("out", FLOAT, kCount, 1);
    const ComputeSet set = graph.addComputeSet("faulty");
    const VertexRef v = vertex(set, name);
    graph.connect(v["in"], rows);
    graph.connect(v["out"], out);
    return Execute(set);
  }

  /// Two vertices on one tile, with neighbouring bytes.
  Program twoWriters() {
    Tensor out = variable("out", UNSIGNED_CHAR, 10, 1);
    const ComputeSet set = graph.addComputeSet("faulty");
    for (unsigned i = 0; i < 2; ++i) {
      const VertexRef v = vertex(set, "WritesBytes");
      graph.setInitialValue(v["count"], 5);
      graph.connect(v["out"], out.slice(5 * i, 5 * i + 5));
    }
    return Execute(set);
  }

  Program unwritten(const std::string &name) {
    const ComputeSet set = graph.addComputeSet("faulty");
    const VertexRef v = vertex(set, name);
    graph.connect(v["in"], variable("unwritten", FLOAT, kCount, 1));
    graph.connect(v["out"], variable("out", FLOAT, kCount, 1));
    return Execute(set);
  }

  Program copiesUnwritten() {
    return Copy(variable("unwritten", FLOAT, kCount, 1), variable("copy", FLOAT, kCount, 2));
  }

  /// Half of it is written.
  Program streamsUnwritten() {
    Tensor half = variable("unwritten", FLOAT, kCount, 1);
    const DataStream stream = graph.addDeviceToHostFIFO("stream", FLOAT, kCount);
    return Sequence(Copy(input("in", 2), half.slice(0, 2)), Copy(half, stream));
  }

  Program branchesOnUnwritten() {
    return If(variable("unwritten", BOOL, 1, 0)[0], Sequence(), Sequence());
  }

  Program readsUndefined() {
    Tensor in = input("in"), again = variable("unwritten", FLOAT, kCount, 1);
    const ComputeSet set = graph.addComputeSet("faulty");
    const VertexRef v = vertex(set, "ReadsUnwritten");
    graph.connect(v["in"], again);
    graph.connect(v["out"], variable("out", FLOAT, kCount, 1));
    return Sequence(Copy(in, again), WriteUndef(again), Execute(set));
  }
};

} // namespace

int main(int argc, char **argv) {
  const std::string fault = argc > 1 ? argv[1] : "Good", device = argc > 2 ? argv[2] : "ipumodel";
  const std::string codelets = argc > 3 ? argv[3] : FAULTY_FOLDER "/faulty_codelets.cpp";
  try {
    Device on = deviceNamed(device);
    FaultyProgram faulty(on.getTarget(), codelets);
    const Program program = faulty.make(fault);
    Engine engine(faulty.graph, {program});
    std::vector<float> row(kCount);
    if (fault == "StreamsUnwritten")
      engine.connectStream("stream", row.data(), row.data() + row.size());
    engine.load(on);
    engine.run(0);
    std::printf("ran\n");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
