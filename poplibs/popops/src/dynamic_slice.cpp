#include "popops/DynamicSlice.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "table_layout.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>
#include <ostream>
#include <set>
#include <tuple>

using namespace copse::slices;
using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Execute;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace popops {

class SlicePlanInternal {
public:
  bool isDefault = true;
  Type type;
  std::size_t rows = 0, columns = 0;
  std::vector<std::size_t> numLookups;
  TableRoom room;
  std::size_t columnParts = 0, rowParts = 0; ///< for people

  auto key() const {
    return std::tie(isDefault, type, rows, columns, numLookups, room.share, room.spreads,
                    columnParts, rowParts);
  }
};

namespace {

using Sizes = std::vector<std::size_t>;

// An offset is loaded and compared with the rows of the block, and the next one follows.
constexpr std::uint64_t kLookupInstructions = 6;
// Besides its vectors, a row takes its address, packed pointers, and the ends of a pipelined loop.
constexpr std::uint64_t kRowInstructions = 5;

/// Slices of one dimension: the table has that dimension first, and all others as columns.
class Table {
public:
  Table(Graph &graph, const Tensor &t, std::size_t dim)
      : graph_(graph), dim_(static_cast<unsigned>(dim)), rolled_(t.dimRoll(dim_, 0)),
        rows_(rolled_.dim(0)),
        matrix_(rolled_.reshape({rows_, rows_ == 0 ? 0 : t.numElements() / rows_})) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return matrix_.dim(1); }
  const Tensor &matrix() const { return matrix_; }
  const Type type() const { return matrix_.elementType(); }

  /// The layout that the table has, or the one that it should have.
  std::pair<TableLayout, bool> layout() const {
    const std::size_t width = widthOfFirstPart();
    const Tensor byParts =
        matrix_.reshape({rows(), columns() / width, width}).dimShuffle({1, 0, 2});
    if (auto own = layoutOf(rows(), columns(), width, graph_.getTileMapping(byParts.flatten())))
      return {std::move(*own), true};
    return {planned(graph_, type(), rows(), columns(), {}), false};
  }
  static TableLayout planned(const Graph &graph, const Type &type, std::size_t rows,
                             std::size_t columns, const TableRoom &room) {
    const poplar::Target &target = graph.getTarget();
    const auto most = static_cast<std::size_t>(room.share * target.getBytesPerTile() /
                                               static_cast<double>(target.getTypeSize(type)));
    return plannedLayout(rows, columns, target.getNumTiles(), target.getVectorWidth(type), most,
                         room.spreads);
  }

  /// [lookups, sliceRows, columns] with the table's other dimensions in their places:
  /// [lookups, ...].
  Tensor asSlices(const Tensor &slices) const {
    auto shape = rolled_.shape();
    shape.front() = slices.dim(1);
    shape.insert(shape.begin(), slices.dim(0));
    return slices.reshape(shape).dimRoll(1, dim_ + 1);
  }
  /// The inverse.
  Tensor asMatrices(const Tensor &slices) const {
    const Tensor rolled = slices.dimRoll(dim_ + 1, 1);
    return rolled.reshape({rolled.dim(0), rolled.dim(1), columns()});
  }

private:
  /// Of the first row, the columns on the tile of the first; all of them, if that does not divide
  /// them.
  std::size_t widthOfFirstPart() const {
    for (const std::vector<Interval> &tile : graph_.getTileMapping(matrix_[0]))
      if (!tile.empty() && tile.front().begin() == 0)
        return columns() % tile.front().size() == 0 ? tile.front().size() : columns();
    return columns();
  }

  Graph &graph_;
  unsigned dim_;
  Tensor rolled_;
  std::size_t rows_;
  Tensor matrix_;
};

/// A variable [leading..., columns] in whose memory the columns of a part of \p layout lie together,
/// so that what a tile has is one piece.
Tensor variableByParts(Graph &graph, const Type &type, const Sizes &leading, std::size_t columns,
                       const TableLayout &layout, const DebugContext &debugContext) {
  Sizes shape = leading;
  shape.push_back(columns);
  const std::size_t width = commonWidth(layout);
  if (width == 0)
    return graph.addVariable(type, shape, debugContext);
  std::size_t rows = 1;
  for (const std::size_t dim : leading)
    rows *= dim;
  return graph.addVariable(type, {columns / width, rows, width}, debugContext)
      .dimShuffle({1, 0, 2})
      .reshape(shape);
}

void mapTo(Graph &graph, const Tensor &matrix, const TableLayout &layout) {
  for (const ColumnPart &part : layout)
    for (const TableBlock &block : part.blocks)
      graph.setTileMapping(matrix.slice({block.rows.begin(), block.columns.begin()},
                                        {block.rows.end(), block.columns.end()}),
                           block.tile);
}

/// Slices of \p lookups lie where their columns do, shared out among the tiles that have these.
void mapSlices(Graph &graph, const Tensor &slices, const TableLayout &layout) {
  for (const ColumnPart &part : layout) {
    const Tensor columns = slices.slice(part.columns, 2);
    const auto pieces = shares(slices.dim(0), part.blocks.size());
    for (std::size_t b = 0; b != part.blocks.size(); ++b)
      graph.setTileMapping(columns.slice(pieces[b], 0), part.blocks[b].tile);
  }
}

/// Adds vertices for slices of one table.
class Rows {
public:
  /// \param wraps  slices go on at the first row
  Rows(Graph &graph, const Table &table, const Tensor &offsets, std::size_t sliceRows, bool wraps,
       const DebugContext &debugContext)
      : graph_(graph), table_(table), offsets_(offsets.flatten()), sliceRows_(sliceRows),
        wraps_(wraps), debugContext_(debugContext) {
    std::tie(layout_, inPlace_) = table.layout();
  }

  /// \param out  [lookups, sliceRows, columns]; made if it is not valid
  Tensor slice(Tensor out, Sequence &prog) {
    const Tensor matrix = inPlace_ ? table_.matrix() : laidOut(prog);
    const std::size_t lookups = offsets_.numElements();
    if (!out.valid()) {
      out = variableByParts(graph_, table_.type(), {lookups, sliceRows_}, table_.columns(), layout_,
                            {debugContext_, "slices"});
      mapSlices(graph_, out, layout_);
    }
    const ComputeSet slicing = graph_.addComputeSet({debugContext_, "slice"});
    const ComputeSet joining = graph_.addComputeSet({debugContext_, "join"});
    bool joins = false;
    for (const ColumnPart &part : layout_) {
      const Tensor to = out.slice(part.columns, 2);
      if (part.blocks.size() == 1) {
        addSlice(slicing, matrix, part.blocks.front(), to.flatten(), 1);
        continue;
      }
      joins = true;
      const std::size_t perLookup = sliceRows_ * part.columns.size();
      const Tensor partial = graph_.addVariable(
          table_.type(), {part.blocks.size(), lookups, perLookup}, {debugContext_, "partials"});
      const auto pieces = shares(lookups, part.blocks.size());
      for (std::size_t b = 0; b != part.blocks.size(); ++b) {
        graph_.setTileMapping(partial[b], part.blocks[b].tile);
        addSlice(slicing, matrix, part.blocks[b], partial[b].flatten(), part.blocks.size());
        if (pieces[b].size() != 0)
          addJoin(joining, part, partial.slice(pieces[b], 1), pieces[b], to.slice(pieces[b], 0),
                  part.blocks[b].tile);
      }
    }
    prog.add(Execute(slicing, debugContext_));
    if (joins)
      prog.add(Execute(joining, debugContext_));
    return out;
  }

  /// \param vertex  UpdateRows or CombineRows
  void update(const std::string &vertex, const Tensor &slices, const Tensor *scale,
              std::size_t instructionsPerVector, Sequence &prog) {
    const Tensor matrix = inPlace_ ? table_.matrix() : laidOut(prog);
    const ComputeSet cs = graph_.addComputeSet({debugContext_, "update"});
    copse::tile_work::addCodeletGroup(graph_, "popops", "slice", vertex);
    for (const ColumnPart &part : layout_) {
      const Tensor from = slices.slice(part.columns, 2).flatten();
      for (const TableBlock &block : part.blocks) {
        const poplar::VertexRef v =
            graph_.addVertex(cs, vertex, {{"slices", from}, {"table", blockOf(matrix, block)}});
        if (scale != nullptr)
          graph_.connect(v["scale"], *scale);
        place(v, block);
        estimate(v, part.columns.size(), part.blocks.size(), instructionsPerVector);
      }
    }
    prog.add(Execute(cs, debugContext_));
    if (!inPlace_)
      prog.add(poplar::program::Copy(matrix, table_.matrix(), false, debugContext_));
  }

private:
  /// A copy of a table that lies in no rectangles.
  Tensor laidOut(Sequence &prog) {
    const Tensor copy = variableByParts(graph_, table_.type(), {table_.rows()}, table_.columns(),
                                        layout_, {debugContext_, "table"});
    mapTo(graph_, copy, layout_);
    prog.add(poplar::program::Copy(table_.matrix(), copy, false, debugContext_));
    return copy;
  }
  static Tensor blockOf(const Tensor &matrix, const TableBlock &block) {
    return matrix
        .slice({block.rows.begin(), block.columns.begin()}, {block.rows.end(), block.columns.end()})
        .flatten();
  }
  void place(poplar::VertexRef v, const TableBlock &block) {
    graph_.connect(v["offsets"], offsets_);
    graph_.setInitialValue(v["width"], static_cast<unsigned>(block.columns.size()));
    graph_.setInitialValue(v["sliceRows"], static_cast<unsigned>(sliceRows_));
    graph_.setInitialValue(v["firstRow"], static_cast<unsigned>(block.rows.begin()));
    graph_.setInitialValue(v["rows"], static_cast<unsigned>(block.rows.size()));
    graph_.setInitialValue(v["wrapAt"], wrapAt());
    graph_.setTileMapping(v, block.tile);
  }
  void addSlice(ComputeSet cs, const Tensor &matrix, const TableBlock &block, const Tensor &out,
                std::size_t blocks) {
    const std::string vertex = poputil::templateVertex("popops::SliceRows", table_.type());
    copse::tile_work::addCodeletGroup(graph_, "popops", "slice", vertex);
    const poplar::VertexRef v =
        graph_.addVertex(cs, vertex, {{"table", blockOf(matrix, block)}, {"out", out}});
    place(v, block);
    estimate(v, block.columns.size(), blocks, 1);
  }
  /// \param partial  [blocks, lookups, elements]
  void addJoin(ComputeSet cs, const ColumnPart &part, const Tensor &partial,
               const Interval &lookups, const Tensor &out, unsigned tile) {
    const std::string vertex = poputil::templateVertex("popops::JoinSlices", table_.type());
    std::vector<unsigned> firstRows;
    for (const TableBlock &block : part.blocks)
      firstRows.push_back(static_cast<unsigned>(block.rows.begin()));
    const Tensor firsts =
        graph_.addConstant<unsigned>(poplar::UNSIGNED_INT, {firstRows.size()}, firstRows);
    graph_.setTileMapping(firsts, tile);
    const poplar::VertexRef v = graph_.addVertex(cs, vertex,
                                                 {{"in", partial.flatten()},
                                                  {"offsets", offsets_.slice(lookups)},
                                                  {"firstRows", firsts},
                                                  {"out", out.flatten()}});
    graph_.setInitialValue(v["width"], static_cast<unsigned>(part.columns.size()));
    graph_.setInitialValue(v["sliceRows"], static_cast<unsigned>(sliceRows_));
    graph_.setInitialValue(v["wrapAt"], wrapAt());
    graph_.setTileMapping(v, tile);
    const auto share = copse::tile_work::largestWorkerShare(graph_.getTarget(), lookups.size(), 1);
    // For each row: its number, a comparison with each block, its vectors in and out.
    estimate(v,
             share * sliceRows_ *
                 (4 + kRowInstructions + 2 * part.blocks.size() + vectorsOf(part.columns.size())));
  }
  std::uint64_t vectorsOf(std::size_t columns) const {
    const std::uint64_t perVector =
        std::max<std::uint64_t>(1, 8 / graph_.getTarget().getTypeSize(table_.type()));
    return (columns + perVector - 1) / perVector;
  }
  unsigned wrapAt() const { return wraps_ ? static_cast<unsigned>(table_.rows()) : 0u; }
  /// Every offset is compared; the rows of one in \p among are copied or combined.
  void estimate(poplar::VertexRef v, std::size_t columns, std::size_t among,
                std::size_t instructionsPerVector) {
    const std::uint64_t lookups =
        copse::tile_work::largestWorkerShare(graph_.getTarget(), offsets_.numElements(), 1);
    const std::uint64_t perFound =
        sliceRows_ * (kRowInstructions + vectorsOf(columns) * instructionsPerVector);
    estimate(v, kLookupInstructions * lookups + (lookups * perFound + among - 1) / among);
  }
  void estimate(poplar::VertexRef v, std::uint64_t instructions) {
    graph_.setPerfEstimate(
        v, copse::tile_work::workerCycles(graph_.getTarget(),
                                          copse::tile_work::kVertexInstructions + instructions));
  }

  Graph &graph_;
  const Table &table_;
  const Tensor offsets_;
  const std::size_t sliceRows_;
  const bool wraps_;
  const DebugContext &debugContext_;
  TableLayout layout_;
  bool inPlace_ = true;
};

/// \tparam Error  what a wrong argument throws
template <typename Error>
void check(const char *function, const Sizes &shape, const Sizes &dims, const Sizes &sizes) {
  const std::string name = function;
  if (dims.size() != sizes.size())
    throw Error(name + ": " + std::to_string(dims.size()) + " dimensions and " +
                std::to_string(sizes.size()) + " sizes");
  std::set<std::size_t> seen;
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= shape.size())
      throw Error(name + ": there is no dimension " + std::to_string(dims[i]) +
                  " in a tensor of rank " + std::to_string(shape.size()));
    if (!seen.insert(dims[i]).second)
      throw Error(name + ": dimension " + std::to_string(dims[i]) + " is listed twice");
    if (sizes[i] > shape[dims[i]])
      throw Error(name + ": a slice of " + std::to_string(sizes[i]) + " of dimension " +
                  std::to_string(dims[i]) + ", which has " + std::to_string(shape[dims[i]]));
  }
}

