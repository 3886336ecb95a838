#include "hazards.hpp"

#include "graph/variable_text.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace copse::compiler {

using graph::Run;
using popc::FieldDirection;

namespace {

/// One run of one edge, with its range of elements.
struct Access {
  graph::VariableId variable;
  std::uint64_t begin, end;
  const Run *run;
  std::uint32_t edge, vertex;
  bool write;
};

/// One element of an access.
struct Touch {
  std::uint64_t element;
  std::uint32_t vertex, edge;
  bool write;
};

std::pair<std::uint64_t, std::uint64_t> spanOf(const Run &run) {
  const std::uint64_t last =
      run.begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(run.count - 1) * run.stride);
  return {std::min(run.begin, last), std::max(run.begin, last) + 1};
}

std::uint64_t elementAt(const Run &run, std::uint64_t i) {
  return run.begin + static_cast<std::uint64_t>(static_cast<std::int64_t>(i) * run.stride);
}

/// Checks every element, because ranges in \p cluster overlap and some are written.
void checkCluster(const graph::Model &model, std::span<const Access> cluster) {
  std::vector<Touch> touches;
  for (const Access &access : cluster)
    for (std::uint64_t i = 0; i < access.run->count; ++i)
      touches.push_back({elementAt(*access.run, i), access.vertex, access.edge, access.write});
  std::sort(touches.begin(), touches.end(), [](const Touch &a, const Touch &b) {
    return std::tie(a.element, b.write, a.vertex) < std::tie(b.element, a.write, b.vertex);
  });
  const Touch *writer = nullptr;
  for (const Touch &touch : touches) {
    if (writer && writer->element != touch.element)
      writer = nullptr;
    if (writer && writer->vertex != touch.vertex) {
      const auto name = [&](const Touch &t) {
        return Where(model, t.vertex, model.edges[t.edge].field).text();
      };
      throw poplar::graph_cycle_error(
          name(*writer) + " writes element " + std::to_string(touch.element) + " of variable '" +
          model.variables[cluster.front().variable].name + "', and " + name(touch) +
          " of another vertex " + (touch.write ? "writes" : "reads") +
          " it in the same compute set; use two compute sets");
    }
    if (!writer && touch.write)
      writer = &touch;
  }
}

void checkComputeSet(const graph::Model &model, const VertexIndex &index, std::uint32_t set) {
  std::vector<Access> accesses;
  for (const std::uint32_t vertex : index.vertices[set])
    for (const std::uint32_t e : index.edges[vertex]) {
      const graph::Edge &edge = model.edges[e];
      const auto direction =
          model.vertexTypes[model.vertices[vertex].type].fields[edge.field].direction;
      const std::span<const Run> runs(model.runs.data() + edge.runs.first, edge.runs.count);
      const bool write = direction == FieldDirection::Output || direction == FieldDirection::InOut;
      if (write)
        checkWritable(model, runs, {model, vertex, edge.field});
      for (const Run &run : runs) {
        const auto [begin, end] = spanOf(run);
        accesses.push_back({run.variable, begin, end, &run, e, vertex, write});
      }
    }
  std::sort(accesses.begin(), accesses.end(), [](const Access &a, const Access &b) {
    return std::tie(a.variable, a.begin) < std::tie(b.variable, b.begin);
  });
  // A cluster is a maximal group of accesses whose ranges overlap directly or transitively.
  for (std::size_t first = 0; first < accesses.size();) {
    std::size_t last = first;
    std::uint64_t end = accesses[first].end;
    bool write = false, severalVertices = false;
    for (; last < accesses.size() && accesses[last].variable == accesses[first].variable &&
           (last == first || accesses[last].begin < end);
         ++last) {
      end = std::max(end, accesses[last].end);
      write = write || accesses[last].write;
      severalVertices = severalVertices || accesses[last].vertex != accesses[first].vertex;
    }
    if (write && severalVertices)
      checkCluster(model, std::span(accesses).subspan(first, last - first));
    first = last;
  }
}

} // namespace

void checkNotConstant(const graph::Model &model, std::span<const Run> runs, const Where &what) {
  for (const Run &run : runs)
    if (model.variables[run.variable].constant)
      throw poplar::graph_connection_error(what.text() + " writes " +
                                           graph::variableText(model.variables[run.variable]) +
                                           "; copy it to a variable first");
}

void checkWritable(const graph::Model &model, std::span<const Run> runs, const Where &what) {
  checkNotConstant(model, runs, what);
  std::vector<const Run *> sorted;
  bool mayRepeat = false;
  for (const Run &run : runs) {
    mayRepeat = mayRepeat || (run.stride == 0 && run.count > 1);
    sorted.push_back(&run);
  }
  std::sort(sorted.begin(), sorted.end(), [](const Run *a, const Run *b) {
    return std::tuple(a->variable, spanOf(*a).first) < std::tuple(b->variable, spanOf(*b).first);
  });
  for (std::size_t i = 1; i < sorted.size(); ++i)
    mayRepeat = mayRepeat || (sorted[i]->variable == sorted[i - 1]->variable &&
                              spanOf(*sorted[i]).first < spanOf(*sorted[i - 1]).second);
  if (!mayRepeat)
    return;
  std::vector<std::pair<graph::VariableId, std::uint64_t>> elements;
  for (const Run &run : runs)
    for (std::uint64_t i = 0; i < run.count; ++i)
      elements.emplace_back(run.variable, elementAt(run, i));
  std::sort(elements.begin(), elements.end());
  const auto twice = std::adjacent_find(elements.begin(), elements.end());
  if (twice != elements.end())
    throw poplar::graph_connection_error(
        what.text() + " writes element " + std::to_string(twice->second) + " of variable '" +
        model.variables[twice->first].name + "' more than once; it needs a tensor without aliases");
}

void checkComputeSetHazards(const graph::Model &model, const VertexIndex &index) {
  for (std::uint32_t set = 0; set < model.computeSets.size(); ++set)
    checkComputeSet(model, index, set);
}

} // namespace copse::compiler
