#pragma once

#include "snap/DataStream.hpp"
#include "snap/Function.hpp"
#include "snap/RemoteBuffer.hpp"
#include "snap/Tensor.hpp"

#include <cstdint>
#include <initializer_list>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Program.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <string>

namespace snap {

class Graph;

/// Poplar's programs with snap's tensors. Meaning and errors are as in poplar/Program.hpp.
///
/// Constructors that take a graph do not keep it, because Poplar's programs know their graph.
namespace program {

/// Wraps a poplar::program::Program under snap's name. Every other program, snap's or Poplar's,
/// converts to it.
class Program : public poplar::program::Program {
public:
  /// Makes the empty program.
  Program() = default;
  /// Wraps a program.
  Program(const poplar::program::Program &program) : poplar::program::Program(program) {}

  ///@{

  /// Returns the program.
  poplar::program::Program &getPoplarProgram() { return *this; }
  const poplar::program::Program &getPoplarProgram() const { return *this; }
  ///@}
};

/// Runs programs one after the other: see poplar::program::Sequence.
class Sequence : public poplar::program::Sequence {
public:
  ///@{

  /// Makes a sequence.
  Sequence() = default;
  Sequence(const Graph &) {}
  Sequence(const poplar::DebugContext &debugContext, const Graph &)
      : poplar::program::Sequence(debugContext) {}
  Sequence(std::initializer_list<Program> programs, const poplar::DebugContext &debugContext = {})
      : poplar::program::Sequence(debugContext) {
    for (const Program &program : programs)
      add(program);
  }
  ///@}

  ///@{

  /// Returns the sequence: programs that are added to it are added to this one.
  poplar::program::Sequence &getPoplarSequence() { return *this; }
  const poplar::program::Sequence &getPoplarSequence() const { return *this; }
  ///@}
};

/// Moves elements: see poplar::program::Copy.
class Copy : public Program {
public:
  ///@{

  /// Makes a copy.
  Copy(const Tensor &src, const Tensor &dst, bool dontOutline = false,
       const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src.getPoplarTensor(), dst.getPoplarTensor(), dontOutline,
                                      debugContext)) {}
  Copy(const DataStream &src, const Tensor &dst, bool optimiseMemory = false,
       const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src, dst.getPoplarTensor(), optimiseMemory, debugContext)) {}
  Copy(const Tensor &src, const DataStream &dst, bool optimiseMemory = false,
       const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src.getPoplarTensor(), dst, optimiseMemory, debugContext)) {}
  Copy(const RemoteBuffer &src, const Tensor &dst, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src, dst.getPoplarTensor(), debugContext)) {}
  Copy(const Tensor &src, const RemoteBuffer &dst, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src.getPoplarTensor(), dst, debugContext)) {}
  Copy(const RemoteBuffer &src, const Tensor &dst, const Tensor &offset,
       const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src, dst.getPoplarTensor(), offset.getPoplarTensor(),
                                      debugContext)) {}
  Copy(const Tensor &src, const RemoteBuffer &dst, const Tensor &offset,
       const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Copy(src.getPoplarTensor(), dst, offset.getPoplarTensor(),
                                      debugContext)) {}
  ///@}
};

/// Runs a program a number of times: see poplar::program::Repeat.
class Repeat : public Program {
public:
  /// Makes the loop.
  Repeat(unsigned count, const poplar::program::Program &body,
         const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Repeat(count, body, debugContext)) {}
};

/// Loops while a condition holds: see poplar::program::RepeatWhileTrue.
class RepeatWhileTrue : public Program {
public:
  /// Makes the loop.
  RepeatWhileTrue(const poplar::program::Program &cond, const Tensor &predicate,
                  const poplar::program::Program &body,
                  const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::RepeatWhileTrue(cond, predicate.getPoplarTensor(), body,
                                                 debugContext)) {}
};