void checkDynamic(const char *function, const Tensor &t, const Tensor &offset, const Sizes &dims,
                  const Sizes &sizes) {
  check<poplar::graph_connection_error>(function, t.shape(), dims, sizes);
  if (offset.numElements() != dims.size())
    throw poplar::graph_connection_error(std::string(function) + ": " +
                                         std::to_string(offset.numElements()) + " offsets for " +
                                         std::to_string(dims.size()) + " dimensions");
  if (!dims.empty() && offset.elementType() != poplar::UNSIGNED_INT)
    throw poplar::graph_connection_error(std::string(function) +
                                         ": offsets are UNSIGNED_INT, not " +
                                         offset.elementType().toString().cloneAsString());
}

Sizes slicedShape(Sizes shape, const Sizes &dims, const Sizes &sizes) {
  for (std::size_t i = 0; i != dims.size(); ++i)
    shape[dims[i]] = sizes[i];
  return shape;
}

Tensor sliceOfOne(Graph &graph, const Tensor &t, const Tensor &offset, std::size_t dim,
                  std::size_t size, Sequence &prog, const DebugContext &debugContext) {
  const Table table(graph, t, dim);
  const Tensor slices =
      Rows(graph, table, offset.reshape({1}), size, true, debugContext).slice(Tensor(), prog);
  return table.asSlices(slices)[0];
}

