// Names that libraries on top of Poplar find in the headers that they include: Graph.hpp,
// Tensor.hpp and DebugContext.hpp, without Program.hpp (compiled only, also as C++11).
#include <iostream>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/VectorLayout.hpp>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>

namespace library {

// Programs are passed on.
poplar::Tensor copied(poplar::Graph &graph, poplar::program::Sequence &prog,
                      std::vector<poplar::program::Copy> &copies);

// A value of a debug record, by a template that others specialise.
template <typename T> poplar::ProfileValue toProfileValue(const T &t);
template <> poplar::ProfileValue toProfileValue(const unsigned &t);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Sequence &t);
template <typename T> poplar::ProfileValue toProfileValue(const std::vector<T> &list) {
  poplar::ProfileValue::Map values;
  for (std::size_t i = 0; i < list.size(); ++i)
    values.insert({std::to_string(i), toProfileValue(list[i])});
  return values;
}
poplar::ProfileValue recorded(const std::vector<unsigned> &list) { return toProfileValue(list); }

// Returns names below the caller's.
poplar::DebugContext below(const poplar::DebugContext &context) {
  poplar::DebugContext named{context, "name"};
  std::cout << context << std::setw(3) << poplar::DebugNameAndId("x");
  return {named, std::string("part")};
}
poplar::Tensor made(poplar::Graph &graph, const poplar::DebugContext &debugContext) {
  return graph.addVariable(poplar::FLOAT, {2}, {debugContext, "made"});
}

// Trace points with and without an end of the label.
void traced(pvti::TraceChannel *channel, const char *label, std::size_t length) {
  const pvti::Metadata more("more");
  pvti::Tracepoint whole(channel, label), part(channel, label, length),
      rich(channel, "label", 5, &more);
}

// Sizes mix with std::size_t.
std::size_t grain(const poplar::Target &target, const poplar::Type &type) {
  const std::size_t atom = std::max(target.getAtomicStoreGranularity(), target.getTypeSize(type));
  return std::max(1UL, target.getDataPathWidth() / (8 * atom));
}
using ByTarget = std::map<poplar::Target, std::size_t>;

bool smallConstant(const poplar::Tensor &t) {
  unsigned value = 0;
  t.outputRegions(std::cout);
  return t.getConstantValue(&value) && value < 4;
}

bool plainFloat(const poplar::TypeTraits &traits) {
  return traits.isFloat && !traits.isIntegral && traits.isSigned;
}

bool counted(const poplar::layout::Vector &layout) {
  return layout == poplar::layout::Vector::Span;
}

} // namespace library
