// Claims about modelled cycles of operations on one Mk2 IPU, against the fewest that the tiles'
// loads and stores, or products, would take. With --table, a table over sizes (docs/poplibs.md).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace poplar;
using poplar::program::Sequence;

/// A program that adds an operation to a graph.
using Operation = std::function<void(Graph &, Sequence &)>;

const Device &mk2() {
  static const Device device = IPUModel().createDevice();
  return device;
}

/// \returns modelled cycles of the operation
double cyclesOf(const Operation &operation) {
  Graph graph(mk2());
  Sequence prog;
  operation(graph, prog);
  graph.createHostRead("cycles", cycleCount(graph, prog, 0, SyncType::INTERNAL));
  Engine engine(graph, prog);
  engine.load(mk2());
  engine.run(0);
  std::uint64_t cycles = 0;
  engine.readTensor("cycles", &cycles, &cycles + 1);
  return static_cast<double>(cycles);
}

/// Returns the cycles of a compute set in which each tile has a vertex that does nothing.
double launchCycles() {
  static const double cycles = cyclesOf([](Graph &graph, Sequence &prog) {
    std::stringstream source("#include <poplar/Vertex.hpp>\n"
                             "class Empty : public poplar::Vertex {\n"
                             "public:\n"
                             "  bool compute() { return true; }\n"
                             "};\n");
    graph.addCodelets(source);
    const ComputeSet set = graph.addComputeSet("launch");
    for (unsigned tile = 0; tile != graph.getTarget().getNumTiles(); ++tile) {
      const VertexRef v = graph.addVertex(set, "Empty");
      graph.setTileMapping(v, tile);
      graph.setPerfEstimate(v, 0);
    }
    prog.add(program::Execute(set));
  });
  return cycles;
}

/// An operation, and the figure that it is compared with.
struct Case {
  std::string operation, size;
  Operation add;
  double fewest; ///< [modelled cycles]
};

// A load instruction brings 16 bytes, a store takes 8, and a tile issues one of them in a cycle.
constexpr double kLoadBytes = 16, kStoreBytes = 8;

/// Fewest cycles of a compute set whose tiles share the loads and stores.
double memoryCycles(double loadedBytes, double storedBytes) {
  const double tiles = mk2().getTarget().getNumTiles();
  return launchCycles() + (loadedBytes / kLoadBytes + storedBytes / kStoreBytes) / tiles;
}

