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
  Program() = default; ///< empty
  Program(const poplar::program::Program &program) : poplar::program::Program(program) {}

  poplar::program::Program &getPoplarProgram() { return *this; }
  const poplar::program::Program &getPoplarProgram() const { return *this; }
};

class Sequence : public poplar::program::Sequence {
public:
  Sequence() = default;
  Sequence(const Graph &) {}
  Sequence(const poplar::DebugContext &debugContext, const Graph &)
      : poplar::program::Sequence(debugContext) {}
  Sequence(std::initializer_list<Program> programs, const poplar::DebugContext &debugContext = {})
      : poplar::program::Sequence(debugContext) {
    for (const Program &program : programs)
      add(program);
  }

  /// Programs that are added to the returned sequence are added to this one.
  poplar::program::Sequence &getPoplarSequence() { return *this; }
  const poplar::program::Sequence &getPoplarSequence() const { return *this; }
};

class Copy : public Program {
public:
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
};

class Repeat : public Program {
public:
  Repeat(unsigned count, const poplar::program::Program &body,
         const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Repeat(count, body, debugContext)) {}
};

class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const poplar::program::Program &cond, const Tensor &predicate,
                  const poplar::program::Program &body,
                  const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::RepeatWhileTrue(cond, predicate.getPoplarTensor(), body,
                                                 debugContext)) {}
};

class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const poplar::program::Program &cond, const Tensor &predicate,
                   const poplar::program::Program &body,
                   const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::RepeatWhileFalse(cond, predicate.getPoplarTensor(), body,
                                                  debugContext)) {}
};

class If : public Program {
public:
  If(const Tensor &predicate, const poplar::program::Program &ifTrue,
     const poplar::program::Program &ifFalse, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::If(predicate.getPoplarTensor(), ifTrue, ifFalse, debugContext)) {}
};

class Switch : public poplar::program::Switch {
public:
  Switch(const Tensor &control, const poplar::DebugContext &debugContext = {})
      : poplar::program::Switch(control.getPoplarTensor(), debugContext) {}
  Switch(const Tensor &control, const poplar::program::Program &defaultCase,
         const poplar::DebugContext &debugContext = {})
      : poplar::program::Switch(control.getPoplarTensor(), defaultCase, debugContext) {}
  Switch &add(std::int32_t value, const poplar::program::Program &body) {
    poplar::program::Switch::add(value, body);
    return *this;
  }
};

class Call : public Program {
public:
  Call(const Graph &, const Function &function, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Call(function, debugContext)) {}
};

class Sync : public Program {
public:
  Sync(const Graph &, poplar::SyncType type, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Sync(type, debugContext)) {}
};

class WriteUndef : public Program {
public:
  explicit WriteUndef(const Tensor &t, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::WriteUndef(t.getPoplarTensor(), debugContext)) {}
};

class PrintTensor : public Program {
public:
  explicit PrintTensor(const Tensor &t, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::PrintTensor(t.getPoplarTensor(), debugContext)) {}
  PrintTensor(poplar::StringRef title, const Tensor &t,
              const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::PrintTensor(title, t.getPoplarTensor(), debugContext)) {}
};

class Abort : public Program {
public:
  explicit Abort(const Graph &, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Abort(debugContext)) {}
  Abort(const Graph &, const std::string &message, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::Abort(message, debugContext)) {}
  Abort(const Graph &graph, const char *message, const poplar::DebugContext &debugContext = {})
      : Abort(graph, std::string(message), debugContext) {}
};

class AbortOnCondition : public Program {
public:
  explicit AbortOnCondition(const Tensor &predicate, const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::AbortOnCondition(predicate.getPoplarTensor(), debugContext)) {}
  AbortOnCondition(const Tensor &predicate, const std::string &message,
                   const poplar::DebugContext &debugContext = {})
      : Program(poplar::program::AbortOnCondition(predicate.getPoplarTensor(), message,
                                                  debugContext)) {}
  AbortOnCondition(const Tensor &predicate, const char *message,
                   const poplar::DebugContext &debugContext = {})
      : AbortOnCondition(predicate, std::string(message), debugContext) {}
};

class ErrorProgram : public Program {
public:
  ErrorProgram(poplar::StringRef message, const Tensor &debugTensor,
               const poplar::DebugContext &debugContext = {})
      : Program(
            poplar::program::ErrorProgram(message, debugTensor.getPoplarTensor(), debugContext)) {}
};

} // namespace program
} // namespace snap
