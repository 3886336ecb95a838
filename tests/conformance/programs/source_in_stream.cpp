// Codelets whose source is put together while the program runs.
#include "check.hpp"

#include <iostream>
#include <poplar/Engine.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace poplar;

std::string unarySource(const std::string &name, const std::string &expression) {
  std::stringstream text;
  text << "#include <poplar/Vertex.hpp>\n#include <cmath>\n"
       << "using namespace poplar;\n"
       << "template <typename T> class " << name << " : public Vertex {\n"
       << "public:\n  Input<Vector<T, VectorLayout::ONE_PTR>> in;\n"
       << "  Output<Vector<T>> out;\n"
       << "  bool compute() {\n    for (unsigned i = 0; i < out.size(); ++i) {\n"
       << "      const T x = in[i];\n      out[i] = " << expression << ";\n    }\n"
       << "    return true;\n  }\n};\n"
       << "template class " << name << "<float>;\ntemplate class " << name << "<int>;\n";
  return text.str();
}

int main(int argc, char **argv) {
  const Device device = check::device(argc, argv);
  Graph graph(device.getTarget());
  if (!graph.hasCodelet("Cube<float>")) {
    std::stringstream cube(unarySource("Cube", "x * x * x"));
    graph.addCodelets(cube);
  }
  std::stringstream twice(unarySource("Twice", "x + x"));
  std::ostringstream messages;
  graph.addCodelets(twice, "-O2", messages, CodeletFileType::CppSource);
  if (!graph.hasCodelet("Cube<float>") || !graph.hasCodelet("Twice<int>") ||
      graph.hasCodelet("Twice<half>"))
    return check::failed("hasCodelet");

  std::vector<int> values = {-3, 0, 2, 7};
  Tensor in = graph.addConstant<int>(INT, {4}, values);
  Tensor mid = graph.addVariable(INT, {4}, "mid"), out = graph.addVariable(INT, {4}, "out");
  for (const Tensor &t : {in, mid, out})
    graph.setTileMapping(t, 0);
  program::Sequence prog;
  const auto apply = [&](const std::string &name, const Tensor &from, const Tensor &to) {
    ComputeSet cs = graph.addComputeSet({name});
    VertexRef v = graph.addVertex(cs, name + "<" + from.elementType().toString() + ">");
    graph.connect(v["in"], from);
    graph.connect(v["out"], to);
    graph.setTileMapping(v, 0);
    prog.add(program::Execute(cs));
  };
  apply("Cube", in, mid);
  apply("Twice", mid, out);
  graph.createHostRead("out", out);
  Engine engine(graph, prog);
  engine.loadAndRun(device);
  std::vector<int> result(4);
  engine.readTensor("out", result.data(), result.data() + result.size());
  for (auto &x : values)
    x = 2 * x * x * x;
  return check::differences("out", result, values);
}
