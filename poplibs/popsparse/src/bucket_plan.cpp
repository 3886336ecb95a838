#include "bucket_plan.hpp"

#include <algorithm>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>
#include <string>
#include <tile_work/divided_up.hpp>

namespace popsparse {
namespace dynamic {
namespace {

using copse::tile_work::dividedUp;

constexpr std::size_t kMostPerNumber = 65535; // largest number in the meta information
constexpr std::size_t kMostBuckets = 16; // unless memory asks for more: their results are added
constexpr std::size_t kBlocksWorthABucket = 64;

void checkCall(const poplar::Type &type, std::size_t groups) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poputil::poplibs_error("sparse matrices are FLOAT or HALF, not " +
                                 type.toString().cloneAsString());
  if (groups != 1)
    throw poputil::poplibs_error("a sparse matrix of " + std::to_string(groups) +
                                 " groups; there must be one");
}

} // namespace

BucketPlan planBuckets(const poplar::Target &target, const poplar::Type &type, std::size_t rows,
                       std::size_t columns, const std::array<std::size_t, 2> &block,
                       std::size_t nonZeroValues, std::size_t dense) {
  for (const auto &[size, grain, what] :
       {std::tuple{rows, block[0], "rows"}, std::tuple{columns, block[1], "columns"}})
    if (size / grain > kMostPerNumber)
      throw poputil::poplibs_error("a sparse matrix of " + std::to_string(size / grain) + " " +
                                   what + " of blocks; there may be " +
                                   std::to_string(kMostPerNumber));
  BucketPlan plan{rows, columns, block, 1, 0};
  const std::size_t blocks = std::max<std::size_t>(1, dividedUp(nonZeroValues, plan.blockSize()));
  const std::size_t bytes =
      2 * target.getTypeSize(poplar::UNSIGNED_SHORT) + plan.blockSize() * target.getTypeSize(type);
  const std::size_t room =
      std::max<std::size_t>(1, std::min(kMostPerNumber, target.getBytesPerTile() / 4 / bytes));
  const std::size_t tiles = target.getNumTiles();
  // Few columns do not give work to all tiles.
  const std::size_t wanted = std::min({kMostBuckets, tiles / std::max<std::size_t>(1, dense),
                                       dividedUp(blocks, kBlocksWorthABucket)});
  plan.buckets = std::max({std::size_t{1}, wanted, dividedUp(blocks, room)});
  plan.blocksPerBucket = dividedUp(blocks, plan.buckets);
  return plan;
}

BucketPlan planOf(const FullyConnectedParams &params, const poplar::Type &type,
                  const poplar::Target &target) {
  checkCall(type, params.getNumGroups());
  return planBuckets(target, type, params.getOutputChannels(), params.getInputChannels(),
                     params.getSparsityParams().blockDimensions, params.getNumNonZeroValues(),
                     params.getBatchSize());
}

BucketPlan planOf(const MatMulParams &params, const poplar::Type &type,
                  const poplar::Target &target) {
  checkCall(type, params.getNumGroups());
  return planBuckets(target, type, params.getM(), params.getK(),
                     params.getSparsityParams().blockDimensions, params.getNumNonZeroValues(),
                     params.getN());
}

void checkOptions(const poplar::OptionFlags &options) {
  using poplibs::OptionHandler;
  bool flag = false;
  double number = 0;
  std::string text;
  poplibs::OptionSpec(
      "sparse matMul",
      {{"availableMemoryProportion", OptionHandler::createWithDouble(number)},
       {"metaInfoBucketOversizeProportion", OptionHandler::createWithDouble(number)},
       {"doGradAPass", OptionHandler::createWithBool(flag)},
       {"doGradWPass", OptionHandler::createWithBool(flag)},
       {"partialsType",
        OptionHandler::createWithEnum(text, {{"half", "half"}, {"float", "float"}})},
       {"sharedBuckets", OptionHandler::createWithBool(flag)},
       {"enableStructuredRearrangements", OptionHandler::createWithBool(flag)},
       {"partitioner.optimiseForSpeed", OptionHandler::createWithBool(flag)},
       {"partitioner.forceBucketSpills", OptionHandler::createWithBool(flag)},
       {"partitioner.useActualWorkerSplitCosts", OptionHandler::createWithBool(flag)},
       {"verboseLogging", OptionHandler::createWithBool(flag)},
       {"planConstraints", OptionHandler::createWithString(text)}})
      .parse(options);
}

} // namespace dynamic
} // namespace popsparse
