#include "processor/translator/host_registers.hpp"

#include "processor/translator/code_region.hpp"
#include "processor/translator/loop_body.hpp"

#include <algorithm>
#include <vector>

namespace copse::ipud {
namespace {

using UseCounts = std::array<unsigned, 15>;

void countUses(UseCounts &uses, const isa::Instruction &i) {
  const Footprint print = footprintOf(i);
  for (unsigned r = 0; r < uses.size(); ++r)
    uses[r] += (print.read >> r & 1) + (print.written >> r & 1);
}

/// Counts how often each main register is read or written per turn.
UseCounts usesIn(const LoopBody &body) {
  UseCounts uses{};
  for (const Issue &issue : body.issues) {
    countUses(uses, issue.main);
    countUses(uses, issue.aux);
  }
  if (body.countsItself || body.testsRegister())
    uses[body.loop.tested] += 1;
  return uses;
}

/// Returns the host registers for main registers, best first.
std::vector<int> hostsFor(const LoopBody &body) {
  std::vector<int> hosts = {5, 14, 15}; // rbp, r14, r15, which are callee-saved
  if (body.calls)
    return hosts;
  hosts.insert(hosts.end(), {6, 7}); // rsi, rdi
  if (body.paced == HostRegisters::kNone)
    hosts.insert(hosts.end(), {8, 9, 10});
  if (!body.hasMatrix)
    hosts.push_back(11);
  return hosts;
}

/// Assigns \p hosts, best first, to the most used registers.
std::array<int, 16> hostsOf(const UseCounts &uses, const std::vector<int> &hosts) {
  std::array<unsigned, 15> order{};
  for (unsigned r = 0; r < order.size(); ++r)
    order[r] = r;
  std::ranges::stable_sort(order, [&](unsigned a, unsigned b) { return uses[a] > uses[b]; });
  std::array<int, 16> result{};
  for (std::size_t i = 0; i < hosts.size() && uses[order[i]] > 0; ++i)
    result[order[i]] = hosts[i];
  return result;
}

} // namespace

HostRegisters assignHostRegisters(const LoopBody &body) {
  HostRegisters registers;
  registers.hasPairs = !body.calls;
  registers.hasMatrix = body.hasMatrix;
  registers.paced = body.paced;
  registers.hasSkips = body.hasSkips;
  UseCounts uses = usesIn(body);
  if (body.paced != HostRegisters::kNone)
    uses[body.paced] = uses[body.paced + 1] = 0;
  registers.main = hostsOf(uses, hostsFor(body));
  return registers;
}

HostRegisters assignHostRegisters(const CodeRegion &region) {
  HostRegisters registers;
  registers.hasPairs = !region.calls;
  registers.hasSkips = true;
  UseCounts uses{};
  for (std::size_t i = 0; i < region.issues.size(); ++i) {
    const CodeRegion::Control &control = region.controls[i];
    if (control.flow == Flow::Leave)
      continue;
    countUses(uses, region.issues[i].main);
    countUses(uses, region.issues[i].aux);
    if (control.step != nullptr)
      countUses(uses, control.main);
  }
  std::vector<int> hosts = {5, 14, 15}; // rbp, r14, r15, which are callee-saved
  if (!region.calls)
    hosts.insert(hosts.end(), {6, 7, 8, 9, 10, 11});
  registers.main = hostsOf(uses, hosts);
  return registers;
}

} // namespace copse::ipud
