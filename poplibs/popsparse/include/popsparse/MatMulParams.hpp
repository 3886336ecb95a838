#pragma once

#include <cstddef>
#include <ostream>
#include <popsparse/SparsityParams.hpp>

namespace popsparse {
namespace dynamic {

/// Describes a product of a sparse [groups, m, k] and a dense [groups, k, n].
class MatMulParams {
public:
  ///@{

  /// Describes a product with a largest share or number of non-zero values.
  /// \throws poputil::poplibs_error for a ratio outside [0, 1], too many values, or sizes that are
  ///   not whole blocks
  static MatMulParams createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio,
                                        std::size_t groups, std::size_t m, std::size_t k,
                                        std::size_t n);
  static MatMulParams createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                                                 std::size_t numNonZero, std::size_t groups,
                                                 std::size_t m, std::size_t k, std::size_t n);
  ///@}

  ///@{

  /// Returns a size.
  std::size_t getNumGroups() const { return groups_; }
  std::size_t getM() const { return m_; }
  std::size_t getK() const { return k_; }
  std::size_t getN() const { return n_; }
  ///@}

  /// Returns the unit of sparsity.
  const SparsityParams &getSparsityParams() const { return sparsityParams_; }
  /// Returns the largest share of non-zero values.
  double getNzRatio() const;
  /// Returns the largest number of non-zero values.
  std::size_t getNumNonZeroValues() const { return numNonZeroValues_; }

  ///@{

  /// Compares or writes all members.
  friend bool operator==(const MatMulParams &a, const MatMulParams &b);
  friend bool operator!=(const MatMulParams &a, const MatMulParams &b) { return !(a == b); }
  friend bool operator<(const MatMulParams &a, const MatMulParams &b);
  friend std::ostream &operator<<(std::ostream &out, const MatMulParams &params);
  ///@}

private:
  MatMulParams() = default;
  SparsityParams sparsityParams_;
  std::size_t groups_ = 1, m_ = 0, k_ = 0, n_ = 0, numNonZeroValues_ = 0;
};

///@{

/// Compares or writes all members.
bool operator==(const MatMulParams &a, const MatMulParams &b);
bool operator<(const MatMulParams &a, const MatMulParams &b);
std::ostream &operator<<(std::ostream &out, const MatMulParams &params);
///@}

} // namespace dynamic
} // namespace popsparse