bool isEmpty(const Sizes &shape) {
  return std::find(shape.begin(), shape.end(), 0u) != shape.end();
}

TableRoom roomIn(const OptionFlags &flags) {
  TableRoom room;
  bool update = false;
  std::string text, target = room.spreads ? "memory" : "cycles";
  poplibs::OptionSpec(
      {{"usedForUpdate", poplibs::OptionHandler::createWithBool(update)},
       {"availableMemoryProportion", poplibs::OptionHandler::createWithDouble(room.share)},
       {"indicesDistribution", poplibs::OptionHandler::createWithEnum(
                                   text, {{"uniform", "uniform"}, {"onePoint", "onePoint"}})},
       {"planMinimisationTarget", poplibs::OptionHandler::createWithEnum(
                                      target, {{"memory", "memory"}, {"cycles", "cycles"}})},
       {"planConstraints", poplibs::OptionHandler::createWithString(text)}})
      .parse(flags);
  room.spreads = target == "memory";
  return room;
}

/// The room that \p options give to a table, unless there is a plan, which has its own.
TableRoom roomFor(const SlicePlan &plan, const OptionFlags &options) {
  const TableRoom room = roomIn(options);
  return plan.getImpl().isDefault ? room : plan.getImpl().room;
}

void checkMulti(const char *function, const Tensor &t, const Tensor &offsets, const Sizes &dims,
                const Sizes &sizes, const SlicePlan &plan, const OptionFlags &options) {
  roomIn(options); // checks them
  check<poplibs_error>(function, t.shape(), dims, sizes);
  const std::string name = function;
  if (offsets.rank() != 2 || offsets.dim(1) != dims.size())
    throw poplibs_error(name + ": offsets of shape " + offsets.shapeToString() +
                        "; it must be {lookups, " + std::to_string(dims.size()) + "}");
  if (offsets.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(name + ": offsets are UNSIGNED_INT, not " +
                        offsets.elementType().toString().cloneAsString());
  const SlicePlanInternal &p = plan.getImpl();
  if (!p.isDefault && (t.rank() != 2 || dims != Sizes{0} || sizes != Sizes{1} ||
                       t.dim(0) != p.rows || t.dim(1) != p.columns))
    throw poplibs_error(name + ": the plan is for single rows of a table of shape {" +
                        std::to_string(p.rows) + "," + std::to_string(p.columns) + "}, not for " +
                        t.shapeToString());
}

/// Offsets in several dimensions, each sliced by one element, as one: beyond all rows if one of
/// them is out of range.
struct OneDimension {
  OneDimension(Graph &graph, const Tensor &t, const Tensor &offsets, const Sizes &dims,
               Sequence &prog, const DebugContext &debugContext) {
    std::vector<unsigned> order;
    Sizes sliced;
    for (const std::size_t dim : dims) {
      order.push_back(static_cast<unsigned>(dim));
      sliced.push_back(t.dim(static_cast<unsigned>(dim)));
    }
    for (unsigned d = 0; d != t.rank(); ++d)
      if (std::find(dims.begin(), dims.end(), d) == dims.end())
        order.push_back(d);
    const unsigned k = static_cast<unsigned>(dims.size());
    table = t.dimShuffle(order).flatten(0, k);
    using namespace expr;
    const unsigned beyond = static_cast<unsigned>(table.dim(0));
    Any index = PlaceHolder(1);
    Any inside = Lt(PlaceHolder(1), Const(static_cast<unsigned>(sliced[0])));
    std::vector<Tensor> columns = {offsets.slice(0, 1, 1)};
    for (unsigned i = 1; i < k; ++i) {
      const PlaceHolder next(i + 1);
      index = Any(Add(Mul(index, Const(static_cast<unsigned>(sliced[i]))), next));
      inside = Any(And(inside, Lt(next, Const(static_cast<unsigned>(sliced[i])))));
      columns.push_back(offsets.slice(i, i + 1, 1));
    }
    rows =
        map(graph, Select(index, Const(beyond), inside), columns, prog, {debugContext, "offsets"});
  }
  Tensor table, rows; ///< with the sliced dimensions first, as one; [lookups, 1]
};

bool areAllOne(const Sizes &sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [](std::size_t n) { return n == 1; });
}

