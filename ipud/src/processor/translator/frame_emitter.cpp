#include "processor/translator/frame_emitter.hpp"

#include <ranges>

namespace copse::ipud {

using namespace Xbyak::util;

namespace {

const Xbyak::Reg64 kSaved[] = {rbx, rbp, r12, r13, r14, r15};

} // namespace

void FrameEmitter::emitEntry() {
  for (const auto &r : kSaved)
    x_.push(r);
  x_.sub(rsp, 8);
  x_.mov(rbx, rdi);
  x_.mov(r12, rdx);
}

void FrameEmitter::emitReturn() {
  x_.add(rsp, 8);
  for (const auto &r : std::views::reverse(kSaved))
    x_.pop(r);
  x_.ret();
}

void FrameEmitter::emitLoads() {
  for (unsigned r = 0; r < isa::kMainZero; ++r)
    if (isHosted(r))
      x_.mov(host(r), mainPlace(r));
  if (!hasPairs())
    return;
  for (unsigned p = 0; p < 8; p += 2)
    if (((body_.read | body_.written) >> (16 + p) & 3) != 0)
      x_.vmovq(pair(p), place(p));
}

void FrameEmitter::emitStores() {
  for (unsigned r = 0; r < isa::kWorkerBase; ++r)
    if (isHosted(r) && (body_.written >> r & 1) != 0)
      x_.mov(mainPlace(r), host(r));
  if (!hasPairs())
    return;
  for (unsigned p = 0; p < 8; p += 2)
    if ((body_.written >> (16 + p) & 3) != 0)
      x_.vmovq(place(p), pair(p));
}

} // namespace copse::ipud
