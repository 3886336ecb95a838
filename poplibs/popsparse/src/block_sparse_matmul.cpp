#include "dense_operand.hpp"
#include "popsparse/experimental/BlockSparseMatMul.hpp"

#include <algorithm>
#include <popops/Cast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <tile_work/codelet_groups.hpp>
#include <tile_work/worker_cycles.hpp>

namespace popsparse {
namespace experimental {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using Shape = std::vector<std::size_t>;

/// A product of blocks: rows, inner size and columns, in elements and in blocks.
class BSMatMulImpl {
public:
  BSMatMulImpl(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
               const std::vector<unsigned char> &sparsity, bool sparseResult, bool transposed,
               Type in, Type out, Type partial, SubBlockMask mask, unsigned numGroups)
      : groups(numGroups), resultIsSparse(sparseResult), rhsIsTransposed(transposed), inType(in),
        outType(out), subBlockMask(mask), pattern(sparsity) {
    const auto require = [](bool holds, const std::string &what) {
      if (!holds)
        throw poputil::poplibs_error("BSMatMulParams: " + what);
    };
    for (unsigned d = 0; d != 3; ++d) {
      require(dim[d] > 0 && blockSize[d] > 0 && dim[d] % blockSize[d] == 0,
              "a size of " + std::to_string(dim[d]) + " is not a multiple of blocks of " +
                  std::to_string(blockSize[d]));
      block[d] = static_cast<std::size_t>(blockSize[d]);
      blocks[d] = static_cast<std::size_t>(dim[d] / blockSize[d]);
    }
    require(numGroups != 0, "there are no groups");
    for (const Type &type : {in, out, partial})
      require(type == poplar::FLOAT || type == poplar::HALF,
              "matrices are FLOAT or HALF, not " + type.toString().cloneAsString());
    const std::size_t expected = (resultIsSparse ? blocks[0] : blocks[1]) * blocks[2] * numGroups;
    require(sparsity.size() == expected, "a pattern of " + std::to_string(sparsity.size()) +
                                             " blocks; there are " + std::to_string(expected));
  }

  std::size_t nonZeroBlocks() const {
    return static_cast<std::size_t>(
        std::count_if(pattern.begin(), pattern.end(), [](unsigned char c) { return c != 0; }));
  }
  Shape denseShape(unsigned first, unsigned second) const {
    return {groups * blocks[first] * block[first], blocks[second] * block[second]};
  }
  Shape sparseShape(unsigned first, unsigned second) const {
    return {nonZeroBlocks(), block[first] * block[second]};
  }
  Shape lhsShape() const { return denseShape(0, 1); }
  Shape rhsShape() const { return resultIsSparse ? denseShape(1, 2) : sparseShape(1, 2); }

  /// Numbers each non-zero block of the pattern in order.
  std::vector<std::size_t> numbers() const {
    std::vector<std::size_t> all;
    std::size_t next = 0;
    for (const unsigned char isThere : pattern)
      all.push_back(isThere != 0 ? next++ : kNone);
    return all;
  }
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::array<std::size_t, 3> block{}, blocks{};
  std::size_t groups;
  bool resultIsSparse, rhsIsTransposed;
  Type inType, outType;
  SubBlockMask subBlockMask;
  std::vector<unsigned char> pattern;
};

namespace {

void checkOptions(const OptionFlags &options) {
  unsigned passes = 1;
  double ratio = 0;
  std::string method;
  poplibs::OptionSpec(
      "block-sparse matMul",
      {{"numberOfPass", poplibs::OptionHandler::createWithInteger(passes)},
       {"memoryCycleRatio", poplibs::OptionHandler::createWithDouble(ratio)},
       {"partitionMethod",
        poplibs::OptionHandler::createWithEnum(
            method, {{"block", "block"}, {"block-naive", "block-naive"}, {"strip", "strip"}})}})
      .parse(options);
}

/// One block of the result, and the pairs of blocks whose products it is the sum of.
struct BlockOfResult {
  Tensor out;
  std::vector<Tensor> a, b; ///< {rows, inner}, {inner, columns}
  int diagonal = 0;         ///< diagonal of its first row, before its first column
};

class Products {
public:
  Products(const BSMatMulImpl &impl, const Tensor &lhs, const Tensor &rhs)
      : impl_(impl), lhs_(lhs), rhs_(rhs), numbers_(impl.numbers()) {}

  /// Returns the block at (i, j) of group \p g.
  BlockOfResult at(std::size_t g, std::size_t i, std::size_t j, const Tensor &out) const {
    BlockOfResult result;
    result.out = out;
    result.diagonal = static_cast<int>(i * impl_.block[0]) - static_cast<int>(j * impl_.block[2]);
    for (std::size_t k = 0; k != impl_.blocks[1]; ++k) {
      Tensor b;
      if (impl_.resultIsSparse)
        b = blockOf(rhs_, g * impl_.blocks[1] + k, j, impl_.block[1], impl_.block[2]);
      else if (!sparseBlock(g, k, j, b))
        continue;
      result.a.push_back(blockOf(lhs_, g * impl_.blocks[0] + i, k, impl_.block[0], impl_.block[1]));
      result.b.push_back(b);
    }
    return result;
  }
  std::size_t number(std::size_t place) const { return numbers_[place]; }

private:
  static Tensor blockOf(const Tensor &t, std::size_t row, std::size_t column, std::size_t rows,
                        std::size_t columns) {
    return t.slice({row * rows, column * columns}, {(row + 1) * rows, (column + 1) * columns});
  }
  bool sparseBlock(std::size_t g, std::size_t k, std::size_t j, Tensor &block) const {
    const std::size_t inner = impl_.blocks[1], columns = impl_.blocks[2];
    const std::size_t place = impl_.rhsIsTransposed ? j * inner + k : k * columns + j;
    const std::size_t number = numbers_[g * inner * columns + place];
    if (number == BSMatMulImpl::kNone)
      return false;
    block = impl_.rhsIsTransposed
                ? rhs_[number].reshape({impl_.block[2], impl_.block[1]}).transpose()
                : rhs_[number].reshape({impl_.block[1], impl_.block[2]});
    return true;
  }

