// Vertices in assembly and in C++: see README.md.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using poplar::Tensor;
using poplar::program::Execute;
using poplar::program::Sequence;

struct Options {
  unsigned elements = 256;
  unsigned rows = 16, inner = 64, columns = 8;
  std::string device = "ipu";
};

poplar::Device openDevice(const Options &options) {
  if (options.device == "ipumodel")
    return poplar::IPUModel().createDevice();
  for (poplar::Device &device : poplar::DeviceManager().getDevices(poplar::TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw poplar::poplar_error("no device of one IPU is free");
}

/// Returns small whole numbers, so that every sum is exact in whatever order.
std::vector<float> numbers(std::size_t count, unsigned seed) {
  std::vector<float> values(count);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 24) / 16 - 8;
    value = static_cast<float>(static_cast<int>(value));
  }
  return values;
}

class Program {
public:
  Program(poplar::Graph &graph, const Options &options) : graph_(graph), options_(options) {
    const std::string folder = ASSEMBLY_FOLDER;
    graph_.addCodelets(folder + "/codelets.cpp");
    graph_.addCodelets({folder + "/dot.S", folder + "/row_product.S"});
    x_ = addInput("x", {options.elements}, 1);
    y_ = addInput("y", {options.elements}, 2);
    a_ = addInput("a", {options.rows, options.inner}, 3);
    b_ = addInput("b", {options.columns, options.inner}, 4); // column by column
  }

  void addDot(const std::string &type) {
    const Tensor result = addOutput(type, {1});
    const poplar::ComputeSet set = graph_.addComputeSet(type);
    const auto vertex = graph_.addVertex(set, type, {{"x", x_}, {"y", y_}, {"result", result[0]}});
    graph_.setInitialValue(vertex["groups"], options_.elements / 4);
    graph_.setTileMapping(result, 0);
    graph_.setTileMapping(vertex, 0);
    run(type, set);
  }

  /// Adds the product to the graph, with a row on each tile.
  void addProduct(const std::string &type) {
    const Tensor result = addOutput(type, {options_.rows, options_.columns});
    const poplar::ComputeSet set = graph_.addComputeSet(type);
    for (unsigned r = 0; r < options_.rows; ++r) {
      const auto vertex = graph_.addVertex(
          set, type, {{"row", a_[r]}, {"columns", b_.flatten()}, {"out", result[r]}});
      graph_.setInitialValue(vertex["groups"], options_.inner / 4);
      graph_.setInitialValue(vertex["count"], options_.columns);
      graph_.setTileMapping(result[r], r);
      graph_.setTileMapping(vertex, r);
    }
    run(type, set);
  }

  const Sequence &sequence() const { return sequence_; }

private:
  Tensor addInput(const std::string &name, const std::vector<std::size_t> &shape, unsigned seed) {
    std::size_t count = 1;
    for (const std::size_t extent : shape)
      count *= extent;
    const Tensor t =
        graph_.addConstant<float>(poplar::HALF, shape, numbers(count, seed).data(), name);
    graph_.setTileMapping(t, 0);
    return t;
  }

  Tensor addOutput(const std::string &name, const std::vector<std::size_t> &shape) {
    const Tensor t = graph_.addVariable(poplar::FLOAT, shape, name);
    graph_.createHostRead(name, t);
    return t;
  }

  /// The reading of the clock is on the first tile; all tiles wait for each other before it.
  void run(const std::string &type, const poplar::ComputeSet &set) {
    Sequence measured;
    measured.add(Execute(set));
    const Tensor cycles =
        poplar::cycleCount(graph_, measured, 0, poplar::SyncType::INTERNAL, type + "Cycles");
    graph_.createHostRead(type + "Cycles", cycles);
    sequence_.add(measured);
  }

  poplar::Graph &graph_;
  const Options &options_;
  Tensor x_, y_, a_, b_;
  Sequence sequence_;
};

/// Returns the product as the host computes it, shape [rows, columns].
std::vector<float> productOnHost(const std::vector<float> &a, const std::vector<float> &b,
                                 unsigned rows, unsigned inner, unsigned columns) {
  std::vector<float> c(std::size_t{rows} * columns);
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned n = 0; n < columns; ++n)
      for (unsigned i = 0; i < inner; ++i)
        c[r * columns + n] += a[r * inner + i] * b[n * inner + i];
  return c;
}

/// Prints a vertex's cycles.
/// \returns whether its results are the host's
bool report(poplar::Engine &engine, const std::string &type, const std::vector<float> &expected) {
  std::vector<float> result(expected.size());
  std::uint64_t cycles = 0;
  engine.readTensor(type, result.data(), result.data() + result.size());
  engine.readTensor(type + "Cycles", &cycles, &cycles + 1);
  const bool isRight = result == expected;
  std::printf("%-22s %8llu cycles  results %s\n", type.c_str(),
              static_cast<unsigned long long>(cycles),
              isRight ? "as the host's" : "NOT as the host's");
  return isRight;
}

int run(const Options &options) {
  const poplar::Device device = openDevice(options);
  poplar::Graph graph(device.getTarget());
  Program program(graph, options);
  program.addDot("Dot");
  program.addDot("DotInAssembly");
  program.addProduct("RowProduct");
  program.addProduct("RowProductInAssembly");
  poplar::Engine engine(graph, program.sequence());
  engine.load(device);
  engine.run();

  const auto dot = productOnHost(numbers(options.elements, 1), numbers(options.elements, 2), 1,
                                 options.elements, 1);
  const auto product = productOnHost(numbers(std::size_t{options.rows} * options.inner, 3),
                                     numbers(std::size_t{options.columns} * options.inner, 4),
                                     options.rows, options.inner, options.columns);
  bool isRight = report(engine, "Dot", dot);
  isRight &= report(engine, "DotInAssembly", dot);
  isRight &= report(engine, "RowProduct", product);
  isRight &= report(engine, "RowProductInAssembly", product);
  return isRight ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Vertices in assembly beside the same vertices in C++.", "assembly"};
  Options options;
  const auto isFours = CLI::Validator(
      [](const std::string &text) {
        return std::strtoul(text.c_str(), nullptr, 10) % 4 == 0 ? "" : "must be a multiple of 4";
      },
      "MULTIPLE OF 4");
  app.add_option("--elements", options.elements, "elements of the dot product")
      ->check(CLI::Range(4, 16384))
      ->check(isFours);
  app.add_option("--rows", options.rows, "rows of the first matrix")->check(CLI::Range(1, 1000));
  app.add_option("--inner", options.inner, "columns of the first matrix")
      ->check(CLI::Range(4, 4096))
      ->check(isFours);
  app.add_option("--columns", options.columns, "columns of the second matrix")
      ->check(CLI::Range(1, 64));
  app.add_option("--device", options.device, "device to run on: ipu or ipumodel")
      ->check(CLI::IsMember({"ipu", "ipumodel"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return run(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "assembly: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
