#include "pool_windows.hpp"
#include "popnn/Pooling.hpp"

#include <ostream>
#include <poputil/exceptions.hpp>

namespace popnn::pooling {

PoolParams::PoolParams(PoolingType type, std::vector<std::size_t> field,
                       std::vector<std::size_t> kernel, std::vector<unsigned> strides,
                       std::vector<int> lower, std::vector<int> upper, std::size_t channels,
                       std::size_t batch, poplar::Type elements)
    : poolingType(type), inputFieldShape(std::move(field)), kernelShape(std::move(kernel)),
      stride(std::move(strides)), inputTruncationOrPaddingLower(std::move(lower)),
      inputTruncationOrPaddingUpper(std::move(upper)), numChannels(channels), batchSize(batch),
      dType(elements) {}

std::vector<std::size_t> PoolParams::getOutputFieldShape() const {
  validate(*this);
  std::vector<std::size_t> shape;
  for (std::size_t d = 0; d != getNumFieldDims(); ++d) {
    const auto padded = static_cast<std::int64_t>(inputFieldShape[d]) +
                        inputTruncationOrPaddingLower[d] + inputTruncationOrPaddingUpper[d];
    shape.push_back(static_cast<std::size_t>(padded - static_cast<std::int64_t>(kernelShape[d])) /
                        stride[d] +
                    1);
  }
  return shape;
}

std::vector<std::size_t> getOutputFieldShape(const PoolParams &params) {
  return params.getOutputFieldShape();
}

const char *asString(const PoolingType &method) {
  switch (method) {
  case PoolingType::MAX:
    return "max";
  case PoolingType::AVG:
    return "avg";
  case PoolingType::SUM:
    return "sum";
  }
  throw poputil::poplibs_error("not a kind of pooling");
}

std::ostream &operator<<(std::ostream &o, const PoolParams &params) {
  const auto list = [&o](const char *name, const auto &values) {
    o << name << " {";
    for (std::size_t i = 0; i != values.size(); ++i)
      o << (i == 0 ? "" : ",") << values[i];
    o << "}\n";
  };
  o << "poolingType " << asString(params.poolingType) << ", type " << params.dType.toString()
    << ", batchSize " << params.batchSize << ", numChannels " << params.numChannels << '\n';
  list("inputFieldShape", params.inputFieldShape);
  list("kernelShape", params.kernelShape);
  list("stride", params.stride);
  list("inputTruncationOrPaddingLower", params.inputTruncationOrPaddingLower);
  list("inputTruncationOrPaddingUpper", params.inputTruncationOrPaddingUpper);
  return o;
}

std::uint64_t getFwdFlops(const PoolParams &params) {
  validate(params);
  std::uint64_t met = params.batchSize * params.numChannels, outputs = met;
  for (unsigned d = 0; d != params.getNumFieldDims(); ++d) {
    std::uint64_t inDim = 0;
    for (const Range &range : inputsOfOutputs(params, d))
      inDim += range.second - range.first;
    met *= inDim;
    outputs *= params.getOutputFieldShape()[d];
  }
  // The first of a window is not added; a mean is one multiplication more.
  return met - outputs + (params.poolingType == PoolingType::AVG ? outputs : 0);
}

std::uint64_t getBwdFlops(const PoolParams &params) {
  return params.poolingType == PoolingType::MAX ? 0 : getFwdFlops(params);
}

double getFwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params) {
  const poplar::Target &target = graph.getTarget();
  return static_cast<double>(getFwdFlops(params)) /
         (target.getVectorWidth(params.dType) * static_cast<double>(target.getNumTiles()));
}

double getBwdPerfectCycleCount(const poplar::Graph &graph, const PoolParams &params) {
  const poplar::Target &target = graph.getTarget();
  return static_cast<double>(getBwdFlops(params)) /
         (target.getVectorWidth(params.dType) * static_cast<double>(target.getNumTiles()));
}

} // namespace popnn::pooling
