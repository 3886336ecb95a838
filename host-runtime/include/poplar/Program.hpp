#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/Graph.hpp"
#include "poplar/GraphElements.hpp"
#include "poplar/HostFunction.hpp"
#include "poplar/PrintTensorFmt.hpp"
#include "poplar/RemoteBuffer.hpp"
#include "poplar/StringRef.hpp"
#include "poplar/SyncType.hpp"
#include "poplar/Tensor.hpp"

#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace copse {
namespace graph {
struct ProgramNode;
} // namespace graph
} // namespace copse

namespace poplar {
/// Control programs: the steps that a device runs, as values that nest.
namespace program {

/// A description of steps for a device. A program is a value and cheap to copy: adding it to
/// another program stores its present state; later changes of the original do not affect the copy.
/// See User guide, 2.2.1.
///
/// An Engine takes one or more programs and Engine::run() starts one of them by its number.
/// Tensors, streams and functions that occur in it must belong to the engine's graph.
///
/// Errors: constructors throw control_program_error for mistakes that their arguments alone show
/// (types, shapes, tensors of different graphs) and poplar_error for invalid tensors. Other
/// mistakes are found when an engine is built.
class Program {
public:
  /// Makes the empty program.
  Program();

  ///@{

  /// Copies or moves the handle; the steps are shared.
  Program(const Program &) = default;
  Program(Program &&) = default;
  Program &operator=(const Program &) = default;
  Program &operator=(Program &&) = default;
  ///@}

  /// Returns true if running the program does nothing.
  bool isEmpty() const;

  ///@{

  /// Compares the identity of two programs: copies of a program are equal, and so are all that were
  /// made empty.
  bool operator==(const Program &other) const { return node_ == other.node_; }
  bool operator!=(const Program &other) const { return node_ != other.node_; }
  ///@}

protected:
  friend struct copse::graph::Access;
  std::shared_ptr<copse::graph::ProgramNode> node_; ///< null: the empty program
};

/// Runs programs one after the other.
///
/// \code
/// Sequence step({Copy(in, x), Execute(cs)}, "step");
/// step.add(Copy(x, out));
/// \endcode
class Sequence : public Program {
  template <bool...> struct Bools;
  template <typename... P>
  using IfPrograms = typename std::enable_if<
      std::is_same<Bools<true, std::is_base_of<Program, P>::value...>,
                   Bools<std::is_base_of<Program, P>::value..., true>>::value>::type;

public:
  /// Makes a sequence without programs.
  Sequence();
  /// Makes a sequence without programs, with a name.
  Sequence(const DebugContext &debugContext);
  /// Makes a sequence of \p programs, in their order.
  Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {});
  /// Makes a sequence of all arguments, in their order.
  template <typename... P, typename = IfPrograms<P...>>
  Sequence(const Program &first, const P &...more) : Sequence() {
    add(first);
    const int inOrder[] = {0, (add(more), 0)...};
    static_cast<void>(inOrder);
  }
  /// Adds a program at the end. Other copies of this sequence stay as they are. A sequence may be
  /// added to itself, which adds what it held before.
  void add(const Program &program);
};

/// Runs all vertices of a compute set once, in parallel. See User guide, 2.1 and 2.2.1.
class Execute : public Program {
public:
  /// Runs the vertices and ignores the bool that their compute() returns.
  Execute(ComputeSet cs, const DebugContext &debugContext = {});
  /// Runs the vertices and combines what their compute() returns.
  /// \param outPredicate  one BOOL, which gets the logical AND of all results
  /// \throws control_program_error if \p outPredicate is not a single BOOL
  Execute(ComputeSet cs, Tensor outPredicate, const DebugContext &debugContext = {});
};

/// Moves elements between tensors, streams, remote buffers and function buffers. Elements are taken
/// in row-major order on both sides, and the element types must be equal. See User guide, 2.6.
///
/// \code
/// Copy(weights, out, false, "read back")  // or shorter: Copy(weights, out, "read back")
/// \endcode
///
/// A string literal would convert to `true` as the flag; the overloads with a `name` prevent that.
class Copy : public Program {
  template <typename Name>
  using IfName =
      typename std::enable_if<std::is_convertible<const Name &, const char *>::value>::type;

public:
  /// Copies between tensors of the same shape. Source and destination may lie on different tiles,
  /// and the destination has no constants. Quarters take their metadata with them.
  /// \param dontOutline  accepted for compatibility, without effect
  /// \throws control_program_error if types, shapes or graphs differ
  /// \throws tensor_metadata_error if the metadata of quarters at \p dst are a constant that may
  ///   differ
  Copy(Tensor src, Tensor dst, bool dontOutline = false, const DebugContext &debugContext = {});

  ///@{

