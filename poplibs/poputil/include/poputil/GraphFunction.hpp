#pragma once

#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <vector>

namespace poputil {
/// Parts of a graph that are built once and run from many places, with other tensors each time.
namespace graphfn {

/// The kinds of parameters: copied in, copied out, both, or created by the body.
enum ArgType { InputArg, OutputArg, InOutArg, CreatedArg };

/// Describes a parameter. Values are copied into it before the body runs, out of it afterwards, or
/// both.
struct ArgSig {
  /// Makes a description.
  ArgSig(ArgType kind, poplar::Tensor similar, std::string name)
      : type(kind), similarTensor(std::move(similar)), debugName(std::move(name)) {}
  /// The kind.
  ArgType type;
  /// The tensor that the parameter is a clone of; not used for created ones.
  poplar::Tensor similarTensor;
  /// The name of the clone.
  std::string debugName;
};

///@{

/// Describes a parameter of the kind in the function's name, like \p similar in shape, type and
/// mapping.
inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
///@}

/// Describes a tensor that the body makes; each call gives its caller a new one with the same
/// values.
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}
/// The parameters of a function.
using Signature = std::vector<ArgSig>;

/// Shares the code of a part of a graph: a function whose body adds to a sequence. Movable.
///
/// \code
/// VoidFunction f(graph, {input(x), inout(y)}, [&](auto &args, auto &seq) { ... });
/// std::vector<Tensor> args = {x1, y1};  f(args, seq);
/// \endcode
class VoidFunction {
public:
  /// Builds the body, from the parameters.
  using Body = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  /// Builds the body from the parameters and the debug name of the function.
  using NamedBody = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                       const poplar::DebugNameAndId &)>;

  ///@{

  /// Makes the function and builds its body.
  /// - \p f: called once, with the parameters
  /// - \p inlined: default false; true: every call contains a copy of the body instead of a call
  VoidFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  VoidFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  ///@}

  /// Takes over the other function.
  VoidFunction(VoidFunction &&) = default;

  /// Adds a call to \p seq.
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

/// Shares the code of a part of a graph: a function whose body is a program.
class ProgramFunction {
public:
  /// Builds the body, from the parameters.
  using Body = std::function<poplar::program::Program(std::vector<poplar::Tensor> &)>;
  /// Builds the body from the parameters and the debug name of the function.
  using NamedBody = std::function<poplar::program::Program(std::vector<poplar::Tensor> &,
                                                           const poplar::DebugNameAndId &)>;

  ///@{

  /// Makes the function, as VoidFunction does.
  ProgramFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});
  ProgramFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});
  ///@}

  /// Returns a program that calls the function; arguments and errors as for VoidFunction.
  poplar::program::Program operator()(std::vector<poplar::Tensor> &args,
                                      const poplar::DebugContext &debugContext = {});

private:
  VoidFunction function_;
};

/// Shares the code of a part of a graph: a function that returns a tensor, a new one for each call.
class TensorFunction {
public:
  /// Builds the body, from the parameters, and returns its result.
  using Body =
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  /// Builds the body from the parameters and the debug name of the function.
  using NamedBody = std::function<poplar::Tensor(
      std::vector<poplar::Tensor> &, poplar::program::Sequence &, const poplar::DebugNameAndId &)>;

  ///@{

  /// Makes the function, as VoidFunction does.
  TensorFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {});
  TensorFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {});
  ///@}

  /// Adds a call to \p prog; arguments and errors as for VoidFunction.
  /// \returns a new tensor with the body's result
  poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

private:
  VoidFunction function_;
};

} // namespace graphfn
} // namespace poputil
