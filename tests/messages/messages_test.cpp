// Tests the messages for typical mistakes: they say what is wrong, where, and what to do. If a row
// says less than it could, mend the message. PopLibs' own messages are tested beside its tests.
#include "temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <exception>
#include <fstream>
#include <functional>
#include <optional>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char *kCodelets = R"(
#include <poplar/Vertex.hpp>
#include <string>
using namespace poplar;
struct Double : Vertex {
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = 2 * in[i];
    return true;
  }
};
template <class T> struct Typed : Vertex {
  Output<T> out;
  bool compute() { return true; }
};
template struct Typed<float>;
struct Wild : Vertex {
  Output<Vector<float>> out;
  bool compute() {
    *(volatile int *)(16) = 1;
    return true;
  }
};
struct Throws : Vertex {
  Output<Vector<float>> out;
  bool compute() { return std::string("row").at(out.size()) == 'r'; }
};
)";

/// A small machine and a graph with two variables; rows add the mistake.
class Case {
public:
  static constexpr unsigned kTiles = 4;

  Case() : device_(model()), graph(device_.getTarget()) {
    std::stringstream codelets(kCodelets);
    graph.addCodelets(codelets);
    a = variable("a", 8);
    b = variable("b", 8);
    cs = graph.addComputeSet("cs");
  }
  Tensor variable(const char *name, std::size_t size) {
    const Tensor t = graph.addVariable(FLOAT, {size}, name);
    graph.setTileMapping(t, 0);
    return t;
  }
  VertexRef vertex(const char *type = "Double") {
    const VertexRef v = graph.addVertex(cs, type);
    graph.setTileMapping(v, 0);
    return v;
  }
  Engine loaded(const Program &program) {
    Engine engine(graph, program);
    engine.load(device_);
    return engine;
  }

private:
  static Device model() {
    IPUModel one;
    one.tilesPerIPU = kTiles;
    Device device = one.createDevice();
    device.attach();
    return device;
  }
  Device device_;

public:
  Graph graph;
  Tensor a, b;
  ComputeSet cs;
};

struct Row {
  const char *name;
  std::function<void(Case &)> mistake;
  std::vector<const char *> says;
};

