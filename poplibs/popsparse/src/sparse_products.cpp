#include "sparse_products.hpp"

#include <algorithm>
#include <popops/Reduce.hpp>
#include <poputil/VertexTemplates.hpp>
#include <tile_work/codelet_groups.hpp>
#include <tile_work/worker_cycles.hpp>
#include <vector>

namespace popsparse {
namespace dynamic {

using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Execute;
using poplar::program::Sequence;

namespace {

Interval share(std::size_t count, std::size_t part, std::size_t parts) {
  return Interval(part * count / parts, (part + 1) * count / parts);
}

} // namespace

SparseProducts::SparseProducts(Graph &graph, const BucketPlan &plan,
                               const DebugContext &debugContext)
    : graph_(graph), plan_(plan), debugContext_(debugContext) {}

std::size_t SparseProducts::partsOf(std::size_t count) const {
  const std::size_t tiles = graph_.getTarget().getNumTiles();
  return std::max<std::size_t>(1, std::min(count, tiles / plan_.buckets));
}

unsigned SparseProducts::tileOf(std::size_t bucket, std::size_t part, std::size_t parts) const {
  return static_cast<unsigned>((bucket * parts + part) % graph_.getTarget().getNumTiles());
}

Tensor SparseProducts::metaOf(const Tensor &meta, std::size_t bucket) const {
  return meta.slice(bucket * plan_.metaPerBucket(), (bucket + 1) * plan_.metaPerBucket());
}
Tensor SparseProducts::valuesOf(const Tensor &values, std::size_t bucket) const {
  return values.slice(bucket * plan_.valuesPerBucket(), (bucket + 1) * plan_.valuesPerBucket());
}

Tensor SparseProducts::createMeta() {
  const Tensor meta = graph_.addVariable(
      poplar::UNSIGNED_SHORT, {plan_.buckets * plan_.metaPerBucket()}, {debugContext_, "metaInfo"});
  for (std::size_t b = 0; b != plan_.buckets; ++b)
    graph_.setTileMapping(metaOf(meta, b), tileOf(b, 0, partsOf(plan_.columns)));
  return meta;
}

Tensor SparseProducts::createValues(const Type &type) {
  const Tensor values = graph_.addVariable(type, {plan_.buckets * plan_.valuesPerBucket()},
                                           {debugContext_, "nzValues"});
  for (std::size_t b = 0; b != plan_.buckets; ++b)
    graph_.setTileMapping(valuesOf(values, b), tileOf(b, 0, partsOf(plan_.columns)));
  return values;
}

poplar::VertexRef SparseProducts::addVertex(ComputeSet cs, const char *name, const Type &type,
                                            unsigned tile, std::size_t columns,
                                            std::uint64_t instructions) {
  const std::string vertex = poputil::templateVertex(name, type);
  copse::tile_work::addCodeletGroup(graph_, "popsparse", "sparse_products", vertex);
  const poplar::VertexRef v = graph_.addVertex(cs, vertex);
  graph_.setInitialValue(v["columns"], static_cast<unsigned>(columns));
  graph_.setInitialValue(v["blockRows"], static_cast<unsigned>(plan_.block[0]));
  graph_.setInitialValue(v["blockColumns"], static_cast<unsigned>(plan_.block[1]));
  graph_.setTileMapping(v, tile);
  graph_.setPerfEstimate(
      v, copse::tile_work::workerCycles(graph_.getTarget(),
                                        copse::tile_work::kVertexInstructions + instructions));
  return v;
}

Tensor SparseProducts::sum(const Tensor &partial, const Type &type, Sequence &prog) {
  return popops::reduce(graph_, partial, type, {0}, popops::Operation::ADD, prog,
                        {debugContext_, "sum"});
}

Tensor SparseProducts::product(const Tensor &meta, const Tensor &values, const Tensor &dense,
                               bool transposed, Sequence &prog) {
  const std::size_t rows = transposed ? plan_.columns : plan_.rows, n = dense.dim(1);
  if (n == 0)
    return graph_.addVariable(dense.elementType(), {rows, n}, debugContext_);
  const std::size_t parts = partsOf(n);
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "product"});
  std::vector<Tensor> partials;
  for (std::size_t p = 0; p != parts; ++p) {
    const Interval columns = share(n, p, parts);
    const Tensor partial = graph_.addVariable(poplar::FLOAT, {plan_.buckets, rows, columns.size()},
                                              {debugContext_, "partials"});
    const Tensor in = dense.slice(columns, 1).flatten();
    const std::uint64_t most =
        copse::tile_work::largestWorkerShare(graph_.getTarget(), columns.size(), 1);
    for (std::size_t b = 0; b != plan_.buckets; ++b) {
      const unsigned tile = tileOf(b, p, parts);
      graph_.setTileMapping(partial[b], tile);
      // Each value has a row and a column, and takes two instructions for each column.
      const auto v =
          addVertex(cs, "popsparse::SparseProduct", values.elementType(), tile, columns.size(),
                    plan_.valuesPerBucket() * (6 + 2 * most) + rows * most);
      graph_.connect(v["meta"], metaOf(meta, b));
      graph_.connect(v["values"], valuesOf(values, b));
      graph_.connect(v["dense"], in);
      graph_.connect(v["out"], partial[b].flatten());
      graph_.setInitialValue(v["transposed"], transposed);
    }
    partials.push_back(partial);
  }
  prog.add(Execute(cs, debugContext_));
  return sum(poplar::concat(partials, 2), dense.elementType(), prog);
}

