// Vertices that are there twice, in assembly and in C++: both give the same bits, and what the C++
// counts is close to the exact cycles of the assembly (docs/timing-model.md). The sums of
// assembly/layouts.cpp are in counted_cycles_test.cpp.
#include "devices.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <poplar/CycleCount.hpp>
#include <regex>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

struct Edge {
  const char *field;
  Type type;
  std::size_t elements; ///< 0: a single one
  bool isWritten;
};
struct Value {
  const char *field;
  float value;
};
struct Twins {
  const char *name;
  std::string assembly; ///< a file
  const char *label;    ///< name in the assembly's code; empty if it is the vertex's name
  std::vector<Edge> edges;
  std::vector<Value> values;
  /// The C++'s counted cycles, as a multiple of the assembly's exact ones; at least 0.75.
  double most;
};

const std::string kPrograms = ASSEMBLER_PROGRAMS, kExample = ASSEMBLY_EXAMPLE;
// The model's compiler makes no pipelines: where the assembly loads, computes and stores for three
// iterations of the loop at the same time, a plain loop takes up to three times as long.
constexpr double kPipelined = 3;

const Twins kPairs[] = {
    {"VecAdd",
     kPrograms + "/vecadd.S",
     "vecadd",
     {{"a", FLOAT, 400, false}, {"b", FLOAT, 400, false}, {"c", FLOAT, 400, true}},
     {{"n", 200}},
     1.25},
    {"Triple",
     kPrograms + "/triple.S",
     "triple",
     {{"x", INT, 600, false}, {"y", INT, 600, true}},
     {{"n", 600}},
     1.25},
    {"Split",
     kPrograms + "/split.S",
     "split",
     {{"out", UNSIGNED_INT, 2, true}},
     {{"size", 27}},
     1.25},
    {"GinaOrder",
     kPrograms + "/ginaorder.S",
     "ginaorder",
     {{"x", HALF, 8, false}, {"out", FLOAT, 10, true}},
     {},
     1.3}, // no loop: only the assembly has bundles
    {"Dot",
     kExample + "/dot.S",
     "",
     {{"x", HALF, 404, false}, {"y", HALF, 404, false}, {"result", FLOAT, 0, true}},
     {{"groups", 100}},
     1.25},
    {"RowProduct",
     kExample + "/row_product.S",
     "",
     {{"row", HALF, 44, false}, {"columns", HALF, 320, false}, {"out", FLOAT, 8, true}},
     {{"groups", 10}, {"count", 8}},
     1.25},
    {"Dot16",
     kPrograms + "/dot16.S",
     "dot16",
     {{"x", HALF, 400, false}, {"y", HALF, 400, false}, {"result", FLOAT, 0, true}},
     {{"groups", 100}},
     kPipelined},
    {"ScaleH",
     kPrograms + "/scaleh.S",
     "scaleh",
     {{"x", HALF, 400, false}, {"y", HALF, 400, true}},
     {{"groups", 100}, {"by", 3}},
     kPipelined},
    {"AddPipe",
     kPrograms + "/addpipe.S",
     "addpipe",
     {{"x", FLOAT, 402, true}},
     {{"pairs", 200}, {"constant", 0.5f}},
     kPipelined},
    {"TransposeCopy",
     kPrograms + "/transposecopy.S",
     "transposecopy",
     {{"x", FLOAT, 24, false}, {"y", FLOAT, 24, true}},
     {},
     kPipelined},
};

class AssemblyAndCppVertices : public ::testing::TestWithParam<std::tuple<Twins, const char *>> {
protected:
  struct Outcome {
    std::vector<std::uint8_t> bytes; ///< all bytes that the vertex writes
    std::uint64_t cycles = 0;
  };

  static const Twins &twins() { return std::get<0>(GetParam()); }

  /// Returns the code of a file, under the name of its vertex.
  static std::string assembly() {
    std::ifstream in(twins().assembly);
    std::stringstream file;
    file << in.rdbuf();
    const std::string symbol = "__runCodelet_" + std::string(twins().name) + "InAssembly";
    std::string text = file.str();
    if (*twins().label == '\0')
      return text;
    text = std::regex_replace(text, std::regex("\\b" + std::string(twins().label) + "\\b"), symbol);
    return "#ifdef __IPU__\nDEF_STACK_USAGE 0 " + symbol + "\n.section .text." + symbol +
           ", \"ax\"\n.globl " + symbol + "\n.type " + symbol + ", @function\n" + text + "#endif\n";
  }

