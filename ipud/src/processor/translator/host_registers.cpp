#include "processor/translator/host_registers.hpp"

#include "processor/translator/loop_body.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

using Uses = std::array<unsigned, 15>;

void countUses(Uses &uses, const isa::Instruction &i) {
  const Footprint print = footprintOf(i);
  for (unsigned r = 0; r < uses.size(); ++r)
    uses[r] += (print.read >> r & 1) + (print.written >> r & 1);
}

/// How often each main register is read or written in a turn.
Uses usesIn(const LoopBody &body) {
  Uses uses{};
  for (const Issue &issue : body.issues) {
    countUses(uses, issue.main);
    countUses(uses, issue.aux);
  }
  if (body.countsItself || body.testsRegister())
    uses[body.loop.tested] += 1;
  return uses;
}

} // namespace

HostRegisters assignHostRegisters(const LoopBody &body) {
  // rbp, r14, r15, which functions keep; then rsi, rdi, r8 to r11.
  static constexpr int kHosts[] = {5, 14, 15, 6, 7, 8, 9, 10, 11};
  HostRegisters registers;
  registers.hasPairs = !body.calls;
  registers.hasMatrix = body.hasMatrix;
  const std::size_t hosts = body.calls ? 3 : std::size(kHosts) - (body.hasMatrix ? 1 : 0);
  const Uses uses = usesIn(body);
  std::array<unsigned, 15> order{};
  for (unsigned r = 0; r < order.size(); ++r)
    order[r] = r;
  std::ranges::stable_sort(order, [&](unsigned a, unsigned b) { return uses[a] > uses[b]; });
  for (std::size_t i = 0; i < hosts && uses[order[i]] > 0; ++i)
    registers.main[order[i]] = kHosts[i];
  return registers;
}

} // namespace copse::ipud
