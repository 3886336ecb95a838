// Claim: matrix products on all tiles by the AMP units, in tile assembly as public libraries write
// it, take not much longer than the same products by plain C++ codelets, which are native code. On
// one core.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace poplar;
using namespace poplar::program;

// Each tile computes [kRows, kDepth] x [kDepth, width], where the width is what the units compute
// at once.
constexpr std::size_t kRows = 384, kDepth = 64;

constexpr const char *kCodelets = R"(
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
template <typename In, unsigned Width> class InnerProduct : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> in, weights;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> out;
  unsigned rows, depth;
  bool compute(unsigned worker) {
    for (unsigned r = worker; r < rows; r += numWorkers()) {
      float sums[Width] = {};
      for (unsigned i = 0; i < depth; ++i)
        for (unsigned o = 0; o < Width; ++o)
          sums[o] += float(in[r * depth + i]) * float(weights[i * Width + o]);
      for (unsigned o = 0; o < Width; ++o)
        out[r * Width + o] = sums[o];
    }
    return true;
  }
};
template class InnerProduct<half, 8>;
template class InnerProduct<float, 16>;
)";

/// A product of each tile of a graph.
class Products {
public:
  Products(Graph &graph, const Type &type) : graph_(graph), type_(type) {
    const Target &target = graph.getTarget();
    tiles_ = target.getNumTiles();
    grain_ = target.getWeightsPerConvUnit(type);
    width_ = target.getNumConvUnits(type, FLOAT);
    workers_ = target.getNumWorkerContexts();
    in_ = numbers(kRows, kDepth, 0);
    weights_ = numbers(kDepth, width_, 1);
    work_ = graph.addComputeSet("products");
  }

  void addInAssembly() {
    graph_.addCodelets(std::string(HOT_LOOP_SOURCES) + "/loops.cpp");
    graph_.addCodelets(std::string(HOT_LOOP_SOURCES) + "/loops.S");
    // [block of inputs][row][input], and [block of inputs][set of units][unit][input]
    const Tensor in = in_.reshape({kRows, kDepth / grain_, grain_}).dimShuffle({1, 0, 2});
    const Tensor weights =
        weights_.reshape({kDepth / grain_, grain_, 4, width_ / 8, 2}).dimShuffle({0, 3, 2, 4, 1});
    const std::string name = "InnerProductLoop<" + type_.toString().cloneAsString() + ",float>";
    const unsigned bytes = static_cast<unsigned>(graph_.getTarget().getTypeSize(type_));
    const auto rows = static_cast<unsigned>(kRows);
    const auto grain = static_cast<unsigned>(grain_), width = static_cast<unsigned>(width_);
    for (const VertexRef &v : addVertices(name, in.flatten(), weights.flatten())) {
      graph_.setInitialValue(v["inBlocks"], static_cast<unsigned>(kDepth) / grain);
      graph_.setInitialValue(v["outBlocks"], 1U);
      graph_.setInitialValue(v["workerBytes"], bytes * rows / workers_ * grain);
      graph_.setInitialValue(v["blockBytes"], bytes * rows * grain);
      graph_.setInitialValue(v["outBytes"], 4 * rows * width);
      graph_.setInitialValue(v["turns"], rows / workers_ - 2);
    }
  }

  void addInCpp() {
    std::stringstream source(kCodelets);
    graph_.addCodelets(source);
    const std::string name =
        "InnerProduct<" + type_.toString().cloneAsString() + "," + std::to_string(width_) + ">";
    for (const VertexRef &v : addVertices(name, in_.flatten(), weights_.flatten())) {
      graph_.setInitialValue(v["rows"], static_cast<unsigned>(kRows));
      graph_.setInitialValue(v["depth"], static_cast<unsigned>(kDepth));
    }
  }

  /// The first gives each tile its data; the second makes the products four times.
  std::vector<Program> programs() const { return {prepare_, Repeat(4, Execute(work_))}; }
  std::size_t size() const { return tiles_ * kRows * width_; }

  /// Checks the products of all tiles.
  bool areRight(const std::vector<float> &products) const {
    for (std::size_t i = 0; i < products.size(); ++i) {
      const std::size_t row = i / width_ % kRows, column = i % width_;
      float sum = 0;
      for (std::size_t k = 0; k < kDepth; ++k)
        sum += number(row, k, 0) * number(k, column, 1);
      if (products[i] != sum)
        return false;
    }
    return true;
  }

private:
  /// Small whole numbers: all sums of products are exact.
  static float number(std::size_t row, std::size_t column, unsigned seed) {
    return static_cast<float>((row * 7 + column * 3 + seed) % 6) - 2;
  }
  Tensor numbers(std::size_t rows, std::size_t columns, unsigned seed) {
    std::vector<float> values;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        values.push_back(number(r, c, seed));
    const Tensor t = graph_.addConstant(type_, {rows, columns}, ArrayRef<float>(values));
    graph_.setTileMapping(t, 0);
    return t;
  }
  Tensor onTile(const Type &type, std::size_t elements, unsigned tile) {
    const Tensor t = graph_.addVariable(type, {elements});
    graph_.setTileMapping(t, tile);
    return t;
  }

  /// Each has copies of its own of the matrices.
  std::vector<VertexRef> addVertices(const std::string &name, const Tensor &in,
                                     const Tensor &weights) {
    std::vector<VertexRef> vertices;
    std::vector<Tensor> outs;
    for (unsigned tile = 0; tile < tiles_; ++tile) {
      const Tensor a = onTile(type_, in.numElements(), tile);
      const Tensor b = onTile(type_, weights.numElements(), tile);
      prepare_.add(Copy(in, a));
      prepare_.add(Copy(weights, b));
      outs.push_back(onTile(FLOAT, kRows * width_, tile));
      vertices.push_back(
          graph_.addVertex(work_, name, {{"in", a}, {"weights", b}, {"out", outs.back()}}));
      graph_.setTileMapping(vertices.back(), tile);
    }
    graph_.createHostRead("out", concat(outs));
    return vertices;
  }

  Graph &graph_;
  const Type type_;
  unsigned tiles_ = 0, workers_ = 0;
  std::size_t grain_ = 0, width_ = 0;
  Tensor in_, weights_;
  ComputeSet work_;
  Sequence prepare_;
};

void timeProducts(benchmark::State &state, const Type &type, void (Products::*add)()) {
  ::setenv("COPSE_THREADS", "1", 1);
  const Device device = IPUModel().createDevice();
  Graph graph(device);
  Products products(graph, type);
  (products.*add)();
  Engine engine(graph, products.programs());
  engine.load(device);
  engine.run(0);
  for (auto _ : state)
    engine.run(1);
  std::vector<float> out(products.size());
  engine.readTensor("out", out.data(), out.data() + out.size());
  if (!products.areRight(out))
    state.SkipWithError("the products are not right");
}

#define COPSE_MATMUL(name, type)                                                                   \
  BENCHMARK_CAPTURE(timeProducts, name, type, &Products::addInAssembly)                            \
      ->Name("tile_matmul_" #name "/subject")                                                      \
      ->Unit(benchmark::kMillisecond)                                                              \
      ->MeasureProcessCPUTime();                                                                   \
  BENCHMARK_CAPTURE(timeProducts, name##_native, type, &Products::addInCpp)                        \
      ->Name("tile_matmul_" #name "/reference")                                                    \
      ->Unit(benchmark::kMillisecond)                                                              \
      ->MeasureProcessCPUTime();
COPSE_MATMUL(half, HALF)
COPSE_MATMUL(float, FLOAT)
#undef COPSE_MATMUL

} // namespace

BENCHMARK_MAIN();
