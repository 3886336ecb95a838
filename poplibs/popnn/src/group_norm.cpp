#include "checks.hpp"
#include "norm_parameters.hpp"
#include "popnn/GroupNorm.hpp"

#include <poplin/Norms.hpp>
#include <poputil/OptionParsing.hpp>

namespace popnn {
namespace gn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

namespace {

/// Activations as a batch of one, whose channels are the groups of every item: its channels'
/// statistics are the groups' statistics.
class Groups {
public:
  Groups(const char *function, const Tensor &acts, std::size_t groups, const OptionFlags &options)
      : shape_(acts.shape()), groups_(groups) {
    poplibs::OptionSpec(function, {{"groupNormStridedChannelGrouping",
                                    poplibs::OptionHandler::createWithBool(strided_)}})
        .parse(options);
    require(function, acts.rank() >= 2,
            "activations of shape " + acts.shapeToString() + " have no dimension of channels");
    require(function, groups != 0 && acts.dim(1) % groups == 0,
            std::to_string(acts.dim(1)) + " channels do not divide by " + std::to_string(groups) +
                " groups");
  }
  /// Returns the groups, whose number follows from the statistics; activations without elements
  /// have no statistics.
  static Groups of(const char *function, const Tensor &acts, const Tensor &statistics,
                   const OptionFlags &options) {
    if (acts.numElements() == 0)
      return Groups(function, acts, 1, options);
    require(function,
            statistics.rank() == 1 && acts.rank() >= 2 && statistics.dim(0) % acts.dim(0) == 0,
            "statistics of shape " + statistics.shapeToString() +
                " are not those of groups of activations of shape " + acts.shapeToString());
    return Groups(function, acts, statistics.dim(0) / acts.dim(0), options);
  }

  /// Returns [1][items * groups][channels of a group][field]
  Tensor merged(const Tensor &acts) const {
    Tensor t = acts.reshape(strided_ ? Shape{shape_[0], perGroup(), groups_, field()}
                                     : Shape{shape_[0], groups_, perGroup(), field()});
    if (strided_)
      t = t.dimShuffle({0, 2, 1, 3});
    return t.reshape({1, shape_[0] * groups_, perGroup(), field()});
  }
  /// Returns the inverse of merged().
  Tensor separated(const Tensor &t) const {
    Tensor acts = t.reshape({shape_[0], groups_, perGroup(), field()});
    if (strided_)
      acts = acts.dimShuffle({0, 2, 1, 3});
    return acts.reshape(shape_);
  }

private:
  using Shape = std::vector<std::size_t>;
  std::size_t perGroup() const { return shape_[1] / groups_; }
  std::size_t field() const {
    std::size_t elements = 1;
    for (std::size_t d = 2; d < shape_.size(); ++d)
      elements *= shape_[d];
    return elements;
  }

  Shape shape_;
  std::size_t groups_;
  bool strided_ = true;
};

} // namespace

std::pair<Tensor, Tensor>
groupNormStatistics(Graph &graph, const Tensor acts, float eps, Sequence &prog, unsigned numGroups,
                    bool unbiasedVarEstimate, bool stableAlgo, const Type &partialsType,
                    const DebugContext &debugContext, const OptionFlags &options) {
  const Groups groups("groupNormStatistics", acts, numGroups, options);
  return poplin::normStatistics(graph, groups.merged(acts), eps, prog, unbiasedVarEstimate,
                                stableAlgo, partialsType, debugContext);
}

Tensor groupNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                       const Tensor &invStdDev, Sequence &prog, const DebugContext &debugContext,
                       const OptionFlags &options) {
  const Groups groups = Groups::of("groupNormWhiten", acts, mean, options);
  return groups.separated(
      poplin::normWhiten(graph, groups.merged(acts), mean, invStdDev, prog, debugContext));
}

std::pair<Tensor, Tensor> groupNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
                                         const Tensor &beta, const Tensor &mean,
                                         const Tensor &invStdDev, Sequence &prog,
                                         const DebugContext &debugContext,
                                         const OptionFlags &options) {
  const Tensor whitened =
      groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened};
}

std::pair<Tensor, Tensor> groupNormParamGradients(Graph &graph, const Tensor &actsWhitened,
                                                  const Tensor &gradsIn, Sequence &prog,
                                                  const Type &partialsType,
                                                  const DebugContext &debugContext,
                                                  const OptionFlags &options) {
  (void)Groups("groupNormParamGradients", actsWhitened, 1, options); // gamma is not by groups
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
}

std::pair<Tensor, Tensor>
groupNormParamGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn, const Tensor &mean,
                        const Tensor &iStdDev, Sequence &prog, const Type &partialsType,
                        const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened = groupNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
  return groupNormParamGradients(graph, whitened, gradsIn, prog, partialsType, debugContext,
                                 options);
}

Tensor groupNormGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                          const Tensor &invStdDev, const Tensor &gamma, Sequence &prog,
                          const Type &partialsType, const DebugContext &debugContext,
                          const OptionFlags &options) {
  const Groups groups = Groups::of("groupNormGradients", actsWhitened, invStdDev, options);
  const Tensor gradients = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return groups.separated(poplin::normStatisticsGradients(graph, groups.merged(actsWhitened),
                                                          groups.merged(gradients), invStdDev, prog,
                                                          partialsType, debugContext));
}

Tensor groupNormGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn,
                          const Tensor &mean, const Tensor &invStdDev, const Tensor &gamma,
                          Sequence &prog, const Type &partialsType,
                          const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened =
      groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return groupNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, partialsType,
                            debugContext, options);
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta,
                          float scale, Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext, const OptionFlags &) {
  updateNormParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}

void groupNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta,
                          const Tensor &scale, Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext, const OptionFlags &) {
  updateNormParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}

} // namespace gn
} // namespace popnn
