#pragma once

#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

// Parts of a graph that are built once and run from many places, with other tensors each time.
namespace poputil {
namespace graphfn {

enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

/// A parameter. Values are copied into it before the body runs, out of it afterwards, or both.
struct ArgSig {
  ArgSig(ArgType kind, poplar::Tensor similar, std::string name)
      : type(kind), similarTensor(std::move(similar)), debugName(std::move(name)) {}
  ArgType type;
  poplar::Tensor similarTensor; ///< which the parameter is a clone of; not of created ones
  std::string debugName;
};
inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
/// The body makes the tensor; each call gives its caller a new one with the same values.
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}
using Signature = std::vector<ArgSig>;

/// A function whose body adds to a sequence. Movable.
class VoidFunction {
public:
  using Body = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  using NamedBody = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                       const poplar::DebugNameAndId &)>;

  /// \param f        called once, with the parameters
  /// \param inlined  every call has the body, instead of calling it
  VoidFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  VoidFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  VoidFunction(VoidFunction &&) = default;

  /// \param args  as many as parameters; created ones are set
  /// \throws poputil::poplibs_error if there are more or fewer, or a shape or type is another
  void operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &seq,
                  const poplar::DebugContext &debugContext = {});

private:
  std::reference_wrapper<poplar::Graph> graph_;
  Signature sig_;
  std::vector<poplar::Tensor> params_;
  bool inlined_;
  poplar::program::Sequence body_;
  poplar::Function function_;
};

/// A function whose body is a program.
class ProgramFunction {
public:
  using Body = std::function<poplar::program::Program(std::vector<poplar::Tensor> &)>;
  using NamedBody = std::function<poplar::program::Program(std::vector<poplar::Tensor> &,
                                                           const poplar::DebugNameAndId &)>;

  ProgramFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});
  ProgramFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});

  poplar::program::Program operator()(std::vector<poplar::Tensor> &args,
                                      const poplar::DebugContext &debugContext = {});

private:
  VoidFunction function_;
};

/// A function that returns a tensor, a new one for each call.
class TensorFunction {
public:
  using Body =
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  using NamedBody = std::function<poplar::Tensor(
      std::vector<poplar::Tensor> &, poplar::program::Sequence &, const poplar::DebugNameAndId &)>;

  TensorFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {});
  TensorFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {});

  poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

private:
  VoidFunction function_;
};

} // namespace graphfn
} // namespace poputil
