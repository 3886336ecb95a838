#include "devices.hpp"

#include <cmath>
#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

class PrintedTensors : public OnEveryDevice {};
INSTANTIATE_TEST_SUITE_P(Devices, PrintedTensors, ::testing::ValuesIn(kDevices), deviceName);

TEST_P(PrintedTensors, ShowTitleAndValues) {
  const Tensor x = variable(FLOAT, {2, 2}, "x");
  graph_.setInitialValue(x, ArrayRef<float>{1, 2.5f, -3, 0.1f});
  Engine engine = load(PrintTensor("x", x));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.run();
  EXPECT_EQ(out.str(), "x: [\n [ 1.0000000  2.5000000]\n [-3.0000000  0.1000000]\n]\n");
}

TEST_P(PrintedTensors, UseTheSizesOfTheDevicesTypes) {
  const Tensor l = variable(LONG, {3}, "l"), u = variable(UNSIGNED_LONG, {2}, "u");
  graph_.setInitialValue(l, ArrayRef<int>{-1, 2, -3});
  graph_.setInitialValue(u, 7);
  const Tensor h = variable(HALF, {2}, "h");
  graph_.setInitialValue(h, 1.5f);
  Engine engine = load(Sequence({PrintTensor("l", l), PrintTensor("u", u), PrintTensor("h", h)}));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.run();
  EXPECT_EQ(out.str(), "l: [-1  2 -3]\nu: [7 7]\nh: [1.5000000 1.5000000]\n");
}

TEST_P(PrintedTensors, ArePrintedInOrderEachTime) {
  const Tensor x = variable(INT, {2}, "x");
  Engine engine = load(Repeat(2, Sequence({PrintTensor("a", x), PrintTensor("b", x[0])})));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.run();
  EXPECT_EQ(out.str(), "a: [0 0]\nb: 0\na: [0 0]\nb: 0\n");
}

using Float = PrintTensorFmt::FloatFormat;

/// A format and the text of a constant in it.
struct FormatCase {
  const char *name;
  std::vector<std::size_t> shape;
  std::vector<float> values; ///< repeated over the shape
  PrintTensorFmt format;
  std::string text;
} const kFormats[] = {
    {"DigitsCountThoseBeforeThePoint",
     {3},
     {123.25f, -1, 0},
     {},
     "[123.25000  -1.00000   0.00000]"},
    {"LargeNumbersAreScientific", {2}, {1e9f, 1}, {}, "[1.0000000e+09 1.0000000e+00]"},
    {"SmallNumbersAreScientific", {2}, {1e-5f, -1}, {}, "[ 9.9999997e-06 -1.0000000e+00]"},
    {"ZerosAreFixed", {2}, {0, 0}, {}, "[0.0000000 0.0000000]"},
    {"InfinitiesAndNaNsDoNotCount",
     {3},
     {INFINITY, 0.5f, NAN},
     {},
     "[      inf 0.5000000       nan]"},
    {"FewerDigits", {2}, {1.25f, 2}, {1000, 3, 75, 3}, "[1.25 2.00]"},
    {"NoDigitsAreAsShortAsCanBe", {2}, {1.25f, -2}, {1000, 3, 75, 0}, "[1.25 -2]"},
    {"FixedIfAsked", {2}, {1e9f, 1}, {1000, 3, 75, 4, Float::Fixed}, "[1000000000          1]"},
    {"ScientificIfAsked", {1}, {1.5f}, {1000, 3, 75, 3, Float::Scientific}, "[1.50e+00]"},
    {"AsStreamsDoIfAsked", {2}, {1.5f, 1e9f}, {1000, 3, 75, 8, Float::None}, "[  1.5 1e+09]"},
    {"OtherBracketsAndSeparators",
     {2, 1},
     {1, 2},
     {1000, 3, 75, 1, Float::Auto, ',', '{', '}'},
     "{\n {1}\n {2}\n}"},
    {"LongRowsContinue", {5}, {1}, {1000, 3, 7, 1}, "[1 1 1\n 1 1]"},
    {"LongRowsEndInTheirSeparator", {4}, {1}, {1000, 3, 6, 1, Float::Auto, ','}, "[1,1,\n 1,1]"},
    {"EdgesOfLargeTensors",
     {2, 9},
     {0, 1, 2, 3, 4, 5, 6, 7, 8},
     {17, 2, 75, 1},
     "[\n [0 1 ... 7 8]\n [0 1 ... 7 8]\n]"},
    {"EdgesOfEachDimension",
     {5, 2},
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
     {9, 1, 75, 1},
     "[\n [0 1]\n ...\n [8 9]\n]"},
    {"NoEdgesOfSmallTensors", {9}, {7}, {9, 1, 75, 1}, "[7 7 7 7 7 7 7 7 7]"},
    {"AllIfNoThreshold", {4}, {7}, {0, 1, 75, 1}, "[7 7 7 7]"},
};

class PrintFormats : public ::testing::TestWithParam<FormatCase> {};
INSTANTIATE_TEST_SUITE_P(Tensors, PrintFormats, ::testing::ValuesIn(kFormats),
                         [](const auto &p) { return p.param.name; });

/// Returns the text that a program prints on a model.
std::string printedBy(Graph &graph, const Device &device, const Program &program) {
  Engine engine(graph, program);
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.load(device);
  engine.run();
  return out.str();
}

TEST_P(PrintFormats, DetermineTheLayoutOfNumbers) {
  const FormatCase &c = GetParam();
  const Device device = IPUModel().createDevice();
  Graph graph(device);
  std::size_t elements = 1;
  for (const std::size_t size : c.shape)
    elements *= size;
  std::vector<float> values;
  for (std::size_t i = 0; i < elements; ++i)
    values.push_back(c.values[i % c.values.size()]);
  const Tensor t = graph.addConstant(FLOAT, c.shape, values);
  graph.setTileMapping(t, 0);
  EXPECT_EQ(printedBy(graph, device, PrintTensor("t", t, c.format)), "t: " + c.text + "\n");
}

TEST(PrintedTensorEdges, AreShownForMoreThanAThousandElements) {
  const Device device = IPUModel().createDevice();
  Graph graph(device);
  std::vector<int> values(1001);
  std::iota(values.begin(), values.end(), 0);
  const Tensor t = graph.addConstant(INT, {1001}, values);
  graph.setTileMapping(t, 0);
  EXPECT_EQ(printedBy(graph, device, PrintTensor("t", t)),
            "t: [   0    1    2 ...  998  999 1000]\n");
  const auto whole = printedBy(graph, device, PrintTensor("t", t.slice(0, 1000)));
  EXPECT_THAT(whole, ::testing::HasSubstr(" 500 "));
}

TEST(PrintedTensorFormats, AreStoredInExecutables) {
  const Device device = IPUModel().createDevice();
  Graph graph(device);
  const Tensor t = graph.addConstant(FLOAT, {2}, 1.5f);
  graph.setTileMapping(t, 0);
  std::stringstream file;
  compileGraph(graph, {PrintTensor("t", t, PrintTensorFmt(1000, 3, 75, 2))}).serialize(file);
  Engine engine(Executable::deserialize(file));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.load(device);
  engine.run();
  EXPECT_EQ(out.str(), "t: [1.5 1.5]\n");
}

} // namespace
} // namespace copse::test
