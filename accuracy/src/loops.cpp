#include "loops.hpp"

#include "measured_program.hpp"

#include <map>
#include <sstream>

namespace copse::accuracy {

using namespace poplar;
using namespace poplar::program;

namespace {

const std::map<std::string, Type> &types() {
  static const std::map<std::string, Type> all = {{"int", INT},
                                                  {"unsigned", UNSIGNED_INT},
                                                  {"float", FLOAT},
                                                  {"half", HALF},
                                                  {"long long", LONGLONG},
                                                  {"unsigned long long", UNSIGNED_LONGLONG},
                                                  {"short", SHORT},
                                                  {"bool", BOOL}};
  return all;
}

using Fields = std::map<std::string, std::string>; ///< types by name

std::string nameOf(std::size_t loop) { return "Loop" + std::to_string(loop); }

std::string declarations(const char *kind, const Fields &fields) {
  std::string text;
  for (const auto &[name, type] : fields)
    text +=
        std::string("  ") + kind + "<Vector<" + type + ", VectorLayout::SPAN, 8>> " + name + ";\n";
  return text;
}

std::string codeletOf(const Parameters &loop, const std::string &name) {
  return "class " + name + " : public Vertex {\npublic:\n" +
         declarations("Input", loop.get<Fields>("inputs")) +
         declarations("Output", loop.get<Fields>("outputs")) + "  bool compute() {\n    " +
         loop.get<std::string>("code") + "\n    return true;\n  }\n};\n";
}

/// Returns a compute set with only this vertex, for \p turns turns.
Program run(Graph &graph, const Parameters &loop, const std::string &name, unsigned turns) {
  const std::size_t elements = turns * loop.get<std::size_t>("elements");
  const ComputeSet set = graph.addComputeSet(name);
  const VertexRef vertex = graph.addVertex(set, name);
  graph.setTileMapping(vertex, 0);
  for (const char *const kind : {"inputs", "outputs"})
    for (const auto &[field, type] : loop.get<Fields>(kind)) {
      const Tensor tensor = graph.addVariable(types().at(type), {elements}, name + "." + field);
      graph.setTileMapping(tensor, 0);
      graph.setInitialValue(tensor, 3); // divisors are not 0
      graph.connect(vertex[field], tensor);
    }
  return Execute(set);
}

} // namespace

std::vector<double> loopCycles(const std::vector<Figure> &loops) {
  if (loops.empty())
    return {};
  constexpr unsigned kFew = 4, kMany = 64;
  const nlohmann::json plain = nlohmann::json::object();
  const Machine machine(Parameters(plain), 1, [](IPUModel &model) { model.tilesPerIPU = 1; });
  Graph graph(machine.device());
  std::stringstream codelets;
  codelets << "#include <cmath>\n#include <poplar/Vertex.hpp>\n#include <ipudef.h>\n#include "
              "<ipu_builtins.h>\nusing namespace poplar;\n";
  std::vector<Parameters> parameters;
  for (const Figure &loop : loops)
    parameters.emplace_back(loop.parameters);
  for (std::size_t i = 0; i < loops.size(); ++i)
    codelets << codeletOf(parameters[i], nameOf(i));
  graph.addCodelets(codelets, "-O3");
  std::vector<Program> programs;
  for (std::size_t i = 0; i < loops.size(); ++i)
    for (const unsigned turns : {kFew, kMany})
      programs.push_back(run(graph, parameters[i], nameOf(i), turns));
  const std::vector<double> cycles = cyclesOf(machine, graph, programs);
  std::vector<double> ofATurn;
  const double workers = graph.getTarget().getNumWorkerContexts();
  for (std::size_t i = 0; i < loops.size(); ++i)
    ofATurn.push_back((cycles[2 * i + 1] - cycles[2 * i]) / (kMany - kFew) / workers);
  return ofATurn;
}

} // namespace copse::accuracy
