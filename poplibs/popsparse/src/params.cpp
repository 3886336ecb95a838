#include "popsparse/FullyConnectedParams.hpp"
#include "popsparse/MatMulParams.hpp"

#include <cmath>
#include <poputil/exceptions.hpp>
#include <string>
#include <tuple>

namespace popsparse {
namespace dynamic {
namespace {

/// Checks a matrix of \p rows and \p columns, which is not empty.
void checkMatrix(const SparsityParams &sparsity, std::size_t groups, std::size_t rows,
                 std::size_t columns, std::size_t nonZero) {
  const auto &block = sparsity.blockDimensions;
  const std::string shape = std::to_string(rows) + " x " + std::to_string(columns);
  if (groups == 0 || rows == 0 || columns == 0)
    throw poputil::poplibs_error("a sparse matrix of " + std::to_string(groups) + " groups of " +
                                 shape + " elements; there must be some");
  if (block[0] == 0 || block[1] == 0 || rows % block[0] != 0 || columns % block[1] != 0)
    throw poputil::poplibs_error("a sparse matrix of " + shape +
                                 " elements is not of whole blocks of " + std::to_string(block[0]) +
                                 " x " + std::to_string(block[1]));
  if (nonZero > groups * rows * columns)
    throw poputil::poplibs_error(std::to_string(nonZero) +
                                 " non-zero values in a sparse matrix of " + shape + " elements");
}

std::size_t valuesOf(double ratio, std::size_t elements) {
  if (!(ratio >= 0 && ratio <= 1))
    throw poputil::poplibs_error("a share of non-zero values of " + std::to_string(ratio) +
                                 "; it must be from 0 to 1");
  return static_cast<std::size_t>(std::ceil(ratio * static_cast<double>(elements)));
}

double shareOf(std::size_t values, std::size_t elements) {
  return static_cast<double>(values) / static_cast<double>(elements);
}

} // namespace

std::ostream &operator<<(std::ostream &out, const SparsityType &type) {
  return out << (type == SparsityType::Element ? "Element" : "Block");
}
std::ostream &operator<<(std::ostream &out, const SparsityStructure &) {
  return out << "Unstructured";
}
std::ostream &operator<<(std::ostream &out, const SparsityParams &params) {
  return out << params.type << " {" << params.blockDimensions[0] << "," << params.blockDimensions[1]
             << "}";
}

FullyConnectedParams FullyConnectedParams::createWithNzRatio(const SparsityParams &sparsity,
                                                             double nzRatio, std::size_t batchSize,
                                                             std::size_t numGroups,
                                                             std::size_t inputChannels,
                                                             std::size_t outputChannels) {
  return createWithNumNonZeroValues(sparsity, valuesOf(nzRatio, inputChannels * outputChannels),
                                    batchSize, numGroups, inputChannels, outputChannels);
}
FullyConnectedParams FullyConnectedParams::createWithNumNonZeroValues(
    const SparsityParams &sparsity, std::size_t nonZero, std::size_t batchSize,
    std::size_t numGroups, std::size_t inputChannels, std::size_t outputChannels) {
  checkMatrix(sparsity, numGroups, outputChannels, inputChannels, nonZero);
  FullyConnectedParams params;
  params.sparsityParams_ = sparsity;
  params.batchSize_ = batchSize;
  params.numGroups_ = numGroups;
  params.inputChannels_ = inputChannels;
  params.outputChannels_ = outputChannels;
  params.numNonZeroValues_ = nonZero;
  return params;
}
double FullyConnectedParams::getNzRatio() const {
  return shareOf(numNonZeroValues_, inputChannels_ * outputChannels_);
}

bool operator==(const FullyConnectedParams &a, const FullyConnectedParams &b) {
  return !(a < b) && !(b < a);
}
bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b) {
  const auto key = [](const FullyConnectedParams &p) {
    return std::tie(p.sparsityParams_, p.batchSize_, p.numGroups_, p.inputChannels_,
                    p.outputChannels_, p.numNonZeroValues_);
  };
  return key(a) < key(b);
}
std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &p) {
  return out << "{sparsity: " << p.sparsityParams_ << ", non-zero values: " << p.numNonZeroValues_
             << ", batch: " << p.batchSize_ << ", groups: " << p.numGroups_
             << ", in: " << p.inputChannels_ << ", out: " << p.outputChannels_ << "}";
}

MatMulParams MatMulParams::createWithNzRatio(const SparsityParams &sparsity, double nzRatio,
                                             std::size_t groups, std::size_t m, std::size_t k,
                                             std::size_t n) {
  return createWithNumNonZeroValues(sparsity, valuesOf(nzRatio, groups * m * k), groups, m, k, n);
}
MatMulParams MatMulParams::createWithNumNonZeroValues(const SparsityParams &sparsity,
                                                      std::size_t nonZero, std::size_t groups,
                                                      std::size_t m, std::size_t k, std::size_t n) {
  checkMatrix(sparsity, groups, m, k, nonZero);
  MatMulParams params;
  params.sparsityParams_ = sparsity;
  params.groups_ = groups;
  params.m_ = m;
  params.k_ = k;
  params.n_ = n;
  params.numNonZeroValues_ = nonZero;
  return params;
}
double MatMulParams::getNzRatio() const { return shareOf(numNonZeroValues_, groups_ * m_ * k_); }

bool operator==(const MatMulParams &a, const MatMulParams &b) { return !(a < b) && !(b < a); }
bool operator<(const MatMulParams &a, const MatMulParams &b) {
  const auto key = [](const MatMulParams &p) {
    return std::tie(p.sparsityParams_, p.groups_, p.m_, p.k_, p.n_, p.numNonZeroValues_);
  };
  return key(a) < key(b);
}
std::ostream &operator<<(std::ostream &out, const MatMulParams &p) {
  return out << "{sparsity: " << p.sparsityParams_ << ", non-zero values: " << p.numNonZeroValues_
             << ", groups: " << p.groups_ << ", m: " << p.m_ << ", k: " << p.k_ << ", n: " << p.n_
             << "}";
}

} // namespace dynamic
} // namespace popsparse