  /// Returns small numbers whose sums and products are exact in every order.
  static std::vector<float> numbers(std::size_t count) {
    std::vector<float> values(count);
    unsigned seed = 1;
    for (float &value : values) {
      seed = seed * 1664525u + 1013904223u;
      value = static_cast<float>(static_cast<int>(seed >> 28) - 7);
    }
    return values;
  }

  static std::vector<std::uint8_t> bytesOf(const Target &target, const Edge &edge) {
    const std::vector<float> values = numbers(std::max<std::size_t>(edge.elements, 1));
    std::vector<std::uint8_t> bytes(values.size() * target.getTypeSize(edge.type));
    if (edge.type == HALF) {
      copyFloatToDeviceHalf(target, values.data(), bytes.data(), values.size());
    } else if (edge.type == FLOAT) {
      std::memcpy(bytes.data(), values.data(), bytes.size());
    } else {
      const std::vector<std::int32_t> whole(values.begin(), values.end());
      std::memcpy(bytes.data(), whole.data(), bytes.size());
    }
    return bytes;
  }

  static Outcome run(const std::string &vertex) {
    IPUModel model(std::get<1>(GetParam()));
    model.tilesPerIPU = 1;
    const Device device = model.createDevice();
    const Target &target = device.getTarget();
    Graph graph(target);
    std::stringstream code(assembly());
    graph.addCodelets(std::string(ASSEMBLY_SOURCES) + "/twins.cpp");
    graph.addCodelets(code, "", std::cerr, CodeletFileType::AsmSource);
    const ComputeSet set = graph.addComputeSet("set");
    const VertexRef v = graph.addVertex(set, vertex);
    graph.setTileMapping(v, 0);
    Sequence write, timed{Execute(set)}, read;
    std::vector<std::vector<std::uint8_t>> data;
    for (const Edge &edge : twins().edges) {
      const Tensor t = graph.addVariable(edge.type, edge.elements == 0
                                                        ? std::vector<std::size_t>{}
                                                        : std::vector<std::size_t>{edge.elements});
      graph.setTileMapping(t, 0);
      graph.connect(v[edge.field], t);
      const auto in =
          graph.addHostToDeviceFIFO(std::string("in ") + edge.field, edge.type, t.numElements());
      write.add(Copy(in, t));
      const auto out =
          graph.addDeviceToHostFIFO(std::string("out ") + edge.field, edge.type, t.numElements());
      read.add(Copy(t, out));
      data.push_back(bytesOf(target, edge));
    }
    for (const Value &value : twins().values)
      graph.setInitialValue(v[value.field], value.value);
    graph.createHostRead("count", cycleCount(graph, timed, 0, SyncType::INTERNAL));
    Engine engine(graph, Sequence{write, timed, read});
    engine.load(device);
    Outcome outcome;
    std::vector<std::vector<std::uint8_t>> results = data;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::string field = twins().edges[i].field;
      engine.connectStream("in " + field, data[i].data(), data[i].data() + data[i].size());
      engine.connectStream("out " + field, results[i].data(),
                           results[i].data() + results[i].size());
    }
    engine.run(0);
    for (std::size_t i = 0; i < data.size(); ++i)
      if (twins().edges[i].isWritten) {
        EXPECT_NE(results[i], data[i]) << twins().edges[i].field << " was not written";
        outcome.bytes.insert(outcome.bytes.end(), results[i].begin(), results[i].end());
      }
    engine.readTensor("count", &outcome.cycles, &outcome.cycles + 1);
    return outcome;
  }
};

TEST_P(AssemblyAndCppVertices, GiveTheSameBitsInAboutTheSameTime) {
  const std::string name = twins().name;
  const Outcome exact = run(name + "InAssembly"), counted = run(name);
  EXPECT_EQ(counted.bytes, exact.bytes);
  const double ratio = static_cast<double>(counted.cycles) / static_cast<double>(exact.cycles);
  RecordProperty("counted", std::to_string(counted.cycles));
  RecordProperty("exact", std::to_string(exact.cycles));
  EXPECT_GE(ratio, 0.75) << counted.cycles << " against " << exact.cycles;
  EXPECT_LE(ratio, twins().most) << counted.cycles << " against " << exact.cycles;
}

INSTANTIATE_TEST_SUITE_P(Pairs, AssemblyAndCppVertices,
                         ::testing::Combine(::testing::ValuesIn(kPairs),
                                            ::testing::Values("ipu1", "ipu2")),
                         [](const auto &p) {
                           return std::string(std::get<0>(p.param).name) + "On" +
                                  std::get<1>(p.param);
                         });

} // namespace
} // namespace copse::test