Tensor SparseProducts::gradient(const Tensor &meta, const Tensor &a, const Tensor &b,
                                Sequence &prog) {
  const std::size_t n = a.dim(1), parts = partsOf(n), values = plan_.valuesPerBucket();
  const Tensor partial = graph_.addVariable(poplar::FLOAT, {parts, plan_.buckets, values},
                                            {debugContext_, "partials"});
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "gradient"});
  const std::uint64_t most =
      copse::tile_work::largestWorkerShare(graph_.getTarget(), plan_.blocksPerBucket, 1);
  for (std::size_t p = 0; p != parts; ++p) {
    const Interval columns = share(n, p, parts);
    const Tensor left = a.slice(columns, 1).flatten(), right = b.slice(columns, 1).flatten();
    for (std::size_t bucket = 0; bucket != plan_.buckets; ++bucket) {
      const unsigned tile = tileOf(bucket, p, parts);
      const Tensor out = partial[p][bucket];
      graph_.setTileMapping(out, tile);
      const auto v = addVertex(cs, "popsparse::SparseGradient", a.elementType(), tile,
                               columns.size(), most * plan_.blockSize() * (8 + 2 * columns.size()));
      graph_.connect(v["meta"], metaOf(meta, bucket));
      graph_.connect(v["byRow"], left);
      graph_.connect(v["byColumn"], right);
      graph_.connect(v["out"], out);
    }
  }
  prog.add(Execute(cs, debugContext_));
  return sum(partial.flatten(1, 3), a.elementType(), prog);
}

Tensor SparseProducts::lookup(const Tensor &meta, const Tensor &values, const Tensor &indices,
                              Sequence &prog) {
  const std::size_t n = indices.numElements();
  const Type type = values.elementType();
  const Tensor partial =
      graph_.addVariable(type, {plan_.buckets, n, plan_.columns}, {debugContext_, "partials"});
  if (n == 0)
    return partial[0];
  const std::size_t parts = partsOf(n);
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "lookup"});
  for (std::size_t p = 0; p != parts; ++p) {
    const Interval lookups = share(n, p, parts);
    const std::uint64_t most =
        copse::tile_work::largestWorkerShare(graph_.getTarget(), lookups.size(), 1);
    for (std::size_t b = 0; b != plan_.buckets; ++b) {
      const unsigned tile = tileOf(b, p, parts);
      const Tensor out = partial[b].slice(lookups);
      graph_.setTileMapping(out, tile);
      const auto v = addVertex(cs, "popsparse::SparseLookup", type, tile, plan_.columns,
                               most * (plan_.columns + 4 * plan_.blocksPerBucket));
      graph_.connect(v["meta"], metaOf(meta, b));
      graph_.connect(v["values"], valuesOf(values, b));
      graph_.connect(v["indices"], indices.slice(lookups));
      graph_.connect(v["out"], out.flatten());
    }
  }
  prog.add(Execute(cs, debugContext_));
  return sum(partial, type, prog);
}

Tensor SparseProducts::lookupGradient(const Tensor &meta, const Tensor &slices,
                                      const Tensor &indices, Sequence &prog) {
  const std::size_t n = indices.numElements(), parts = partsOf(n);
  const Tensor partial = graph_.addVariable(
      poplar::FLOAT, {parts, plan_.buckets, plan_.valuesPerBucket()}, {debugContext_, "partials"});
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "lookupGradient"});
  const std::uint64_t most =
      copse::tile_work::largestWorkerShare(graph_.getTarget(), plan_.blocksPerBucket, 1);
  for (std::size_t p = 0; p != parts; ++p) {
    const Interval lookups = share(n, p, parts);
    for (std::size_t b = 0; b != plan_.buckets; ++b) {
      const unsigned tile = tileOf(b, p, parts);
      const Tensor out = partial[p][b];
      graph_.setTileMapping(out, tile);
      const auto v = addVertex(cs, "popsparse::SparseLookupGradient", slices.elementType(), tile,
                               plan_.columns,
                               most * (plan_.blockSize() + lookups.size() * (3 + plan_.block[1])));
      graph_.connect(v["meta"], metaOf(meta, b));
      graph_.connect(v["slices"], slices.slice(lookups).flatten());
      graph_.connect(v["indices"], indices.slice(lookups));
      graph_.connect(v["out"], out);
    }
  }
  prog.add(Execute(cs, debugContext_));
  return sum(partial.flatten(1, 3), poplar::FLOAT, prog);
}

} // namespace dynamic
} // namespace popsparse
