#include "program_checks.hpp"

#include "graph/access.hpp"
#include "poplar/Program.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

namespace poplar {
namespace program {

using copse::graph::Access;
using copse::graph::checkedElement;
using copse::graph::checkedScalar;
using copse::graph::newNode;
using copse::graph::nodeOf;
using copse::graph::ProgramNode;
using copse::graph::programText;
namespace kind = copse::graph::kind;

Repeat::Repeat(unsigned count, const Program &body, const DebugContext &debugContext) {
  node_ = newNode(kind::Repeat{count, nodeOf(body)}, debugContext);
}

namespace {

std::shared_ptr<ProgramNode> loop(const char *name, bool goesOn, const Program &cond,
                                  const Tensor &predicate, const Program &body,
                                  const DebugContext &debugContext) {
  return newNode(kind::RepeatWhile{goesOn,
                                   checkedScalar(programText(name, debugContext), predicate, true),
                                   nodeOf(cond), nodeOf(body)},
                 debugContext);
}

} // namespace

RepeatWhileTrue::RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body,
                                 const DebugContext &debugContext) {
  node_ = loop("RepeatWhileTrue", true, cond, predicate, body, debugContext);
}

RepeatWhileFalse::RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body,
                                   const DebugContext &debugContext) {
  node_ = loop("RepeatWhileFalse", false, cond, predicate, body, debugContext);
}

If::If(Tensor predicate, const Program &ifTrue, const Program &ifFalse,
       const DebugContext &debugContext) {
  node_ = newNode(kind::If{checkedScalar(programText("If", debugContext), predicate, true),
                           nodeOf(ifTrue), nodeOf(ifFalse)},
                  debugContext);
}

Switch::Switch(Tensor control, const DebugContext &debugContext) {
  node_ = newNode(
      kind::Switch{checkedScalar(programText("Switch", debugContext), control, false), {}, nullptr},
      debugContext);
}

Switch::Switch(Tensor control, const Program &defaultCase, const DebugContext &debugContext)
    : Switch(std::move(control), debugContext) {
  std::get<kind::Switch>(node_->kind).otherwise = nodeOf(defaultCase);
}

Switch::Switch(Tensor control, const Cases &cases, const DebugContext &debugContext)
    : Switch(std::move(control), debugContext) {
  for (const auto &entry : cases) {
    add(entry.first, entry.second);
  }
}

Switch::Switch(Tensor control, const Cases &cases, const Program &defaultCase,
               const DebugContext &debugContext)
    : Switch(std::move(control), cases, debugContext) {
  std::get<kind::Switch>(node_->kind).otherwise = nodeOf(defaultCase);
}

Switch &Switch::add(std::int32_t value, const Program &body) {
  const auto child = nodeOf(body);
  if (node_.use_count() > 1) {
    node_ = std::make_shared<ProgramNode>(*node_); // other handles keep the old node
  }
  auto &cases = std::get<kind::Switch>(node_->kind).cases;
  if (std::any_of(cases.begin(), cases.end(),
                  [value](const auto &one) { return one.value == value; })) {
    throw control_program_error("Switch" + (node_->name.empty() ? "" : " '" + node_->name + "'") +
                                ": there are two cases of value " + std::to_string(value));
  }
  cases.push_back({value, child});
  return *this;
}

Switch Switch::switchWithBoundsChecking(Tensor control, const Cases &cases,
                                        const DebugContext &debugContext) {
  const Abort outOfBounds(programText("Switch", debugContext) + ": the value matches no case",
                          debugContext);
  return Switch(std::move(control), cases, outOfBounds, debugContext);
}

Switch Switch::switchWithUnreachableDefault(Tensor control, const DebugContext &debugContext) {
  return Switch(std::move(control), debugContext);
}

Call::Call(Function function, const DebugContext &debugContext) {
  if (!Access::valid(function)) {
    throw control_program_error(programText("Call", debugContext) +
                                ": the Function is empty; make it with Graph::addFunction");
  }
  node_ = newNode(kind::Call{Access::id(function)}, debugContext);
}

Call::Call(const HostFunction &function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
           const DebugContext &debugContext) {
  const ArrayRef<Tensor> sent =
      function.nothing_.empty() || !inputs.empty() ? inputs : ArrayRef<Tensor>(function.nothing_);
  if (sent.size() != function.inputs_.size() || outputs.size() != function.outputs_.size()) {
    throw control_program_error(
        programText("Call", debugContext) + ": host function '" + function.handle_ + "' has " +
        std::to_string(function.inputs_.size() - function.nothing_.size()) + " inputs and " +
        std::to_string(function.outputs_.size()) + " outputs, not " +
        std::to_string(inputs.size()) + " and " + std::to_string(outputs.size()));
  }
  // Adjacent stream copies become one host exchange, in order, so nothing can come between them.
  Sequence copies({}, debugContext);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    copies.add(Copy(sent[i], function.inputs_[i], false, debugContext));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    copies.add(Copy(function.outputs_[i], outputs[i], false, debugContext));
  }
  Program::operator=(copies);
}

Abort::Abort(const DebugContext &debugContext) : Abort(std::string(), debugContext) {}

Abort::Abort(const std::string &message, const DebugContext &debugContext) {
  node_ = newNode(kind::Abort{std::nullopt, message}, debugContext);
}

Abort::Abort(const char *message, const DebugContext &debugContext)
    : Abort(std::string(message), debugContext) {}

AbortOnCondition::AbortOnCondition(Tensor predicate, const DebugContext &debugContext)
    : AbortOnCondition(std::move(predicate), std::string(), debugContext) {}

AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string &message,
                                   const DebugContext &debugContext) {
  node_ =
      newNode(kind::Abort{checkedElement(programText("AbortOnCondition", debugContext), predicate),
                          message},
              debugContext);
}

AbortOnCondition::AbortOnCondition(Tensor predicate, const char *message,
                                   const DebugContext &debugContext)
    : AbortOnCondition(std::move(predicate), std::string(message), debugContext) {}

ErrorProgram::ErrorProgram(StringRef message, Tensor debugTensor,
                           const DebugContext &debugContext) {
  node_ =
      newNode(kind::Sequence{{nodeOf(PrintTensor(message, std::move(debugTensor), debugContext)),
                              nodeOf(Abort(message.cloneAsString(), debugContext))}},
              debugContext);
}

} // namespace program
} // namespace poplar