void multiCombine(Graph &graph, const char *function, const char *how, const Tensor &t,
                  const Tensor &s, const Tensor &offsets, const Tensor *scale, const Sizes &dims,
                  const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                  const OptionFlags &options, const DebugContext &debugContext) {
  checkMulti(function, t, offsets, dims, sizes, plan, options);
  const std::string name = function;
  const Type type = t.elementType();
  if (t.rank() != 2 || dims.size() != 1 || sizes.front() != 1)
    throw poplibs_error(name +
                        ": takes a table of two dimensions, of which one is sliced, by one "
                        "element; the table's shape is " +
                        t.shapeToString());
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poplibs_error(name + ": not for elements of type " + type.toString().cloneAsString());
  if (s.elementType() != type ||
      (scale != nullptr && (scale->elementType() != type || scale->numElements() != 1)))
    throw poplibs_error(name + ": slices and scale must have the table's type, " +
                        type.toString().cloneAsString() + ", and the scale one element");
  Sizes expected = slicedShape(t.shape(), dims, sizes);
  expected.insert(expected.begin(), offsets.dim(0));
  if (s.shape() != expected)
    throw poplibs_error(name + ": slices of shape " + s.shapeToString() + " for a table of shape " +
                        t.shapeToString());
  if (offsets.dim(0) == 0 || t.numElements() == 0)
    return;
  const Table table(graph, t, dims.front());
  Tensor one;
  if (scale == nullptr) {
    one = graph.addConstant(type, {}, 1, {debugContext, "one"});
    graph.setTileMapping(one, 0);
  }
  const Tensor by = scale == nullptr ? one : scale->reshape({});
  const std::string vertex = poputil::templateVertex("popops::CombineRows", how, type);
  Rows(graph, table, offsets, 1, false, debugContext)
      .update(vertex, table.asMatrices(s), &by, 2, prog);
}

} // namespace

