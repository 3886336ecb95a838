// Chains of views, checked on the host: what the device reads through them is what index arithmetic
// says.
#include "check.hpp"

#include <numeric>
#include <poplar/Engine.hpp>

using namespace poplar;

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  const Tensor t = graph.addVariable(INT, {2, 3, 4}, VariableMappingMethod::LINEAR, "t");
  const auto at = [](std::size_t i, std::size_t j, std::size_t k) {
    return static_cast<int>((i * 3 + j) * 4 + k);
  };
  graph.createHostWrite("t", t);

  struct Case {
    std::string name;
    Tensor view;
    std::vector<std::size_t> shape;
    std::vector<int> expected;
  };
  std::vector<Case> cases;
  std::vector<int> shuffled, halves, patches;
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        shuffled.push_back(at(i, j, k));
  cases.push_back({"dimShuffle", t.dimShuffle({2, 0, 1}), {4, 2, 3}, shuffled});
  cases.push_back({"dimRoll", t.dimRoll(2), {4, 2, 3}, shuffled});
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k : {2, 3, 0, 1})
        halves.push_back(at(i, j, k));
  cases.push_back(
      {"halves", concat(t.slice(2, 4, 2), t.slice({0, 0, 0}, {2, 3, 2}), 2), {2, 3, 4}, halves});
  const auto parts = t[1].slices({{0, 1}, {2, 4}}, 1);
  patches = {at(1, 0, 2), at(1, 0, 3), at(1, 0, 0), at(1, 1, 2), at(1, 1, 3),
             at(1, 1, 0), at(1, 2, 2), at(1, 2, 3), at(1, 2, 0)};
  cases.push_back({"slices", concat({parts[1], parts[0]}, 1), {3, 3}, patches});
  cases.push_back({"column",
                   t.index({0}).transpose()[3].expand({0, 1}),
                   {1, 3, 1},
                   {at(0, 0, 3), at(0, 1, 3), at(0, 2, 3)}});
  cases.push_back(
      {"corner", t[0][0].slice(0, 2).broadcast(2, 0).reshape({2, 2}).flatten(), {4}, {0, 1, 0, 1}});
  cases.push_back({"every other",
                   t.reverse(1).subSample(2, 2).slice(Interval(0, 1), 1).squeeze({1}),
                   {2, 2},
                   {at(0, 2, 0), at(0, 2, 2), at(1, 2, 0), at(1, 2, 2)}});
  cases.push_back({"appended",
                   append(t[0].slice(0, 1), t[1][2]),
                   {2, 4},
                   {at(0, 0, 0), 1, 2, 3, at(1, 2, 0), at(1, 2, 1), at(1, 2, 2), at(1, 2, 3)}});
  cases.push_back(
      {"picked",
       concat(t.slices(ArrayRef<unsigned>{1u, 0u})).slice(0, 1)[0].reshapePartial(0, 2, {4, 3})[0],
       {3},
       {at(1, 0, 0), at(1, 0, 1), at(1, 0, 2)}});
  cases.push_back(
      {"upsampled", t[0][0].upsample(2, 0, UpsampleMethod::REPEAT), {8}, {0, 0, 1, 1, 2, 2, 3, 3}});

  int wrong = 0;
  for (const Case &c : cases) {
    graph.createHostRead(c.name, c.view);
    if (c.view.shape() != c.shape) {
      wrong += check::failed((c.name + ": shape " + c.view.shapeToString()).c_str());
      return wrong;
    }
  }
  Engine engine(graph, program::Sequence{});
  engine.load(device);
  std::vector<int> values(t.numElements());
  std::iota(values.begin(), values.end(), 0);
  engine.writeTensor("t", values.data(), values.data() + values.size());
  for (const Case &c : cases) {
    std::vector<int> read(c.expected.size());
    engine.readTensor(c.name, read.data(), read.data() + read.size());
    wrong += check::differences(c.name.c_str(), read, c.expected);
  }
  return wrong;
}