  /// Copies one transfer from or to the host. The tensor may have any shape with the stream's
  /// number of elements.
  /// - \p optimiseMemory: default false; true: the host reorders elements, which takes less tile
  ///   memory and more time of the host
  /// \throws control_program_error if direction, type, number of elements or graph do not fit
  Copy(const DataStream &src, Tensor dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const DataStream &dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  ///@}

  ///@{

  /// Copies as above, without flags and with a name.
  template <typename Name, typename = IfName<Name>>
  Copy(Tensor src, Tensor dst, const Name &name)
      : Copy(std::move(src), std::move(dst), false, DebugContext(name)) {}
  template <typename Name, typename = IfName<Name>>
  Copy(const DataStream &src, Tensor dst, const Name &name)
      : Copy(src, std::move(dst), false, DebugContext(name)) {}
  template <typename Name, typename = IfName<Name>>
  Copy(Tensor src, const DataStream &dst, const Name &name)
      : Copy(std::move(src), dst, false, DebugContext(name)) {}
  ///@}

  ///@{

  /// Copies rows of a remote buffer from or to a tensor. Without \p offset the buffer must have one
  /// row. With \p offset, of shape {} or [k] and type UNSIGNED_INT or INT, the k rows that it names
  /// are copied, and the tensor has k times a row's elements. See User guide, 2.6.2.
  /// \throws control_program_error if type, number of elements, offsets or graph do not fit
  Copy(const RemoteBuffer &src, Tensor dst, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &dst, const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &src, Tensor dst, Tensor offset, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &dst, Tensor offset, const DebugContext &debugContext = {});
  ///@}

  /// Copies the code of \p dst to its tiles. On Copse code is always on its tiles, so nothing is
  /// done.
  /// \throws control_program_error if \p src is empty, or was made for another function
  Copy(const FunctionBuffer &src, const Function &dst, const DebugContext &debugContext = {});
};

/// Runs a program a fixed number of times.
class Repeat : public Program {
public:
  /// Runs \p body \p count times; 0 does nothing.
  Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
};

/// Loops while a condition holds: runs \p cond; then, as long as \p predicate is not zero, \p body
/// and \p cond again.
class RepeatWhileTrue : public Program {
public:
  /// Makes the loop.
  /// \param predicate  one BOOL, INT or UNSIGNED_INT, usually written by \p cond
  /// \throws control_program_error if \p predicate is something else
  RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body,
                  const DebugContext &debugContext = {});
};

/// Loops until a condition holds: like RepeatWhileTrue, but continues as long as the predicate is
/// zero.
class RepeatWhileFalse : public Program {
public:
  /// Makes the loop, with the arguments and errors of RepeatWhileTrue.
  RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body,
                   const DebugContext &debugContext = {});
};

/// Chooses between two programs by a value on the device.
class If : public Program {
public:
  /// Runs \p ifTrue if \p predicate, one BOOL, INT or UNSIGNED_INT, is not zero, else \p ifFalse.
  /// Either may be the empty Program.
  /// \throws control_program_error if \p predicate is something else
  If(Tensor predicate, const Program &ifTrue, const Program &ifFalse,
     const DebugContext &debugContext = {});
};

/// Chooses one of many programs by a value on the device: runs the case whose value equals \p
/// control, else the default. A switch without a default does nothing if no case matches.
class Switch : public Program {
public:
  /// Values and the programs to run for them; no value twice.
  using Cases = std::vector<std::pair<std::int32_t, Program>>;

  ///@{

  /// Makes a switch.
  /// - \p control: one INT or UNSIGNED_INT; cases compare as signed 32-bit numbers
  /// - \p defaultCase: runs if no case matches
  /// \throws control_program_error if \p control is something else, or a value occurs twice
  Switch(Tensor control, const DebugContext &debugContext = {});
  Switch(Tensor control, const Program &defaultCase, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const Program &defaultCase,
         const DebugContext &debugContext = {});
  ///@}

  /// Adds a case and returns this switch. Other copies of it stay as they are.
  /// \throws control_program_error if there is a case of this value
  Switch &add(std::int32_t value, const Program &body);

  /// Makes a switch that stops the program, as Abort does, if no case matches.
  static Switch switchWithBoundsChecking(Tensor control, const Cases &cases,
                                         const DebugContext &debugContext = {});
  /// Makes a switch whose values always match a case that is added later. The value is not checked:
  /// if no case matches, nothing runs.
  static Switch switchWithUnreachableDefault(Tensor control, const DebugContext &debugContext = {});
};

