#include "devices.hpp"

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
  EXPECT_EQ(out.str(), "x: [[1 2.5]\n [-3 0.1]]\n");
}

TEST_P(PrintedTensors, AreReadByTheSizesOfTheDevicesTypes) {
  const Tensor l = variable(LONG, {3}, "l"), u = variable(UNSIGNED_LONG, {2}, "u");
  graph_.setInitialValue(l, ArrayRef<int>{-1, 2, -3});
  graph_.setInitialValue(u, 7);
  const Tensor h = variable(HALF, {2}, "h");
  graph_.setInitialValue(h, 1.5f);
  Engine engine = load(Sequence({PrintTensor("l", l), PrintTensor("u", u), PrintTensor("h", h)}));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.run();
  EXPECT_EQ(out.str(), "l: [-1 2 -3]\nu: [7 7]\nh: [1.5 1.5]\n");
}

TEST_P(PrintedTensors, ComeEachTimeInOrder) {
  const Tensor x = variable(INT, {2}, "x");
  Engine engine = load(Repeat(2, Sequence({PrintTensor("a", x), PrintTensor("b", x[0])})));
  std::ostringstream out;
  engine.setPrintStream(out);
  engine.run();
  EXPECT_EQ(out.str(), "a: [0 0]\nb: 0\na: [0 0]\nb: 0\n");
}

} // namespace
} // namespace copse::test
