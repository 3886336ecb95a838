// Both namespaces at once, in a source that only runs engines: Engine.hpp declares pva::Report, and
// brings nothing else of pva.
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

using namespace pva;
using namespace poplar;

ComputeSet one(Graph &graph) { return graph.addComputeSet("one"); }