/// Loops until a condition holds: see poplar::program::RepeatWhileFalse.
class RepeatWhileFalse : public Program {
public:
  /// Makes the loop.
  RepeatWhileFalse(const poplar::program::Program &cond, const Tensor &predicate,
                   const poplar::program::Program &body,
                   const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::RepeatWhileFalse(cond, predicate.getPoplarTensor(), body,
                                                  debugContext)) {}
};

/// Chooses between two programs: see poplar::program::If.
class If : public Program {
public:
  /// Makes the choice.
  If(const Tensor &predicate, const poplar::program::Program &ifTrue,
     const poplar::program::Program &ifFalse, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::If(predicate.getPoplarTensor(), ifTrue, ifFalse, debugContext)) {}
};

/// Chooses one of many programs: see poplar::program::Switch.
class Switch : public poplar::program::Switch {
public:
  ///@{

  /// Makes a switch.
  Switch(const Tensor &control, const poplar::DebugContext &debugContext = {})
      : poplar::program::Switch(control.getPoplarTensor(), debugContext) {}
  Switch(const Tensor &control, const poplar::program::Program &defaultCase,
         const poplar::DebugContext &debugContext = {})
      : poplar::program::Switch(control.getPoplarTensor(), defaultCase, debugContext) {}
  ///@}

  /// Adds a case and returns this switch.
  Switch &add(std::int32_t value, const poplar::program::Program &body) {
    poplar::program::Switch::add(value, body);
    return *this;
  }
};

/// Runs a function: see poplar::program::Call.
class Call : public Program {
public:
  /// Makes the call.
  Call(const Graph &, const Function &function, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Call(function, debugContext)) {}
};

/// Makes participants wait for each other: see poplar::program::Sync.
class Sync : public Program {
public:
  /// Makes the step.
  Sync(const Graph &, poplar::SyncType type, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Sync(type, debugContext)) {}
};

/// Declares that contents are not used any more: see poplar::program::WriteUndef.
class WriteUndef : public Program {
public:
  /// Makes the step.
  explicit WriteUndef(const Tensor &t, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::WriteUndef(t.getPoplarTensor(), debugContext)) {}
};

/// Prints a tensor's values: see poplar::program::PrintTensor.
class PrintTensor : public Program {
public:
  ///@{

  /// Makes the step.
  explicit PrintTensor(const Tensor &t, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::PrintTensor(t.getPoplarTensor(), debugContext)) {}
  PrintTensor(poplar::StringRef title, const Tensor &t,
              const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::PrintTensor(title, t.getPoplarTensor(), debugContext)) {}
  ///@}
};

/// Stops the program: see poplar::program::Abort.
class Abort : public Program {
public:
  ///@{

  /// Makes the step.
  explicit Abort(const Graph &, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Abort(debugContext)) {}
  Abort(const Graph &, const std::string &message, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Abort(message, debugContext)) {}
  Abort(const Graph &graph, const char *message, const poplar::DebugContext &debugContext = {})
      : Abort(graph, std::string(message), debugContext) {}
  ///@}
};

/// Stops the program if a value on the device is not zero: see poplar::program::AbortOnCondition.
class AbortOnCondition : public Program {
public:
  ///@{

  /// Makes the step.
  explicit AbortOnCondition(const Tensor &predicate, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::AbortOnCondition(predicate.getPoplarTensor(), debugContext)) {}
  AbortOnCondition(const Tensor &predicate, const std::string &message,
                   const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::AbortOnCondition(predicate.getPoplarTensor(), message,
                                                  debugContext)) {}
  AbortOnCondition(const Tensor &predicate, const char *message,
                   const poplar::DebugContext &debugContext = {})
      : AbortOnCondition(predicate, std::string(message), debugContext) {}
  ///@}
};

/// Prints a tensor, then stops the program: see poplar::program::ErrorProgram.
class ErrorProgram : public Program {
public:
  /// Makes the step.
  ErrorProgram(poplar::StringRef message, const Tensor &debugTensor,
               const poplar::DebugContext &debugContext = {})
      : Program(
            poplar::program::ErrorProgram(message, debugTensor.getPoplarTensor(), debugContext)) {}
};

} // namespace program
} // namespace snap
