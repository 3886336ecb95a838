#include "processor/translator/call_emitter.hpp"

#include "processor/executor.hpp"
#include "processor/translator/known_instructions.hpp"

namespace copse::ipud {

void CallEmitter::emitStep(const MicroOp &step, const Instruction &instruction) {
  if (isCommit(step))
    emitCommit(step);
  else
    emitCall(step, instruction);
}

void CallEmitter::emitCommit(const MicroOp &step) {
  const unsigned count = step.label == addressOf(Label::CommitPair)  ? 2
                         : step.label == addressOf(Label::CommitOne) ? 1
                                                                     : step.r[2];
  for (unsigned i = 0; i < count; ++i) {
    x_.mov(Xbyak::util::eax, place(step.r[1] + i));
    x_.mov(place(step.r[0] + i), Xbyak::util::eax);
  }
}

void CallEmitter::emitCall(const MicroOp &step, const Instruction &instruction) {
  using namespace Xbyak::util;
  const Footprint print = footprintOf(instruction);
  for (unsigned r = 0; r < isa::kWorkerBase; ++r)
    if (isHosted(r) && (body_.written >> r & 1) != 0 &&
        ((print.read | print.written) >> r & 1) != 0)
      x_.mov(mainPlace(r), host(r));
  x_.mov(rdi, rbx);
  x_.mov(rsi, reinterpret_cast<std::size_t>(&step));
  x_.mov(rax, reinterpret_cast<std::size_t>(step.function));
  x_.call(rax);
  for (unsigned r = 0; r < isa::kWorkerBase; ++r)
    if (isHosted(r) && (print.written >> r & 1) != 0)
      x_.mov(host(r), mainPlace(r));
  x_.test(al, al);
  x_.jz(exits_.at(&step), kNear); // Core::fault has the reason
}

} // namespace copse::ipud
