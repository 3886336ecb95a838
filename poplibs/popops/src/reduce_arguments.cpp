#include "reduce_arguments.hpp"

#include "popops/OperationDefUtil.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/exceptions.hpp"
#include "real_type.hpp"
#include "type_name.hpp"

#include <algorithm>
#include <map>

namespace copse::reductions {
namespace {

using poplar::Tensor;
using poplar::Type;
using popops::isReal;
using popops::Operation;
using popops::ReduceParams;
using poputil::poplibs_error;

bool isSum(Operation op) {
  return op == Operation::ADD || op == Operation::SQUARE_ADD || op == Operation::LOG_ADD;
}

void checkTypes(Operation op, const Type &in, const Type &out) {
  bool good = false;
  switch (op) {
  case Operation::ADD:
  case Operation::SQUARE_ADD:
  case Operation::MUL:
    good = (isReal(in) && isReal(out)) || (in == poplar::INT && out == poplar::INT);
    break;
  case Operation::LOG_ADD:
    good = isReal(in) && isReal(out);
    break;
  case Operation::MIN:
  case Operation::MAX:
    good = in == out && (isReal(in) || in == poplar::INT);
    break;
  case Operation::LOGICAL_AND:
  case Operation::LOGICAL_OR:
    good = in == poplar::BOOL && out == poplar::BOOL;
    break;
  }
  if (!good)
    throw poplibs_error("reduce: no " + toString(op) + " of " + element_expr::nameOf(in) + " to " +
                        element_expr::nameOf(out));
}

} // namespace

void checkReduction(const Tensor &in, const Type &outType, const Dims &dims,
                    const ReduceParams &params) {
  for (const std::size_t dim : dims)
    if (dim >= in.rank())
      throw poplibs_error("reduce: there is no dimension " + std::to_string(dim) + " in shape " +
                          in.shapeToString());
  checkTypes(params.op, in.elementType(), outType);
  if ((params.update || params.useScale) && !isSum(params.op))
    throw poplibs_error("reduce: " + toString(params.op) +
                        " with a scale or an update; only sums have these");
  if (params.useScale &&
      (params.scale.elementType() != poplar::FLOAT || params.scale.numElements() != 1))
    throw poplibs_error("reduce: the scale has shape " + params.scale.shapeToString() +
                        " and type " + element_expr::nameOf(params.scale.elementType()) +
                        "; it must be one element of type float");
}

Dims reducedShape(const Tensor &in, const Dims &dims) {
  Dims shape;
  for (unsigned d = 0; d != in.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      shape.push_back(in.dim(d));
  return shape;
}

Type partialTypeOf(Operation op, const Type &outType, const poplar::OptionFlags &options) {
  const bool mayWiden = isSum(op) || op == Operation::MUL;
  Type betweenTiles = mayWiden && outType == poplar::HALF ? poplar::FLOAT : outType;
  Type inVertex = betweenTiles; // vertices accumulate in float anyway
  const std::map<std::string, Type> types = {{"float", poplar::FLOAT}, {"half", poplar::HALF}};
  const poplibs::OptionSpec spec(
      "reduce",
      {{"accumType.interTile", poplibs::OptionHandler::createWithEnum(betweenTiles, types)},
       {"accumType.inVertex", poplibs::OptionHandler::createWithEnum(inVertex, types)}});
  spec.parse(options);
  return isReal(outType) && mayWiden ? betweenTiles : outType; // other types have no choice
}

} // namespace copse::reductions
