// Sixteen-bit numbers: converted on the host, computed in half and in float on the tile.
#include "check.hpp"

#include <cmath>
#include <cstdint>
#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/Target.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  const Device device = check::device(argc, argv);
  const Target &target = device.getTarget();
  Graph graph(target);
  graph.addCodelets("half_codelets.cpp");

  const std::size_t N = 64;
  Tensor a = graph.addVariable(HALF, {N}, "a");
  Tensor b = graph.addVariable(HALF, {N}, "b");
  Tensor c = graph.addVariable(HALF, {N}, "c");
  Tensor norm = graph.addVariable(FLOAT, {1}, "norm");
  Tensor scale = graph.addConstant(HALF, {}, 0.25f);
  for (Tensor t : {a, b, c, norm, scale})
    graph.setTileMapping(t, 0);
  ComputeSet cs = graph.addComputeSet("axpy");
  auto v = graph.addVertex(cs, "HalfAxpy",
                           {{"a", a}, {"b", b}, {"c", c}, {"norm", norm[0]}, {"scale", scale}});
  graph.setInitialValue(v["bias"], 1.5f);
  graph.setTileMapping(v, 0);

  DataStream inA = graph.addHostToDeviceFIFO("a", HALF, N);
  DataStream inB = graph.addHostToDeviceFIFO("b", HALF, N);
  DataStream outC = graph.addDeviceToHostFIFO("c", HALF, N);
  graph.createHostRead("norm", norm);
  Engine engine(graph, Sequence{Copy(inA, a), Copy(inB, b), Execute(cs), Copy(c, outC)});

  std::vector<float> hostA(N), hostB(N), hostC(N), expected(N);
  float sum = 0;
  for (std::size_t i = 0; i < N; ++i) {
    hostA[i] = 0.5f * static_cast<float>(i) - 8;
    hostB[i] = static_cast<float>(i % 7);
    expected[i] = hostA[i] * 0.25f + hostB[i] + 1.5f;
    sum += expected[i] * expected[i];
  }
  const std::size_t bytes = N * target.getTypeSize(HALF);
  std::vector<std::uint8_t> rawA(bytes), rawB(bytes), rawC(bytes);
  copyFloatToDeviceHalf(target, hostA.data(), rawA.data(), N);
  copyFloatToDeviceHalf(target, hostB.data(), rawB.data(), N);
  engine.connectStream("a", rawA.data(), rawA.data() + bytes);
  engine.connectStream("b", rawB.data());
  engine.connectStream("c", rawC.data());
  engine.load(device);
  engine.run(0);
  copyDeviceHalfToFloat(target, rawC.data(), hostC.data(), N);
  float n = 0;
  engine.readTensor("norm", &n, &n + 1);
  return check::differences("c", hostC, expected, 1e-3) +
         check::differences("norm", std::vector<float>{n}, {std::sqrt(sum)}, 1e-3);
}
