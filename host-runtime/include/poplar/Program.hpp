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
namespace program {

/// The steps of a device: a value, cheap to copy. Adding a program to another one copies it; later
/// changes of the original do not change the copy.
///
/// Errors: the constructors throw control_program_error for mistakes that the parts alone show;
/// other mistakes are found when an engine is built.
class Program {
public:
  Program();
  Program(const Program &) = default;
  Program(Program &&) = default;
  Program &operator=(const Program &) = default;
  Program &operator=(Program &&) = default;

  bool isEmpty() const; ///< nothing happens when it runs
  bool operator==(const Program &other) const { return node_ == other.node_; }
  bool operator!=(const Program &other) const { return node_ != other.node_; }

protected:
  friend struct copse::graph::Access;
  std::shared_ptr<copse::graph::ProgramNode> node_; ///< null: the empty program
};

/// Programs one after the other.
class Sequence : public Program {
  template <bool...> struct Bools;
  template <typename... P>
  using IfPrograms = typename std::enable_if<
      std::is_same<Bools<true, std::is_base_of<Program, P>::value...>,
                   Bools<std::is_base_of<Program, P>::value..., true>>::value>::type;

public:
  Sequence();
  Sequence(const DebugContext &debugContext);
  Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {});
  template <typename... P, typename = IfPrograms<P...>>
  Sequence(const Program &first, const P &...more) : Sequence() {
    add(first);
    const int inOrder[] = {0, (add(more), 0)...};
    static_cast<void>(inOrder);
  }
  void add(const Program &program);
};

/// All vertices of a compute set, once.
class Execute : public Program {
public:
  Execute(ComputeSet cs, const DebugContext &debugContext = {});
  /// \param outPredicate  one BOOL: gets the logical AND of what the vertices return
  Execute(ComputeSet cs, Tensor outPredicate, const DebugContext &debugContext = {});
};

/// Moves elements, in row-major order of both sides; types and numbers of elements are equal.
///
/// A literal in the place of the flag would convert to `true`; the overloads with a `name` prevent
/// that.
class Copy : public Program {
  template <typename Name>
  using IfName =
      typename std::enable_if<std::is_convertible<const Name &, const char *>::value>::type;

public:
  Copy(Tensor src, Tensor dst, bool dontOutline = false, const DebugContext &debugContext = {});
  Copy(const DataStream &src, Tensor dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const DataStream &dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  template <typename Name, typename = IfName<Name>>
  Copy(Tensor src, Tensor dst, const Name &name)
      : Copy(std::move(src), std::move(dst), false, DebugContext(name)) {}
  template <typename Name, typename = IfName<Name>>
  Copy(const DataStream &src, Tensor dst, const Name &name)
      : Copy(src, std::move(dst), false, DebugContext(name)) {}
  template <typename Name, typename = IfName<Name>>
  Copy(Tensor src, const DataStream &dst, const Name &name)
      : Copy(std::move(src), dst, false, DebugContext(name)) {}

  // Rows of a remote buffer: with offsets (shape {} or {k}, UNSIGNED_INT or INT) k rows, else the
  // only one.
  Copy(const RemoteBuffer &src, Tensor dst, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &dst, const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &src, Tensor dst, Tensor offset, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &dst, Tensor offset, const DebugContext &debugContext = {});

  /// Brings the code of \p dst to its tiles.
  /// \throws control_program_error if \p src is empty, or was made for another function
  Copy(const FunctionBuffer &src, const Function &dst, const DebugContext &debugContext = {});
};

class Repeat : public Program {
public:
  Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
};

/// Runs \p cond; while then \p predicate (one BOOL, INT or UNSIGNED_INT) is not zero: \p body and
/// \p cond again.
class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body,
                  const DebugContext &debugContext = {});
};

/// The same while \p predicate is zero.
class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body,
                   const DebugContext &debugContext = {});
};

class If : public Program {
public:
  If(Tensor predicate, const Program &ifTrue, const Program &ifFalse,
     const DebugContext &debugContext = {});
};

/// Runs the case whose value equals \p control (one INT or UNSIGNED_INT), else the default. The
/// default does nothing unless it is given.
class Switch : public Program {
public:
  using Cases = std::vector<std::pair<std::int32_t, Program>>;

  Switch(Tensor control, const DebugContext &debugContext = {});
  Switch(Tensor control, const Program &defaultCase, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const Program &defaultCase,
         const DebugContext &debugContext = {});
  /// \throws control_program_error if there is a case of this value
  Switch &add(std::int32_t value, const Program &body);

  /// Stops the program with an error if no case matches.
  static Switch switchWithBoundsChecking(Tensor control, const Cases &cases,
                                         const DebugContext &debugContext = {});
  static Switch switchWithUnreachableDefault(Tensor control, const DebugContext &debugContext = {});
};

/// Runs a function's program here.
class Call : public Program {
public:
  Call(Function function, const DebugContext &debugContext = {});
  /// Calls a function of the host program: sends \p inputs, waits for \p outputs.
  Call(const HostFunction &function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
       const DebugContext &debugContext = {});
};

/// Prints a tensor's values on the host each time it is executed: `title: [\n [1 2]\n [3 4]\n]`.
/// Without a title, the name of the variable is printed.
class PrintTensor : public Program {
  /// Accepts formats only: an empty pair of braces is a DebugContext.
  template <typename T>
  using IfFormat = typename std::enable_if<std::is_same<T, PrintTensorFmt>::value>::type;

public:
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

private:
  void setFormat(const PrintTensorFmt &format);
};

class Sync : public Program {
public:
  explicit Sync(SyncType type, const DebugContext &debugContext = {});
};

/// Declares that the contents are not used any more.
class WriteUndef : public Program {
public:
  explicit WriteUndef(Tensor t, const DebugContext &debugContext = {});
};

/// Copies \p src of each replica r to \p dst of replica replicaMap[r]. Every replica sends once and
/// receives once, never from itself.  Source: guide, 2.5.2.
///
/// Neighbours in a Sequence run at the same time, unless one reads or writes what one before it writes.
class CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                   const DebugContext &debugContext = {});
};

/// A promise about the values; does nothing.
class AssumeEqualAcrossReplicas : public Program {
public:
  explicit AssumeEqualAcrossReplicas(Tensor t, const DebugContext &debugContext = {});
  explicit AssumeEqualAcrossReplicas(ArrayRef<Tensor> ts, const DebugContext &debugContext = {});
};

/// Stops the program: Engine::run throws application_runtime_error with the message.
class Abort : public Program {
public:
  explicit Abort(const DebugContext &debugContext = {});
  explicit Abort(const std::string &message, const DebugContext &debugContext = {});
  explicit Abort(const char *message, const DebugContext &debugContext = {});
};

/// Stops the program if \p predicate, one element of any type, has a bit that is set.
class AbortOnCondition : public Program {
public:
  explicit AbortOnCondition(Tensor predicate, const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const std::string &message,
                   const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const char *message, const DebugContext &debugContext = {});
};

/// Prints a tensor, then stops the program.
class ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, Tensor debugTensor, const DebugContext &debugContext = {});
};

/// A program with a name for the profiler.
class Block : public Program {
public:
  Block(const Program &body, const DebugContext &debugContext = {});
};

/// Writes the program as an outline (JSON) that names each kind of program in it.
void dumpProgram(const Graph &graph, const Program &program, std::ostream &out);

} // namespace program
} // namespace poplar