/// Calls a function. The function's code is stored once, however often it is called.
class Call : public Program {
public:
  /// Runs the program of a function of the graph.
  /// \throws control_program_error if \p function is empty
  Call(Function function, const DebugContext &debugContext = {});
  /// Calls a function of the host program: sends \p inputs, waits for \p outputs. Types and numbers
  /// of elements are those that Graph::addHostFunction() declared.
  /// \throws control_program_error if the numbers of tensors, their types or sizes do not fit
  Call(const HostFunction &function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
       const DebugContext &debugContext = {});
};

/// Prints a tensor's values on the host each time it is executed, like `title: [\n [1 2]\n [3
/// 4]\n]`. Engine::setPrintTensorStream() chooses where; the default is standard error. Without a
/// title, the name of the debug context or else of the variable is printed. Quarters are printed as
/// the numbers that they stand for.
class PrintTensor : public Program {
  /// Accepts formats only: an empty pair of braces is a DebugContext.
  template <typename T>
  using IfFormat = typename std::enable_if<std::is_same<T, PrintTensorFmt>::value>::type;

public:
  ///@{

  /// Prints \p t, of any shape and type.
  /// - \p format: digits, brackets and separators; the default prints as described above
  PrintTensor(Tensor t, const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor t, const DebugContext &debugContext = {});
  template <typename F, typename = IfFormat<F>>
  PrintTensor(Tensor t, const F &format, const DebugContext &debugContext = {})
      : PrintTensor(std::move(t), debugContext) {
    setFormat(format);
  }
  template <typename F, typename = IfFormat<F>>
  PrintTensor(StringRef title, Tensor t, const F &format, const DebugContext &debugContext = {})
      : PrintTensor(title, std::move(t), debugContext) {
    setFormat(format);
  }
  ///@}

private:
  void setFormat(const PrintTensorFmt &format);
};

/// Makes participants wait for each other. Programs are already synchronised where data needs that;
/// a Sync adds only time. See User guide, 2.7.2.
class Sync : public Program {
public:
  /// Waits until all participants of \p type have arrived.
  explicit Sync(SyncType type, const DebugContext &debugContext = {});
};

/// Tells the compiler that a tensor's contents are not used any more, so that other variables may
/// take its memory. Reading the tensor before the next write gives undefined values.
class WriteUndef : public Program {
public:
  /// Declares the contents of \p t undefined.
  explicit WriteUndef(Tensor t, const DebugContext &debugContext = {});
};

/// Copies \p src of each replica r to \p dst of replica replicaMap[r]. Every replica sends once and
/// receives once, never from itself. See User guide, 2.5.2.
///
/// Neighbours in a Sequence run at the same time, unless one reads or writes what one before it
/// writes.
class CrossReplicaCopy : public Program {
public:
  /// Makes the copy; both tensors have the same type and shape.
  /// \param replicaMap  receiver by sender, an entry for each of the R replicas
  /// \throws control_program_error if the graph is not replicated, the map is not such a
  ///   permutation, or the tensors do not fit
  CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                   const DebugContext &debugContext = {});
};

/// Promises that all replicas hold the same values in a tensor. Running it does nothing.
class AssumeEqualAcrossReplicas : public Program {
public:
  ///@{

  /// Makes the promise for one tensor, or for each of several.
  explicit AssumeEqualAcrossReplicas(Tensor t, const DebugContext &debugContext = {});
  explicit AssumeEqualAcrossReplicas(ArrayRef<Tensor> ts, const DebugContext &debugContext = {});
  ///@}
};

/// Stops the program: Engine::run() throws application_runtime_error with the message.
class Abort : public Program {
public:
  ///@{

  /// Makes the step; without \p message a general text is used.
  explicit Abort(const DebugContext &debugContext = {});
  explicit Abort(const std::string &message, const DebugContext &debugContext = {});
  explicit Abort(const char *message, const DebugContext &debugContext = {});
  ///@}
};

/// Stops the program, as Abort does, if a value on the device is not zero.
class AbortOnCondition : public Program {
public:
  ///@{

  /// Makes the step.
  /// - \p predicate: one element of any type; the program stops if any of its bits is set
  /// \throws control_program_error if there is not exactly one element
  explicit AbortOnCondition(Tensor predicate, const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const std::string &message,
                   const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const char *message, const DebugContext &debugContext = {});
  ///@}
};

/// Prints a tensor, then stops the program as Abort does.
class ErrorProgram : public Program {
public:
  /// Makes the step; \p message is both the title of the print and the text of the error.
  ErrorProgram(StringRef message, Tensor debugTensor, const DebugContext &debugContext = {});
};

/// Gives a program a name in profiles.
class Block : public Program {
public:
  /// Makes a block of \p body; the name is the debug context's.
  Block(const Program &body, const DebugContext &debugContext = {});
};

/// Writes the program as an outline (JSON) that names each kind of program in it.
void dumpProgram(const Graph &graph, const Program &program, std::ostream &out);

} // namespace program
} // namespace poplar