Tensor linear(Graph &graph, const std::vector<std::size_t> &shape) {
  const Tensor t = graph.addVariable(FLOAT, shape);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

Case addOf(std::size_t elements) {
  const auto bytes = static_cast<double>(elements * sizeof(float));
  return {"add, float", std::to_string(elements),
          [=](Graph &graph, Sequence &prog) {
            popops::add(graph, linear(graph, {elements}), linear(graph, {elements}), prog);
          },
          memoryCycles(2 * bytes, bytes)};
}

Case reduceOf(std::size_t rows, std::size_t columns) {
  const double bytes = sizeof(float);
  return {
      "sums of rows, float", std::to_string(rows) + " x " + std::to_string(columns),
      [=](Graph &graph, Sequence &prog) {
        popops::reduce(graph, linear(graph, {rows, columns}), {1}, popops::Operation::ADD, prog);
      },
      memoryCycles(static_cast<double>(rows * columns) * bytes, static_cast<double>(rows) * bytes)};
}

/// How halves and floats are multiplied.
struct Types {
  const char *name;
  Type input, partial;
  OptionFlags options() const { return {{"partialsType", partial.toString().cloneAsString()}}; }
};
const Types kFloats{"float", FLOAT, FLOAT}, kHalves{"half", HALF, HALF},
    kHalvesByFloats{"half, partials float", HALF, FLOAT};

/// Fewest cycles for \p products, each with its sum.
double productCycles(const Types &types, double products) {
  const Target &target = mk2().getTarget();
  // A float enters the units in a cycle of its own, however many a load brings.
  const double inputs =
      types.input == FLOAT ? 1 : target.getConvUnitInputLoadElemsPerCycle(types.input);
  return products /
         (target.getNumTiles() * target.getNumConvUnits(types.input, types.partial) * inputs);
}

Case matMulOf(const Types &types, std::size_t side) {
  const auto n = static_cast<double>(side);
  return {std::string("matMul, ") + types.name, std::to_string(side) + " cubed",
          [=](Graph &graph, Sequence &prog) {
            const std::vector<std::size_t> shape{side, side};
            const OptionFlags options = types.options();
            const Tensor a = poplin::createMatMulInputLHS(graph, types.input, types.input, shape,
                                                          shape, "a", options);
            const Tensor b = poplin::createMatMulInputRHS(graph, types.input, types.input, shape,
                                                          shape, "b", options);
            poplin::matMul(graph, a, b, prog, types.input, "product", options);
          },
          productCycles(types, n * n * n)};
}

/// 3 x 3, as many channels out as in, padded with zeros.
Case convolutionOf(const Types &types, std::size_t batch, std::size_t channels, std::size_t side) {
  poplin::ConvParams params(types.input, types.input, batch, {side, side}, {3, 3}, channels,
                            channels, 1);
  params.inputTransform.paddingLower = params.inputTransform.paddingUpper = {1, 1};
  return {std::string("convolution 3 x 3, ") + types.name,
          "batch " + std::to_string(batch) + ", " + std::to_string(channels) + " channels, " +
              std::to_string(side) + " x " + std::to_string(side),
          [=](Graph &graph, Sequence &prog) {
            const OptionFlags options = types.options();
            const Tensor in = poplin::createInput(graph, params, "in", options);
            const Tensor weights = poplin::createWeights(graph, params, "weights", options);
            poplin::convolution(graph, in, weights, params, false, prog, "convolution", options);
          },
          productCycles(types, static_cast<double>(batch * side * side * channels * channels * 9))};
}

std::vector<Case> tableCases() {
  std::vector<Case> cases;
  for (std::size_t n = 10'000; n <= 10'000'000; n *= 10)
    cases.push_back(addOf(n));
  for (const std::size_t side : {256, 1024, 4096})
    cases.push_back(reduceOf(side, side));
  for (const Types *types : {&kFloats, &kHalvesByFloats, &kHalves})
    for (std::size_t side = 256; side <= 4096; side *= 2)
      cases.push_back(matMulOf(*types, side));
  for (const Types *types : {&kFloats, &kHalves}) {
    cases.push_back(convolutionOf(*types, 4, 64, 56));
    cases.push_back(convolutionOf(*types, 4, 128, 28));
    cases.push_back(convolutionOf(*types, 4, 256, 14));
    cases.push_back(convolutionOf(*types, 16, 256, 14));
  }
  return cases;
}

void printTable() {
  std::printf("| operation | size | modelled cycles | fewest | share |\n|---|---|---|---|---|\n");
  for (const Case &c : tableCases()) {
    const double cycles = cyclesOf(c.add);
    std::printf("| %s | %s | %.0f | %.0f | %.2f |\n", c.operation.c_str(), c.size.c_str(), cycles,
                c.fewest, c.fewest / cycles);
    std::fflush(stdout);
  }
}

void claim(const std::string &name, const std::function<Case()> &make) {
  const auto add = [&](const std::string &role, const std::function<double()> &figure) {
    benchmark::RegisterBenchmark((name + "/" + role).c_str(), [figure](benchmark::State &state) {
      double cycles = 0;
      for (auto _ : state)
        cycles = figure();
      state.counters["cycles"] = cycles;
    })->Iterations(1);
  };
  add("subject", [make] { return cyclesOf(make().add); });
  add("reference", [make] { return make().fewest; });
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--table") {
    printTable();
    return 0;
  }
  claim("modelled_add", [] { return addOf(1'000'000); });
  claim("modelled_matmul_half", [] { return matMulOf(kHalves, 4096); });
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
