#pragma once

#include <array>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popsparse/experimental/BlockSparse.hpp>
#include <vector>

/// \file
/// Products with a matrix that is sparse in blocks, in a pattern that is known when the graph is
/// built. A sparse matrix is [blocks that are not zero, rows of a block * its columns]: blocks in
/// the order of the pattern, row-major within. A pattern has 0 or 1 for each block, row-major. The
/// patterns of several groups follow each other, and so do their matrices, along the first
/// dimension.
///
/// Options: numberOfPass, memoryCycleRatio and partitionMethod are checked and have no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and patterns that do not fit;
/// poplar::invalid_option for unknown options or values.

namespace popsparse {
namespace experimental {

/// The implementation of BSMatMulParams.
class BSMatMulImpl;

/// Describes a product in which one matrix is sparse in blocks.
class BSMatMulParams {
public:
  /// Describes dense [dim[0], dim[1]] times sparse [dim[1], dim[2]].
  /// \param dim               rows, inner size, columns
  /// \param blockSize         size of a block in each of the three dimensions
  /// \param rhsNeedTranspose  true: the sparse matrix is given as [dim[2], dim[1]], and so is its
  ///   pattern
  /// \param numGroups         default 1
  /// \throws poputil::poplibs_error if sizes, blocks or pattern do not fit
  BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                 const std::vector<unsigned char> &rhsSparsity, bool rhsNeedTranspose,
                 poplar::Type inDataType, poplar::Type outDataType, poplar::Type partialDataType,
                 unsigned numGroups = 1);
  /// Describes dense [dim[0], dim[1]] times dense [dim[1], dim[2]], of which only the blocks of the
  /// pattern are computed: the result is sparse.
  /// \param subBlockMask  default None; else elements of the result on one side of its diagonal are
  ///   0
  /// \throws poputil::poplibs_error if sizes, blocks or pattern do not fit
  BSMatMulParams(const std::array<int, 3> &dim, const std::array<int, 3> &blockSize,
                 const std::vector<unsigned char> &resSparsity, poplar::Type inDataType,
                 poplar::Type outDataType, poplar::Type partialDataType,
                 SubBlockMask subBlockMask = SubBlockMask::None, unsigned numGroups = 1);

  ///@{

  /// Takes over the other parameters.
  BSMatMulParams(BSMatMulParams &&other);
  BSMatMulParams &operator=(BSMatMulParams &&other);
  ///@}

  /// Releases the parameters.
  ~BSMatMulParams();

  /// Returns the implementation; for the library's use.
  const BSMatMulImpl &getImpl() const { return *impl_; }

private:
  std::unique_ptr<BSMatMulImpl> impl_;
};

///@{

/// Adds an operand of the product, mapped to the tiles that use it.
poplar::Tensor createBSMatMulInputLHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {});
poplar::Tensor createBSMatMulInputRHS(poplar::Graph &graph, const BSMatMulParams &bsMatMul,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {});
///@}

/// Computes the product.
/// \returns a new tensor, dense [dim[0], dim[2]] or sparse
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor bsMatMul(poplar::Graph &graph, const BSMatMulParams &bsMatMulParams,
                        poplar::program::Sequence &prog, const poplar::Tensor &lhsMatrix,
                        const poplar::Tensor &rhsMatrix, const poplar::OptionFlags &options = {},
                        const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popsparse