SlicePlan::SlicePlan() : internal_(std::make_unique<SlicePlanInternal>()) {}
SlicePlan::~SlicePlan() = default;
SlicePlan::SlicePlan(const SlicePlan &other)
    : internal_(std::make_unique<SlicePlanInternal>(*other.internal_)) {}
SlicePlan::SlicePlan(SlicePlan &&other) : SlicePlan(other) {} // a moved-from plan stays a plan
SlicePlan &SlicePlan::operator=(const SlicePlan &other) {
  *internal_ = SlicePlanInternal(*other.internal_);
  return *this;
}
SlicePlan &SlicePlan::operator=(SlicePlan &&other) { return *this = other; }
SlicePlan::SlicePlan(std::unique_ptr<SlicePlanInternal> internal)
    : internal_(std::move(internal)) {}

bool operator==(const SlicePlan &a, const SlicePlan &b) {
  return a.getImpl().key() == b.getImpl().key();
}
bool operator<(const SlicePlan &a, const SlicePlan &b) {
  return a.getImpl().key() < b.getImpl().key();
}
std::ostream &operator<<(std::ostream &out, const SlicePlan &plan) {
  const SlicePlanInternal &p = plan.getImpl();
  if (p.isDefault)
    return out << "SlicePlan: default";
  return out << "SlicePlan: a table of " << p.rows << " rows of " << p.columns
             << ", its columns in " << p.columnParts << " parts, its rows in " << p.rowParts;
}

