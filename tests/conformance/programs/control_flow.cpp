// Loops that depend on data, branches, a switch and functions.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Program.hpp>

using namespace poplar;
using namespace poplar::program;

const char *kSource = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
struct Collatz : public Vertex {
  InOut<unsigned> n;
  InOut<int> steps;
  bool compute() {
    *n = *n % 2 ? 3 * *n + 1 : *n / 2;
    *steps = steps + 1;
    return true;
  }
};
struct NotOne : public Vertex {
  Input<unsigned> n;
  Output<bool> out;
  bool compute() { *out = n != 1; return true; }
};
struct Dec : public Vertex {
  InOut<Vector<int>> x;
  bool compute() { for (auto &e : x) --e; return x[0] == 0; }
};
)";

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  std::stringstream source(kSource);
  graph.addCodelets(source);

  Tensor n = graph.addVariable(UNSIGNED_INT, {}, "n");
  Tensor steps = graph.addVariable(INT, {1}, "steps");
  Tensor more = graph.addVariable(BOOL, {}, "more");
  Tensor count = graph.addVariable(INT, {1}, "count");
  Tensor done = graph.addVariable(BOOL, {}, "done");
  Tensor calls = graph.addVariable(INT, {4}, "calls");
  for (const auto &t : {n, steps, more, count, done, calls})
    graph.setTileMapping(t, 0);
  graph.setInitialValue(n, 27u);
  graph.setInitialValue(steps, 0);
  graph.setInitialValue(count, 5);
  graph.setInitialValue<int>(calls, {10, 10, 10, 10});

  const auto vertexProgram = [&](const char *type,
                                 std::vector<std::pair<const char *, Tensor>> fields) {
    ComputeSet cs = graph.addComputeSet(type);
    VertexRef v = graph.addVertex(cs, type);
    for (auto &f : fields)
      graph.connect(v[f.first], f.second);
    graph.setTileMapping(v, 0);
    return cs;
  };

  Sequence main;
  // 27 takes 111 steps.
  main.add(RepeatWhileTrue(Execute(vertexProgram("NotOne", {{"n", n}, {"out", more}})), more,
                           Execute(vertexProgram("Collatz", {{"n", n}, {"steps", steps[0]}}))));
  // Ends when the vertex returns true.
  main.add(RepeatWhileFalse(Execute(vertexProgram("Dec", {{"x", count}}), done), done, Sequence()));

  Function minusOne[4];
  for (unsigned i = 0; i < 4; ++i)
    minusOne[i] = graph.addFunction(Execute(vertexProgram("Dec", {{"x", calls.slice(i, i + 1)}})));
  main.add(If(done, Repeat{7, Call(minusOne[0])}, Call(minusOne[3])));
  main.add(Switch(
      steps, {{110, Call(minusOne[3])}, {111, Sequence{Call(minusOne[1]), Call(minusOne[1])}}}));
  auto choice = Switch(count.reshape({}), Call(minusOne[2]));
  choice.add(5, Call(minusOne[3])).add(6, Call(minusOne[3]));
  main.add(choice);

  graph.createHostRead("steps", steps);
  graph.createHostRead("count", count);
  graph.createHostRead("calls", calls);
  Engine engine(graph, main);
  engine.load(device);
  engine.run();
  int s = 0, c = -1;
  std::vector<int> called(4);
  engine.readTensor("steps", &s, &s + 1);
  engine.readTensor("count", &c, &c + 1);
  engine.readTensor("calls", called.data(), &*called.end());
  return (s != 111 ? check::failed("steps") : 0) + (c != 0 ? check::failed("count") : 0) +
         check::differences("calls", called, {3, 8, 9, 10});
}
