#include "reduce_vertices.hpp"

#include "popops/OperationDefUtil.hpp"
#include "poputil/VertexTemplates.hpp"
#include "shared_words.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>

namespace copse::reductions {

using poplar::ComputeSet;
using poplar::Tensor;
using popops::Operation;

void ReductionVertices::add(ComputeSet cs, const ReductionWork &work, Operation op) {
  addOrPostpone(cs, {work, op, work.out.numElements() == 1 ? Kind::OnWorker : Kind::Shared});
}

void ReductionVertices::addPart(ComputeSet cs, const ReductionWork &work, Operation op) {
  addOrPostpone(cs, {work, op, Kind::OnWorker});
}

void ReductionVertices::addLast(ComputeSet cs, const ReductionWork &work, Operation op) {
  if (params_.update || params_.useScale)
    addOrPostpone(cs, {work, op, Kind::Scaled});
  else
    add(cs, work, op);
}

void ReductionVertices::addOrPostpone(ComputeSet cs, const Postponed &one) {
  const poplar::Target &target = graph_.getTarget();
  if (target.getTypeSize(one.work.out.elementType()) >= target.getAtomicStoreGranularity())
    return addOne(cs, one);
  auto &[computeSet, here] = postponed_[{cs.getId(), one.work.tile}];
  computeSet = cs;
  here.push_back(one);
}

void ReductionVertices::addPostponed() {
  for (const auto &[where, all] : postponed_) {
    const auto &[cs, here] = all;
    std::vector<Tensor> results;
    for (const Postponed &one : here)
      results.push_back(one.work.out);
    for (const std::vector<std::size_t> &group :
         groupsWithSharedWords(graph_.getTarget(), results)) {
      std::vector<Postponed> together;
      for (const std::size_t i : group)
        together.push_back(here[i]);
      together.size() == 1 ? addOne(cs, together.front()) : addSeveral(cs, together);
    }
  }
  postponed_.clear();
}

poplar::VertexRef ReductionVertices::vertex(ComputeSet cs, const std::string &name,
                                            const Postponed &one) {
  const poplar::Type in = one.work.in.elementType(), out = one.work.out.elementType();
  const std::string type = one.kind == Kind::Scaled
                               ? poputil::templateVertex(name, one.op, in, out, params_.update)
                               : poputil::templateVertex(name, one.op, in, out);
  tile_work::addCodeletGroup(graph_, "popops", "reduce", type);
  const poplar::VertexRef v = graph_.addVertex(cs, type);
  graph_.setTileMapping(v, one.work.tile);
  if (one.kind == Kind::Scaled)
    connectScale(v);
  return v;
}

void ReductionVertices::connectScale(poplar::VertexRef v) {
  if (params_.useScale)
    graph_.connect(v["scale"], params_.scale.reshape({}));
  else
    graph_.connect(v["scale"], params_.op == Operation::LOG_ADD ? 0.0f : 1.0f);
}

void ReductionVertices::addOne(ComputeSet cs, const Postponed &one) {
  const char *const name = one.kind == Kind::Scaled   ? "popops::ReduceScaled"
                           : one.kind == Kind::Shared ? "popops::Reduce"
                                                      : "popops::ReduceOnWorker";
  const poplar::VertexRef v = vertex(cs, name, one);
  graph_.connect(v["in"], one.work.in);
  graph_.connect(v["out"], one.work.out);
  graph_.setInitialValue(v["outer"], static_cast<unsigned>(one.work.outer));
  graph_.setInitialValue(v["inner"], static_cast<unsigned>(one.work.inner));
  graph_.setInitialValue(v["start"], static_cast<unsigned>(one.work.start));
  const auto cycles = [&](unsigned workers) {
    return tile_work::kVertexInstructions + instructionsOf(one, workers);
  };
  const poplar::Target &target = graph_.getTarget();
  graph_.setPerfEstimate(
      v,
      one.kind == Kind::OnWorker
          ? cycles(1)
          : tile_work::workerCycles(target, cycles(target.getNumWorkerContexts())),
      one.work.in.numElements());
}

void ReductionVertices::addSeveral(ComputeSet cs, const std::vector<Postponed> &all) {
  Postponed first = all.front();
  if (first.kind == Kind::Shared)
    first.kind = Kind::OnWorker;
  const poplar::VertexRef v = vertex(
      cs, first.kind == Kind::Scaled ? "popops::ReduceSeveralScaled" : "popops::ReduceSeveral",
      first);
  std::vector<Tensor> in, out;
  std::vector<unsigned> shapes;
  std::uint64_t instructions = tile_work::kVertexInstructions, elements = 0;
  for (const Postponed &one : all) {
    const ReductionWork &work = one.work;
    in.push_back(work.in);
    out.push_back(work.out);
    for (const std::size_t number : {work.outer, work.inner, work.start, work.out.numElements()})
      shapes.push_back(static_cast<unsigned>(number));
    instructions += instructionsOf(one, 1);
    elements += work.in.numElements();
  }
  graph_.connect(v["in"], in);
  graph_.connect(v["out"], poplar::concat(out));
  graph_.setInitialValue(v["shapes"], shapes);
  graph_.setPerfEstimate(v, instructions, elements);
}

/// Counts instructions: a load of 64 bits and an addition of a vector go together; results are
/// converted and stored.
std::uint64_t ReductionVertices::instructionsOf(const Postponed &one, unsigned workers) const {
  const std::uint64_t perLoad =
      std::max<std::uint64_t>(1, 8 / graph_.getTarget().getTypeSize(one.work.in.elementType()));
  const std::uint64_t elements = one.work.in.numElements(), results = one.work.out.numElements();
  const std::uint64_t sharers =
      std::min<std::uint64_t>(workers, std::max<std::uint64_t>(1, results));
  const std::uint64_t loads = (elements + sharers * perLoad - 1) / (sharers * perLoad);
  const std::uint64_t perVector = one.op == Operation::LOG_ADD ? 5 * perLoad : 1;
  const std::uint64_t stores = (results + sharers - 1) / sharers;
  return loads * perVector + 3 * stores;
}

} // namespace copse::reductions