  const BSMatMulImpl &impl_;
  const Tensor &lhs_, &rhs_;
  std::vector<std::size_t> numbers_;
};

void addVertex(Graph &graph, const BSMatMulImpl &impl, poplar::ComputeSet cs,
               const BlockOfResult &result, unsigned tile) {
  const std::string vertex = poputil::templateVertex("popsparse::BlockProducts", impl.inType);
  copse::tile_work::addCodeletGroup(graph, "popsparse", "block_products", vertex);
  const auto joined = [&](const std::vector<Tensor> &parts) {
    std::vector<Tensor> flat;
    for (const Tensor &part : parts)
      flat.push_back(part.flatten());
    return flat.empty() ? graph.addVariable(impl.inType, {0}, "none") : poplar::concat(flat);
  };
  const poplar::VertexRef v = graph.addVertex(
      cs, vertex,
      {{"a", joined(result.a)}, {"b", joined(result.b)}, {"out", result.out.flatten()}});
  graph.setInitialValue(v["rows"], static_cast<unsigned>(impl.block[0]));
  graph.setInitialValue(v["inner"], static_cast<unsigned>(impl.block[1]));
  graph.setInitialValue(v["columns"], static_cast<unsigned>(impl.block[2]));
  graph.setInitialValue(v["mask"], static_cast<unsigned>(impl.subBlockMask));
  graph.setInitialValue(v["diagonal"], result.diagonal);
  graph.setTileMapping(v, tile);
  graph.setTileMapping(result.out, tile);
  const std::uint64_t rows =
      copse::tile_work::largestWorkerShare(graph.getTarget(), impl.block[0], 1);
  graph.setPerfEstimate(
      v,
      copse::tile_work::workerCycles(
          graph.getTarget(), copse::tile_work::kVertexInstructions +
                                 rows * impl.block[2] * (2 + 2 * result.a.size() * impl.block[1])));
}

} // namespace

BSMatMulParams::BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                               const std::vector<unsigned char> &rhsSparsity, bool rhsNeedTranspose,
                               Type in, Type out, Type partial, unsigned numGroups)
    : impl_(std::make_unique<BSMatMulImpl>(dim, blockSize, rhsSparsity, false, rhsNeedTranspose, in,
                                           out, partial, SubBlockMask::None, numGroups)) {}
BSMatMulParams::BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                               const std::vector<unsigned char> &resSparsity, Type in, Type out,
                               Type partial, SubBlockMask mask, unsigned numGroups)
    : impl_(std::make_unique<BSMatMulImpl>(dim, blockSize, resSparsity, true, false, in, out,
                                           partial, mask, numGroups)) {}
BSMatMulParams::BSMatMulParams(BSMatMulParams &&other) = default;
BSMatMulParams &BSMatMulParams::operator=(BSMatMulParams &&other) = default;
BSMatMulParams::~BSMatMulParams() = default;

Tensor createBSMatMulInputLHS(Graph &graph, const BSMatMulParams &params,
                              const DebugContext &debugContext, const OptionFlags &options) {
  checkOptions(options);
  return createDense(graph, params.getImpl().inType, params.getImpl().lhsShape(),
                     {debugContext, "lhs"});
}

Tensor createBSMatMulInputRHS(Graph &graph, const BSMatMulParams &params,
                              const DebugContext &debugContext, const OptionFlags &options) {
  checkOptions(options);
  return createDense(graph, params.getImpl().inType, params.getImpl().rhsShape(),
                     {debugContext, "rhs"});
}

Tensor bsMatMul(Graph &graph, const BSMatMulParams &params, Sequence &prog, const Tensor &lhs,
                const Tensor &rhs, const OptionFlags &options, const DebugContext &debugContext) {
  checkOptions(options);
  const BSMatMulImpl &impl = params.getImpl();
  checkDense("bsMatMul", lhs, impl.lhsShape(), impl.inType);
  checkDense("bsMatMul", rhs, impl.rhsShape(), impl.inType);
  const Shape shape = impl.resultIsSparse ? impl.sparseShape(0, 2) : impl.denseShape(0, 2);
  const Tensor out = graph.addVariable(poplar::FLOAT, shape, {debugContext, "product"});
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "bsMatMul"});
  const Products products(impl, lhs, rhs);
  unsigned tile = 0;
  for (std::size_t g = 0; g != impl.groups; ++g)
    for (std::size_t i = 0; i != impl.blocks[0]; ++i)
      for (std::size_t j = 0; j != impl.blocks[2]; ++j) {
        Tensor block;
        if (impl.resultIsSparse) {
          const std::size_t number = products.number((g * impl.blocks[0] + i) * impl.blocks[2] + j);
          if (number == BSMatMulImpl::kNone)
            continue;
          block = out[number];
        } else {
          const std::size_t row = (g * impl.blocks[0] + i) * impl.block[0];
          block =
              out.slice({row, j * impl.block[2]}, {row + impl.block[0], (j + 1) * impl.block[2]});
        }
        addVertex(graph, impl, cs, products.at(g, i, j, block), tile);
        tile = (tile + 1) % graph.getTarget().getNumTiles();
      }
  prog.add(poplar::program::Execute(cs, debugContext));
  return impl.outType == poplar::FLOAT
             ? out
             : popops::cast(graph, out, impl.outType, prog, {debugContext, "cast"});
}

} // namespace experimental
} // namespace popsparse
