// What a program asks after a run: trees of values, summaries, intervals, times.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <pva/pva.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

int main(int argc, char **argv) {
  Device device = check::device(argc, argv);
  Graph graph(device);
  graph.addCodelets("adder_codelets.cpp");
  Tensor x = graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR, "x");
  graph.setInitialValue(x.slice(0, 2), ArrayRef<float>({1, 2}));
  ComputeSet cs = graph.addComputeSet("add");
  VertexRef v = graph.addVertex(cs, "AdderVertex", {{"x", x[0]}, {"y", x[1]}, {"sum", x[2]}});
  graph.setTileMapping(v, 0);
  graph.setPerfEstimate(v, 77, 1);
  Sequence timed{Execute(cs)};

  Engine engine(graph, timed, OptionFlags{{"debug.instrument", "true"}});
  std::ostringstream summary, json;
  engine.printProfileSummary(summary); // the graph's part is there before a run
  engine.load(device);
  const auto start = engine.getTimeStamp();
  engine.run(0);
  engine.reportTiming(start, engine.getTimeStamp());

  ProfileValue graphProfile = engine.getGraphProfile();
  ProfileValue executionProfile = engine.getExecutionProfile();
  OptionFlags options{{"showExecutionSteps", "true"}, {"showVarStorage", "true"}};
  printProfileSummary(summary, graphProfile, executionProfile, options);
  engine.printProfileSummary(summary, options);
  serializeToJSON(json, graphProfile, true);
  serializeToJSON(json, executionProfile);
  std::ostringstream intervals, dot;
  engine.reportIntervals(intervals);
  graph.outputComputeGraph(dot, {timed});
  graph.outputVertexGraph(dot, {timed});
  const auto report = engine.getReport();
  if (report.compilation().graph().numVertices() != 1)
    return check::failed("the number of vertices");
  return summary.str().empty() || json.str().empty() || dot.str().empty() ||
         dot.str().find("add") == std::string::npos;
}
