#include "processor/translator/code_body.hpp"

#include "processor/executor.hpp"
#include "processor/operations.hpp"
#include "processor/translator/known_instructions.hpp"
#include "processor/translator/pace_form.hpp"

namespace copse::ipud {

bool CodeBody::isCalled(const isa::Instruction &i) const {
  if (paced != HostRegisters::kNone && paceFormOf(i))
    return false;
  return isUnknown(i) || (!hasMatrix && matrixCallOf(i));
}

const MicroOp *CodeBody::stepOf(const Issue &issue) const {
  const MicroOp *const first = &page.steps[page.start[issue.word]];
  return first->label == addressOf(Label::EnterLoop) ? first + 1 : first;
}

const MicroOp *CodeBody::auxStepOf(const Issue &issue) const {
  const auto function = operation::functionOf(issue.aux.opcode, immediateOf(issue.aux));
  for (const MicroOp *step = stepOf(issue); step != endOf(issue); ++step)
    if (isFunction(*step) && step->function == function)
      return step;
  return stepOf(issue); // not reached: the decoder makes a step for each half
}

void CodeBody::countRegisters(const isa::Instruction &i) {
  const Footprint print = footprintOf(i);
  read |= print.read;
  written |= print.written;
}

} // namespace copse::ipud
