#include "poputil/GraphFunction.hpp"
#include "poputil/exceptions.hpp"

using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;

namespace poputil::graphfn {
namespace {

void checkArguments(const Signature &sig, const std::vector<Tensor> &args,
                    const std::vector<Tensor> &params) {
  if (args.size() != sig.size())
    throw poplibs_error("a graph function of " + std::to_string(sig.size()) +
                        " parameters is called with " + std::to_string(args.size()) + " arguments");
  for (std::size_t i = 0; i != sig.size(); ++i)
    if (sig[i].type != CreatedArg &&
        (args[i].shape() != params[i].shape() || args[i].elementType() != params[i].elementType()))
      throw poplibs_error("argument " + std::to_string(i) + " of a graph function has shape " +
                          args[i].shapeToString() + " and type " +
                          args[i].elementType().toString().cloneAsString() +
                          "; its parameter has shape " + params[i].shapeToString() + " and type " +
                          params[i].elementType().toString().cloneAsString());
}

Signature withResult(Signature sig) {
  sig.push_back(created("result"));
  return sig;
}

VoidFunction::NamedBody setsResult(TensorFunction::NamedBody f) {
  return [f](std::vector<Tensor> &params, Sequence &prog, const DebugNameAndId &name) {
    std::vector<Tensor> own(params.begin(), params.end() - 1);
    params.back() = f(own, prog, name);
    std::copy(own.begin(), own.end(), params.begin());
  };
}

} // namespace

VoidFunction::VoidFunction(Graph &graph, Signature sig, NamedBody f, bool inlined,
                           const DebugContext &debugContext)
    : graph_(graph), sig_(std::move(sig)), inlined_(inlined) {
  for (const ArgSig &parameter : sig_)
    params_.push_back(
        parameter.type == CreatedArg
            ? Tensor()
            : graph.clone(parameter.similarTensor, {debugContext, parameter.debugName}));
  f(params_, body_, DebugNameAndId(debugContext.getPathName()));
  if (!inlined_)
    function_ = graph.addFunction(body_);
}
VoidFunction::VoidFunction(Graph &graph, Signature sig, Body f, bool inlined,
                           const DebugContext &debugContext)
    : VoidFunction(graph, std::move(sig),
                   NamedBody([&f](std::vector<Tensor> &params, Sequence &prog,
                                  const DebugNameAndId &) { f(params, prog); }),
                   inlined, debugContext) {}

void VoidFunction::operator()(std::vector<Tensor> &args, Sequence &seq,
                              const DebugContext &debugContext) {
  checkArguments(sig_, args, params_);
  for (std::size_t i = 0; i != sig_.size(); ++i) {
    if (sig_[i].type == CreatedArg)
      args[i] = graph_.get().clone(params_[i], {debugContext, sig_[i].debugName});
    else if (sig_[i].type != OutputArg)
      seq.add(Copy(args[i], params_[i], false, debugContext));
  }
  if (inlined_)
    seq.add(body_);
  else
    seq.add(poplar::program::Call(function_, debugContext));
  for (std::size_t i = 0; i != sig_.size(); ++i)
    if (sig_[i].type != InputArg)
      seq.add(Copy(params_[i], args[i], false, debugContext));
}

ProgramFunction::ProgramFunction(Graph &graph, Signature sig, NamedBody f, bool inlined,
                                 const DebugContext &debugContext)
    : function_(
          graph, std::move(sig),
          VoidFunction::NamedBody([&f](std::vector<Tensor> &params, Sequence &prog,
                                       const DebugNameAndId &name) { prog.add(f(params, name)); }),
          inlined, debugContext) {}
ProgramFunction::ProgramFunction(Graph &graph, Signature sig, Body f, bool inlined,
                                 const DebugContext &debugContext)
    : ProgramFunction(graph, std::move(sig),
                      NamedBody([&f](std::vector<Tensor> &params, const DebugNameAndId &) {
                        return f(params);
                      }),
                      inlined, debugContext) {}

Program ProgramFunction::operator()(std::vector<Tensor> &args, const DebugContext &debugContext) {
  Sequence prog;
  function_(args, prog, debugContext);
  return prog;
}

TensorFunction::TensorFunction(Graph &graph, Signature sig, NamedBody f, bool inlined,
                               const DebugContext &debugContext)
    : function_(graph, withResult(std::move(sig)), setsResult(std::move(f)), inlined,
                debugContext) {}
TensorFunction::TensorFunction(Graph &graph, Signature sig, Body f, bool inlined,
                               const DebugContext &debugContext)
    : TensorFunction(graph, std::move(sig),
                     NamedBody([&f](std::vector<Tensor> &params, Sequence &prog,
                                    const DebugNameAndId &) { return f(params, prog); }),
                     inlined, debugContext) {}

Tensor TensorFunction::operator()(std::vector<Tensor> &args, Sequence &prog,
                                  const DebugContext &debugContext) {
  std::vector<Tensor> all = args;
  all.emplace_back();
  function_(all, prog, debugContext);
  std::copy(all.begin(), all.end() - 1, args.begin());
  return all.back();
}

} // namespace poputil::graphfn