const Row kRows[] = {
    {"UnmappedTensor",
     [](Case &c) {
       const Tensor t = c.graph.addVariable(FLOAT, {8}, "weights");
       Engine(c.graph, Copy(c.a, t));
     },
     {"variable 'weights': element 0 of 8 has no tile", "call Graph::setTileMapping() for it"}},
    {"UnmappedConstant",
     [](Case &c) { Engine(c.graph, Copy(c.graph.addConstant(FLOAT, {4}, 1.0f), c.a.slice(0, 4))); },
     {"a constant without a name (float {4}): element 0 of 4 has no tile"}},
    {"UnmappedVertex",
     [](Case &c) {
       const VertexRef v = c.graph.addVertex(c.cs, "Double", {{"in", c.a}, {"out", c.b}});
       static_cast<void>(v);
       Engine(c.graph, Execute(c.cs));
     },
     {"vertex 'Double' in compute set 'cs' has no tile", "call "}},
    {"TileThatThereIsNot",
     [](Case &c) { c.graph.setTileMapping(c.a, 2000); },
     {"there is no tile 2000 in a graph of 4 tiles", " a"}},
    {"CopyOfOtherShapes",
     [](Case &c) { Copy(c.a, c.variable("short", 5)); },
     {"Copy: the source of 'a' has shape {8}, the destination of 'short' has shape {5}"}},
    {"CopyOfOtherTypes",
     [](Case &c) { Copy(c.a, c.graph.addVariable(INT, {8}, "numbers")); },
     {"the source of 'a' has elements of type float, the destination of 'numbers' of type int"}},
    {"CopyToAConstant",
     [](Case &c) {
       const Tensor one = c.graph.addConstant(FLOAT, {8}, 1.0f, "one");
       c.graph.setTileMapping(one, 0);
       Engine(c.graph, Copy(c.a, one));
     },
     {"writes constant 'one'; copy it to a variable first"}},
    {"SliceBeyondTheEnd",
     [](Case &c) { c.a.slice(3, 12); },
     {"Tensor::slice of a tensor of shape {8} of 'a': [3,12) is not a range of dimension 0"}},
    {"ReshapeToOtherSize",
     [](Case &c) {
       c.a.reshape({3, 3});
     },
     {"of 'a'", "{3,3}"}},
    {"OptionOfAnEngine",
     [](Case &c) {
       Engine(c.graph, Copy(c.a, c.b), {{"debug.instrumnt", "true"}});
     },
     {"engine option", "'debug.instrumnt'", "did you mean 'debug.instrument'?"}},
    {"CodeletFileThatThereIsNot",
     [](Case &c) { c.graph.addCodelets("missing.cpp"); },
     {"missing.cpp", "cannot be opened", "looked for /"}},
    {"MisspeltVertex",
     [](Case &c) { c.vertex("Doubel"); },
     {"no codelet 'Doubel' was added", "did you mean 'Double'?"}},
    {"TemplateWithoutArgument", [](Case &c) { c.vertex("Typed"); }, {"there is 'Typed<float>'"}},
    {"FieldThatThereIsNot",
     [](Case &c) { c.graph.connect(c.vertex()["inn"], c.a); },
     {"has no field 'inn'", "'in'", "'out'"}},
    {"FieldOfAnotherType",
     [](Case &c) { c.graph.connect(c.vertex()["in"], c.graph.addVariable(HALF, {8}, "halves")); },
     {"expected elements of type float, given a half tensor of shape {8}"}},
    {"FieldThatIsNotConnected",
     [](Case &c) {
       c.graph.connect(c.vertex()["in"], c.a);
       Engine(c.graph, Execute(c.cs));
     },
     {"field 'out' of vertex 'Double' in compute set 'cs'", "is not connected",
      "Graph::connect()"}},
    {"TwoVerticesThatWriteOneElement",
     [](Case &c) {
       for (int i = 0; i < 2; ++i) {
         const VertexRef v = c.vertex();
         c.graph.connect(v["in"], c.a);
         c.graph.connect(v["out"], c.b);
       }
       Engine(c.graph, Execute(c.cs));
     },
     {"writes element 0 of variable 'b'", "use two compute sets"}},
    {"StreamThatIsNotConnected",
     [](Case &c) { c.loaded(Copy(c.graph.addHostToDeviceFIFO("images", FLOAT, 8), c.a)).run(); },
     {"stream 'images'", "nothing is connected; call Engine::connectStream('images', ...)"}},
    {"MisspeltStream",
     [](Case &c) {
       float row[8];
       Engine engine = c.loaded(Copy(c.graph.addHostToDeviceFIFO("images", FLOAT, 8), c.a));
       engine.connectStream("image", row);
     },
     {"there is no stream 'image'", "did you mean 'images'?"}},
    {"EngineThatIsNotLoaded",
     [](Case &c) { Engine(c.graph, Copy(c.a, c.b)).run(); },
     {"the engine is not loaded; call Engine::load() first"}},
    {"DeviceOfAnotherKind",
     [](Case &c) {
       Engine engine(c.graph, Copy(c.a, c.b));
       IPUModel other;
       other.tilesPerIPU = 2;
       Device device = other.createDevice();
       device.attach();
       engine.load(device);
     },
     {"the program is for 1 IPU_MODEL of 4 tiles, but the device has 1 IPU_MODEL of 2",
      "Device::getTarget"}},
    {"WildWrite",
     [](Case &c) {
       c.graph.connect(c.vertex("Wild")["out"], c.a);
       c.loaded(Execute(c.cs)).run();
     },
     {"ipu 0, tile 0, worker 0: vertex 'Wild' of compute set 'cs' failed: bad memory access",
      "copse check", "copse debug"}},
    {"WildWriteOfCodeWithLineTables",
     [](Case &c) {
       const TemporaryFolder folder;
       const std::string path = folder.path() / "stray.cpp";
       std::ofstream(path) << "#include <poplar/Vertex.hpp>\n"
                              "struct Stray : poplar::Vertex {\n"
                              "  poplar::Output<float> out;\n"
                              "  bool compute() {\n"
                              "    *(volatile int *)(16) = 1;\n"
                              "    return true;\n"
                              "  }\n"
                              "};\n";
       c.graph.addCodelets(path, CodeletFileType::Auto, "-g");
       c.graph.connect(c.vertex("Stray")["out"], c.a[0]);
       c.loaded(Execute(c.cs)).run();
     },
     {"vertex 'Stray' of compute set 'cs' failed at /", "/stray.cpp:5: bad memory access",
      "copse check"}},
    {"ExceptionOfACodelet",
     [](Case &c) {
       c.graph.connect(c.vertex("Throws")["out"], c.a);
       c.loaded(Execute(c.cs)).run();
     },
     {"vertex 'Throws'",
      "an exception that it did not catch: std::out_of_range: basic_string::at"}},
    {"MemoryOfATile",
     [](Case &c) {
       const Tensor big = c.variable("big", 1'000'000);
       Engine(c.graph, Copy(big.slice(0, 8), c.a));
     },
     {"tile 0 needs ", "map the variables over more tiles", "big"}},
};

std::optional<std::string> messageOf(const Row &row) {
  Case c;
  try {
    row.mistake(c);
  } catch (const std::exception &error) {
    return error.what();
  }
  return {};
}

class Messages : public ::testing::TestWithParam<Row> {};

TEST_P(Messages, NameTheFaultAndTheRemedy) {
  const Row &row = GetParam();
  const auto message = messageOf(row);
  ASSERT_TRUE(message) << "nothing was thrown";
  for (const char *const words : row.says)
    EXPECT_THAT(*message, HasSubstr(words));
  EXPECT_THAT(*message, Not(HasSubstr("''"))) << "a name that is none";
}

INSTANTIATE_TEST_SUITE_P(Table, Messages, ::testing::ValuesIn(kRows),
                         [](const auto &p) { return std::string(p.param.name); });

} // namespace
} // namespace copse::test
