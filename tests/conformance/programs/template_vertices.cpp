// Vertices that are templates of types, numbers, truth values and enumerators; names made of types.
#include "check.hpp"

#include <functional>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <string>

using poplar::Tensor;
using poplar::Type;

namespace {

// As libraries write it: Name<arg,arg,...>
inline std::string text(const Type &type) { return type.toString(); }
inline std::string text(bool b) { return b ? "true" : "false"; }
inline std::string text(unsigned n) { return std::to_string(n); }
inline std::string text(const char *s) { return s; }
inline std::string arguments() { return ">"; }
template <typename First, typename... Rest>
std::string arguments(First first, const Rest &...rest) {
  return text(first) + (sizeof...(rest) ? "," : "") + arguments(rest...);
}
template <typename... Args>
std::string templateVertex(const std::string &name, const Args &...args) {
  return name + "<" + arguments(args...);
}

struct Case {
  const char *operation;
  bool negate;
  unsigned steps;
  std::function<int(int)> reference;
};

} // namespace

int main(int argc, char **argv) {
  const auto device = check::device(argc, argv);
  poplar::Graph graph(device.getTarget());
  graph.addCodelets("template_codelets.cpp");

  const Case cases[] = {
      {"ops::Kind::Add", false, 1, [](int x) { return x + 1; }},
      {"ops::Kind::Add", true, 3, [](int x) { return -(x + 3); }},
      {"ops::Kind::Shift", false, 2, [](int x) { return x * 4; }},
  };
  int wrong = 0;
  for (const Case &c : cases) {
    for (const Type &type : {poplar::INT, poplar::SHORT}) {
      Tensor data = graph.addVariable(type, {16}, "data");
      graph.setTileMapping(data, graph.getTarget().getNumTiles() - 1);
      std::vector<int> start(16), expected(16);
      for (int i = 0; i < 16; ++i)
        expected[i] = c.reference(start[i] = i - 8);
      graph.setInitialValue<int>(data, start);
      const auto cs = graph.addComputeSet(c.operation);
      const auto v = graph.addVertex(
          cs, templateVertex("ops::Apply", type, c.operation, c.negate, c.steps), {{"data", data}});
      graph.setTileMapping(v, graph.getTarget().getNumTiles() - 1);
      graph.createHostRead(std::string("data") + std::to_string(cs.getId()), data);
      poplar::Engine engine(graph, poplar::program::Execute(cs));
      engine.loadAndRun(device);
      std::vector<int> result(16);
      if (type == poplar::INT) {
        engine.readTensor("data" + std::to_string(cs.getId()), result.data(), result.data() + 16);
      } else {
        std::vector<short> narrow(16);
        engine.readTensor("data" + std::to_string(cs.getId()), narrow.data(), narrow.data() + 16);
        result.assign(narrow.begin(), narrow.end());
      }
      wrong += check::differences(c.operation, result, expected);
    }
  }
  return wrong;
}