namespace embedding {

SlicePlan plan(const Graph &graph, const Type &dataType, const std::size_t numEntries,
               const std::size_t outputSize, const std::vector<std::size_t> &numLookups,
               const OptionFlags &options) {
  auto internal = std::make_unique<SlicePlanInternal>();
  internal->room = roomIn(options);
  internal->isDefault = false;
  internal->type = dataType;
  internal->rows = numEntries;
  internal->columns = outputSize;
  internal->numLookups = numLookups;
  const TableLayout layout =
      Table::planned(graph, dataType, numEntries, outputSize, internal->room);
  internal->columnParts = layout.size();
  internal->rowParts = layout.empty() ? 0 : layout.front().blocks.size();
  return SlicePlan(std::move(internal));
}

} // namespace embedding

Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                             const Sizes &sizes, const SlicePlan &plan, const OptionFlags &options,
                             const DebugContext &debugContext) {
  const TableRoom room = roomFor(plan, options);
  check<poplibs_error>("createSliceableTensor", shape, dims, sizes);
  if (dims.empty() || isEmpty(shape)) {
    const Tensor t = graph.addVariable(type, shape, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
  }
  // Sliced dimensions first: they are the rows.
  std::vector<unsigned> order;
  for (const std::size_t dim : dims)
    order.push_back(static_cast<unsigned>(dim));
  for (unsigned d = 0; d != shape.size(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      order.push_back(d);
  std::size_t rows = 1, columns = 1;
  Sizes permuted;
  std::vector<unsigned> inverse(shape.size());
  for (unsigned i = 0; i != order.size(); ++i) {
    permuted.push_back(shape[order[i]]);
    inverse[order[i]] = i;
    (i < dims.size() ? rows : columns) *= shape[order[i]];
  }
  const TableLayout layout = Table::planned(graph, type, rows, columns, room);
  const Tensor matrix = variableByParts(graph, type, {rows}, columns, layout, debugContext);
  mapTo(graph, matrix, layout);
  return matrix.reshape(permuted).dimShuffle(inverse);
}
Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                             const Sizes &sizes, std::size_t, const DebugContext &debugContext) {
  return createSliceableTensor(graph, type, shape, dims, sizes, SlicePlan(), {}, debugContext);
}

Tensor createSliceTensor(Graph &graph, const Tensor &t, const Sizes &dims, const Sizes &sizes,
                         std::size_t numIndices, const DebugContext &debugContext) {
  check<poplibs_error>("createSliceTensor", t.shape(), dims, sizes);
  Sizes shape = slicedShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), numIndices);
  if (dims.size() != 1 || isEmpty(shape)) {
    const Tensor slices = graph.addVariable(t.elementType(), shape, debugContext);
    poputil::mapTensorLinearly(graph, slices);
    return slices;
  }
  const Table table(graph, t, dims.front());
  const TableLayout layout = table.layout().first;
  const Tensor slices = variableByParts(graph, t.elementType(), {numIndices, sizes.front()},
                                        table.columns(), layout, debugContext);
  mapSlices(graph, slices, layout);
  return table.asSlices(slices);
}
Tensor createSliceTensor(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                         const Sizes &sizes, std::size_t numIndices, const SlicePlan &plan,
                         const OptionFlags &options, const DebugContext &debugContext) {
  const TableRoom room = roomFor(plan, options);
  check<poplibs_error>("createSliceTensor", shape, dims, sizes);
  Sizes sliceShape = slicedShape(shape, dims, sizes);
  sliceShape.insert(sliceShape.begin(), numIndices);
  if (dims.size() != 1 || isEmpty(sliceShape) || isEmpty(shape)) {
    const Tensor slices = graph.addVariable(type, sliceShape, debugContext);
    poputil::mapTensorLinearly(graph, slices);
    return slices;
  }
  std::size_t elements = 1;
  for (const std::size_t dim : shape)
    elements *= dim;
  const std::size_t rows = shape[dims.front()], columns = elements / rows;
  const TableLayout layout = Table::planned(graph, type, rows, columns, room);
  const Tensor slices =
      variableByParts(graph, type, {numIndices, sizes.front()}, columns, layout, debugContext);
  mapSlices(graph, slices, layout);
  const unsigned dim = static_cast<unsigned>(dims.front());
  Sizes rolled = shape;
  rolled.erase(rolled.begin() + static_cast<std::ptrdiff_t>(dim));
  rolled.insert(rolled.begin(), {numIndices, sizes.front()});
  return slices.reshape(rolled).dimRoll(1, dim + 1);
}

