#include "adam.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Zero.hpp>

namespace transformer {

using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
namespace pe = popops::expr;

Adam::Adam(poplar::Graph &graph, const Parameters &parameters, unsigned number,
           const Options &options)
    : graph_(graph), options_(options), values_(parameters.values()),
      gradients_(parameters.gradients()),
      moments_(poplar::concat(graph.clone(values_, "adam/first").expand({0}),
                              graph.clone(values_, "adam/second").expand({0}))),
      rows_(graph.addConstant<unsigned>(poplar::UNSIGNED_INT, {2}, {0, 1}, "adam/rows")),
      stored_(graph.addRemoteBuffer("adam" + std::to_string(number), poplar::FLOAT,
                                    values_.numElements(), 2)) {
  graph_.setTileMapping(rows_, 0);
}

void Adam::addReset(Sequence &prog) const {
  popops::zero(graph_, moments_, prog, "adam/reset");
  addStore(prog);
}

void Adam::addFetch(Sequence &prog) const {
  prog.add(Copy(stored_, moments_, rows_, "adam/fetch"));
}

void Adam::addArithmetic(const Tensor &rate, Sequence &prog) const {
  const Tensor first = moments_[0], second = moments_[1];
  popops::mapInPlace(graph_, pe::_1 + pe::Const(1 - options_.firstDecay) * (pe::_2 - pe::_1),
                     {first, gradients_}, prog, "adam/first");
  popops::mapInPlace(graph_,
                     pe::_1 + pe::Const(1 - options_.secondDecay) * (pe::_2 * pe::_2 - pe::_1),
                     {second, gradients_}, prog, "adam/second");
  popops::mapInPlace(graph_,
                     pe::_1 - pe::_4 * pe::_2 / (pe::Sqrt(pe::_3) + pe::Const(options_.epsilon)),
                     {values_, first, second, rate}, prog, "adam/update");
}

void Adam::addStore(Sequence &prog) const {
  prog.add(Copy(moments_, stored_, rows_, "adam/store"));
}

} // namespace transformer
