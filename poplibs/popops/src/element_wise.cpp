#include "map_vertices.hpp"
#include "popops/ElementWise.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/Util.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>
#include <optional>

namespace popops {
namespace {

using namespace copse::element_expr;
using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

/// Checks the names of options, so that a misspelt one is found. No option has an effect.
void check(const OptionFlags &options) {
  bool ignored = false;
  const auto flag = poplibs::OptionHandler::createWithBool(ignored);
  poplibs::OptionSpec("map", {{"enableGenerateCodelet", flag},
                              {"forceGenerateCodelet", flag},
                              {"enableVectorBroadcastOptimisations", flag},
                              {"enableExpressionOptimizations", flag}})
      .parse(options);
}

/// Adds the name of the operation to errors about shapes and types.
Mapping mappingOf(const expr::Expr &expr, const std::vector<Tensor> &tensors,
                  const DebugContext &debugContext,
                  const std::optional<std::vector<std::size_t>> &shape = {}) {
  try {
    return {expr, tensors, shape};
  } catch (const poplibs_error &error) {
    const std::string name = debugContext.getPathName();
    if (name.empty())
      throw;
    throw poplibs_error("'" + name + "': " + error.what());
  }
}

void run(Graph &graph, const Mapping &mapping, const MapCodelet &codelet, bool inPlace,
         const Tensor &out, Sequence &prog, const DebugContext &debugContext) {
  const ComputeSet cs = graph.addComputeSet({debugContext, codelet.name.substr(8)});
  addVertices(graph, mapping, codelet, inPlace, out, cs);
  prog.add(poplar::program::Execute(cs, debugContext));
}

Tensor outputFor(Graph &graph, const Mapping &mapping, const std::vector<Tensor> &tensors,
                 const DebugContext &debugContext) {
  const MapOperands &operands = mapping.operands;
  std::vector<Tensor> candidates;
  for (std::size_t i = 0; i != tensors.size(); ++i)
    if (operands.accesses[i] == Access::Elements &&
        tensors[i].numElements() == operands.views[i].numElements())
      candidates.push_back(operands.views[i]);
  if (candidates.empty()) // each is broadcast along some dimension
    for (std::size_t i = 0; i != tensors.size() && candidates.empty(); ++i)
      if (operands.accesses[i] == Access::Elements)
        candidates.push_back(operands.views[i]);
  return createOutputForElementWiseOp(graph, candidates, mapping.expression.type,
                                      {debugContext, "out"});
}

void checkOutput(const Mapping &mapping, const Tensor &out, const char *what) {
  const poplar::Type type = mapping.expression.type;
  if (out.elementType() != type)
    throw poplibs_error(std::string(what) + ": the expression gives elements of type " +
                        type.toString().cloneAsString() + ", and they are to go into a tensor of " +
                        out.elementType().toString().cloneAsString());
  if (out.shape() != mapping.operands.shape)
    throw poplibs_error(std::string(what) + ": the result does not have the shape " +
                        out.shapeToString() + " of the tensor that it is to go into");
  if (!out.isParallelWriteable())
    throw poplibs_error(std::string(what) +
                        ": the result is to go into a tensor with constants or aliases");
}

/// Returns the operands; those that overlap the written elements without being the same elements
/// are copied.
std::vector<Tensor> withoutOverlaps(Graph &graph, std::vector<Tensor> tensors, const Tensor &out,
                                    Sequence &prog, const DebugContext &debugContext) {
  for (Tensor &t : tensors)
    if (t != out && t.intersectsWith(out))
      t = poputil::duplicate(graph, t, prog, {debugContext, "overlapping"});
  return tensors;
}

} // namespace

Tensor map(Graph &graph, const expr::Expr &expr, const std::vector<Tensor> &ts, Sequence &prog,
           const DebugContext &debugContext, const OptionFlags &options) {
  check(options);
  const Mapping mapping = mappingOf(expr, ts, debugContext);
  const MapCodelet codelet = mapping.codelet(false);
  copse::element_expr::addCodelets(graph, {codelet});
  const Tensor out = outputFor(graph, mapping, ts, debugContext);
  run(graph, mapping, codelet, false, out, prog, debugContext);
  return out;
}

std::vector<Tensor> map(Graph &graph, const std::vector<expr::Any> &exprs,
                        const std::vector<Tensor> &ts, Sequence &prog,
                        const DebugContext &debugContext, const OptionFlags &options) {
  check(options);
  std::vector<Mapping> mappings;
  std::vector<MapCodelet> codelets;
  for (const expr::Any &expr : exprs) {
    mappings.push_back(mappingOf(expr, ts, debugContext));
    codelets.push_back(mappings.back().codelet(false));
  }
  copse::element_expr::addCodelets(graph, codelets);
  std::vector<Tensor> outs;
  for (std::size_t i = 0; i != mappings.size(); ++i) {
    outs.push_back(outputFor(graph, mappings[i], ts, debugContext));
    run(graph, mappings[i], codelets[i], false, outs.back(), prog, debugContext);
  }
  return outs;
}

void mapInPlace(Graph &graph, const expr::Expr &expr, const std::vector<Tensor> &ts, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  check(options);
  if (ts.empty())
    throw poplibs_error("mapInPlace: there is no tensor to write to");
  const std::vector<Tensor> operands = withoutOverlaps(graph, ts, ts.front(), prog, debugContext);
  const Mapping mapping = mappingOf(expr, operands, debugContext, ts.front().shape());
  checkOutput(mapping, ts.front(), "mapInPlace");
  const MapCodelet codelet = mapping.codelet(true);
  copse::element_expr::addCodelets(graph, {codelet});
  run(graph, mapping, codelet, true, ts.front(), prog, debugContext);
}

void mapWithOutput(Graph &graph, const expr::Expr &expr, const std::vector<Tensor> &ts,
                   const Tensor &out, Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  check(options);
  std::vector<Tensor> operands = ts; // one that is overwritten while it is read has to be copied
  for (Tensor &t : operands)
    if (t.intersectsWith(out))
      t = poputil::duplicate(graph, t, prog, {debugContext, "overlapping"});
  const Mapping mapping = mappingOf(expr, operands, debugContext, out.shape());
  checkOutput(mapping, out, "mapWithOutput");
  const MapCodelet codelet = mapping.codelet(false);
  copse::element_expr::addCodelets(graph, {codelet});
  run(graph, mapping, codelet, false, out, prog, debugContext);
}

Tensor map(Graph &graph, expr::UnaryOpType op, const Tensor &t, Sequence &prog,
           const DebugContext &debugContext, const OptionFlags &options) {
  return map(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
Tensor map(Graph &graph, expr::BinaryOpType op, const Tensor &a, const Tensor &b, Sequence &prog,
           const DebugContext &debugContext, const OptionFlags &options) {
  return map(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
Tensor map(Graph &graph, expr::TernaryOpType op, const Tensor &a, const Tensor &b, const Tensor &c,
           Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  return map(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}

void mapInPlace(Graph &graph, expr::UnaryOpType op, const Tensor &t, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  mapInPlace(graph, expr::UnaryOp(op, expr::_1), {t}, prog, debugContext, options);
}
void mapInPlace(Graph &graph, expr::BinaryOpType op, const Tensor &a, const Tensor &b,
                Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  mapInPlace(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, prog, debugContext, options);
}
void mapInPlace(Graph &graph, expr::TernaryOpType op, const Tensor &a, const Tensor &b,
                const Tensor &c, Sequence &prog, const DebugContext &debugContext,
                const OptionFlags &options) {
  mapInPlace(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, prog,
             debugContext, options);
}

void mapWithOutput(Graph &graph, expr::UnaryOpType op, const Tensor &t, const Tensor &out,
                   Sequence &prog, const DebugContext &debugContext, const OptionFlags &options) {
  mapWithOutput(graph, expr::UnaryOp(op, expr::_1), {t}, out, prog, debugContext, options);
}
void mapWithOutput(Graph &graph, expr::BinaryOpType op, const Tensor &a, const Tensor &b,
                   const Tensor &out, Sequence &prog, const DebugContext &debugContext,
                   const OptionFlags &options) {
  mapWithOutput(graph, expr::BinaryOp(op, expr::_1, expr::_2), {a, b}, out, prog, debugContext,
                options);
}
void mapWithOutput(Graph &graph, expr::TernaryOpType op, const Tensor &a, const Tensor &b,
                   const Tensor &c, const Tensor &out, Sequence &prog,
                   const DebugContext &debugContext, const OptionFlags &options) {
  mapWithOutput(graph, expr::TernaryOp(op, expr::_1, expr::_2, expr::_3), {a, b, c}, out, prog,
                debugContext, options);
}

template <> void checkTypes<float>(poplar::Type elementType, float) {
  if (elementType != poplar::FLOAT && elementType != poplar::HALF)
    throw std::runtime_error("a constant of type float does not go with elements of type " +
                             elementType.toString().cloneAsString());
}
template <> void checkTypes<double>(poplar::Type elementType, double constant) {
  checkTypes(elementType, static_cast<float>(constant));
}

namespace {

Tensor converted(Graph &graph, const Tensor &src, const Tensor &epsilon, expr::BinaryOpType op,
                 poplar::Type dstType, poplar::Type other, Sequence &prog,
                 const DebugContext &debugContext) {
  const poplar::Type type = src.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poplibs_error("variances and standard deviations are FLOAT or HALF, not " +
                        type.toString().cloneAsString());
  if (epsilon.numElements() != 1)
    throw poplibs_error("epsilon has " + std::to_string(epsilon.numElements()) +
                        " elements; it must have one");
  if (dstType != type && dstType != other)
    throw poplibs_error("the result has the type of the source, or " +
                        other.toString().cloneAsString());
  // In float: half has no room for small variances.
  const expr::BinaryOp inFloat(op, expr::Cast(expr::_1, poplar::FLOAT),
                               expr::Cast(expr::_2, poplar::FLOAT));
  return map(graph, expr::Cast(inFloat, dstType), {src, epsilon}, prog, debugContext);
}

Tensor epsilonOf(Graph &graph, float epsilon, const DebugContext &debugContext) {
  const Tensor t = graph.addConstant(poplar::FLOAT, {}, epsilon, {debugContext, "epsilon"});
  graph.setTileMapping(t, 0);
  return t;
}

} // namespace

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, const Tensor &epsilon, Sequence &prog,
                           const poplar::Type dstType, const DebugContext &debugContext) {
  return converted(graph, src, epsilon, expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV, dstType,
                   poplar::HALF, prog, debugContext);
}
Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, const float epsilon, Sequence &prog,
                           const poplar::Type dstType, const DebugContext &debugContext) {
  return varianceToInvStdDev(graph, src, epsilonOf(graph, epsilon, debugContext), prog, dstType,
                             debugContext);
}
Tensor invStdDevToVariance(Graph &graph, const Tensor &src, const Tensor &epsilon, Sequence &prog,
                           const poplar::Type dstType, const DebugContext &debugContext) {
  return converted(graph, src, epsilon, expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE, dstType,
                   poplar::FLOAT, prog, debugContext);
}
Tensor invStdDevToVariance(Graph &graph, const Tensor &src, const float epsilon, Sequence &prog,
                           const poplar::Type dstType, const DebugContext &debugContext) {
  return invStdDevToVariance(graph, src, epsilonOf(graph, epsilon, debugContext), prog, dstType,
                             debugContext);
}

} // namespace popops