Tensor createIndicesTensor(Graph &graph, const Sizes &dims, std::size_t numIndices,
                           const SlicePlan &, const OptionFlags &options,
                           const DebugContext &debugContext) {
  roomIn(options); // checks them
  const Tensor indices =
      graph.addVariable(poplar::UNSIGNED_INT, {numIndices, dims.size()}, debugContext);
  poputil::mapTensorLinearly(graph, indices);
  return indices;
}

Tensor createSliceableTensorFromSlice(Graph &graph, const Tensor &s, const Sizes &dims,
                                      const Sizes &numSlices, const DebugContext &debugContext) {
  if (dims.size() != numSlices.size())
    throw poplibs_error("createSliceableTensorFromSlice: " + std::to_string(dims.size()) +
                        " dimensions and " + std::to_string(numSlices.size()) +
                        " numbers of slices");
  Sizes shape = s.shape();
  std::vector<std::size_t> counts(s.rank(), 1);
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= s.rank())
      throw poplibs_error("createSliceableTensorFromSlice: there is no dimension " +
                          std::to_string(dims[i]) + " in shape " + s.shapeToString());
    shape[dims[i]] *= numSlices[i];
    counts[dims[i]] = numSlices[i];
  }
  const Tensor t = graph.addVariable(s.elementType(), shape, debugContext);
  const auto mapping = graph.getTileMapping(s);
  std::size_t slices = 1;
  for (const std::size_t count : counts)
    slices *= count;
  for (std::size_t i = 0; i != slices; ++i) {
    Sizes begin = poputil::unflattenIndex(counts, i), end = begin;
    for (unsigned d = 0; d != s.rank(); ++d) {
      begin[d] *= s.dim(d);
      end[d] = begin[d] + s.dim(d);
    }
    graph.setTileMapping(t.slice(begin, end), mapping);
  }
  return t;
}

Tensor dynamicSlice(Graph &graph, const Tensor &t, const Tensor &offset, const Sizes &dims,
                    const Sizes &sizes, Sequence &prog, const DebugContext &debugContext,
                    const OptionFlags &) {
  checkDynamic("dynamicSlice", t, offset, dims, sizes);
  const Sizes shape = slicedShape(t.shape(), dims, sizes);
  if (isEmpty(shape)) {
    const Tensor empty = graph.addVariable(t.elementType(), shape, debugContext);
    return empty;
  }
  if (dims.empty())
    return poputil::duplicate(graph, t, prog, debugContext);
  Tensor slice = t;
  const Tensor offsets = offset.flatten();
  for (std::size_t i = 0; i != dims.size(); ++i)
    slice = sliceOfOne(graph, slice, offsets[i], dims[i], sizes[i], prog, debugContext);
  return slice;
}

void dynamicSliceWithOutput(Graph &graph, const Tensor &output, const Tensor &t,
                            const Tensor &offset, const Sizes &dims, const Sizes &sizes,
                            Sequence &prog, const DebugContext &debugContext,
                            const OptionFlags &options) {
  const Tensor slice = dynamicSlice(graph, t, offset, dims, sizes, prog, debugContext, options);
  if (output.shape() != slice.shape() || output.elementType() != slice.elementType())
    throw poplar::graph_connection_error("dynamicSlice: an output of shape " +
                                         output.shapeToString() + " for a slice of shape " +
                                         slice.shapeToString());
  prog.add(poplar::program::Copy(slice, output, false, debugContext));
}

void dynamicUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offset,
                   const Sizes &dims, const Sizes &sizes, Sequence &prog,
                   const DebugContext &debugContext, const OptionFlags &options) {
  checkDynamic("dynamicUpdate", t, offset, dims, sizes);
  if (s.shape() != slicedShape(t.shape(), dims, sizes) || s.elementType() != t.elementType())
    throw poplar::graph_connection_error(
        "dynamicUpdate: the slice has shape " + s.shapeToString() + " and type " +
        s.elementType().toString().cloneAsString() + "; it does not fit the tensor of shape " +
        t.shapeToString() + " and type " + t.elementType().toString().cloneAsString());
  if (s.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(poplar::program::Copy(s, t, false, debugContext));
    return;
  }
  const Tensor offsets = offset.flatten();
  if (dims.size() > 1) {
    // The part that the first dimension selects is taken out, updated, and put back.
    const Tensor part = sliceOfOne(graph, t, offsets[0], dims[0], sizes[0], prog, debugContext);
    dynamicUpdate(graph, part, s, offsets.slice(1, dims.size()),
                  Sizes(dims.begin() + 1, dims.end()), Sizes(sizes.begin() + 1, sizes.end()), prog,
                  debugContext, options);
    dynamicUpdate(graph, t, part, offsets.slice(0, 1), {dims[0]}, {sizes[0]}, prog, debugContext,
                  options);
    return;
  }
  const Table table(graph, t, dims.front());
  Rows(graph, table, offsets, sizes.front(), true, debugContext)
      .update(poputil::templateVertex("popops::UpdateRows", t.elementType()),
              table.asMatrices(s.expand({0})), nullptr, 1, prog);
}

Tensor multiSlice(Graph &graph, const Tensor &t, const Tensor &offsets, const Sizes &dims,
                  const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                  const OptionFlags &options, const DebugContext &debugContext) {
  checkMulti("multiSlice", t, offsets, dims, sizes, plan, options);
  Sizes shape = slicedShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), offsets.dim(0));
  if (isEmpty(shape))
    return graph.addVariable(t.elementType(), shape, debugContext);
  if (dims.empty())
    return poputil::duplicate(graph,
                              t.expand({0}).broadcast(static_cast<unsigned>(offsets.dim(0)), 0),
                              prog, debugContext);
  if (dims.size() > 1 && areAllOne(sizes)) {
    const OneDimension one(graph, t, offsets, dims, prog, debugContext);
    const Tensor rows =
        multiSlice(graph, one.table, one.rows, {0}, {1}, prog, SlicePlan(), {}, debugContext);
    // [lookups, 1, others...]: others are in order, the sliced dimensions have size 1.
    return rows.reshape(shape);
  }
  if (dims.size() > 1) {
    std::vector<Tensor> slices;
    for (std::size_t i = 0; i != offsets.dim(0); ++i)
      slices.push_back(
          dynamicSlice(graph, t, offsets[i], dims, sizes, prog, debugContext).expand({0}));
    return poplar::concat(slices);
  }
  const Table table(graph, t, dims.front());
  return table.asSlices(
      Rows(graph, table, offsets, sizes.front(), false, debugContext).slice(Tensor(), prog));
}

void multiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                 const Sizes &dims, const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                 const OptionFlags &options, const DebugContext &debugContext) {
  if (!plan.getImpl().isDefault)
    throw poplibs_error("multiUpdate: takes a default plan only");
  checkMulti("multiUpdate", t, offsets, dims, sizes, plan, options);
  Sizes shape = slicedShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), offsets.dim(0));
  if (s.shape() != shape || s.elementType() != t.elementType())
    throw poplibs_error("multiUpdate: slices of shape " + s.shapeToString() +
                        " for a tensor of shape " + t.shapeToString());
  if (s.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(poplar::program::Copy(s[s.dim(0) - 1], t, false, debugContext));
    return;
  }
  if (dims.size() > 1 && areAllOne(sizes)) {
    const OneDimension one(graph, t, offsets, dims, prog, debugContext);
    Sizes rows = one.table.shape();
    rows.front() = 1;
    rows.insert(rows.begin(), offsets.dim(0));
    multiUpdate(graph, one.table, s.reshape(rows), one.rows, {0}, {1}, prog, SlicePlan(), {},
                debugContext);
    return;
  }
  if (dims.size() > 1) {
    for (std::size_t i = 0; i != offsets.dim(0); ++i)
      dynamicUpdate(graph, t, s[i], offsets[i], dims, sizes, prog, debugContext);
    return;
  }
  const Table table(graph, t, dims.front());
  Rows(graph, table, offsets, sizes.front(), false, debugContext)
      .update(poputil::templateVertex("popops::UpdateRows", t.elementType()), table.asMatrices(s),
              nullptr, 1, prog);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Tensor &scale, const Sizes &dims, const Sizes &sizes, Sequence &prog,
                    const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  if (scale.rank() != 0)
    throw poplibs_error("multiUpdateAdd: the scale has shape " + scale.shapeToString() +
                        "; it must be {}");
  multiCombine(graph, "multiUpdateAdd", "popops::RowUpdate::ADD", t, s, offsets, &scale, dims,
               sizes, prog, plan, options, debugContext);
}
void multiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options, const DebugContext &debugContext) {
  multiCombine(graph, "multiUpdateMax", "popops::RowUpdate::MAX", t, s, offsets, nullptr, dims,
               sizes, prog, plan, options, debugContext);
}
void multiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options, const DebugContext &debugContext) {
  multiCombine(graph, "multiUpdateMul", "popops::RowUpdate::MUL", t, s, offsets, nullptr, dims,
               sizes, prog, plan, options, debugContext);
}

} // namespace popops
